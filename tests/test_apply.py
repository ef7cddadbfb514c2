"""`shardwright apply`: bad requests get a text that names argument, dim, axis and sizes, and nothing is written."""

import json

import pytest

MODULE = """func.func @main(%x: tensor<12x32xf32> loc("batch['x']"), %w1: tensor<32x64xf32> loc("params['w1']"),
    %w2: tensor<64x10xf32> loc("params['w2']")) -> (tensor<12x10xf32> {jax.result_info = "result"}) {
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0]
     : (tensor<12x32xf32>, tensor<32x64xf32>) -> tensor<12x64xf32>
  %1 = stablehlo.tanh %0 : tensor<12x64xf32>
  %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0]
     : (tensor<12x64xf32>, tensor<64x10xf32>) -> tensor<12x10xf32>
  return %2 : tensor<12x10xf32>
}
"""
OTHER = MODULE.replace("12x", "24x").replace("params['w1']", "params['other']")

# Tactics -> words that the message must have.
BAD = {
  "unknown_axis": (["shard(batch/x:0, tensor)"], ["axis `tensor`", "data", "model"]),
  "nothing_matches": (["shard(*wq*:1, model)"], ["`*wq*`", "matches no argument"]),
  "dim_out_of_range": (["shard(batch/x:2, data)"], ["batch['x']", "dim 2", "2 dims"]),
  "indivisible": (["shard(batch/x:0, eight)"], ["batch['x']", "dim 0", "12", "`eight`", "8"]),
  "pinned_twice": (["pin(params/w1, [data, -])", "pin(params/w1, [-, data])"], ["params['w1']", "pin"]),
  "pin_against_shard": (
    ["shard(params/w1:1, model)", "pin(params/w1, replicated)"],
    ["params['w1']", "dim 1", "`model`"],
  ),
  "shard_twice": (["shard(batch/x:0, data)", "shard(batch/x:0, data)"], ["batch", "`data`"]),
  "pin_indivisible": (["pin(params/w2, [-, data])"], ["params['w2']", "dim 1", "10", "`data`", "4"]),
  "pin_of_another_rank": (["pin(params/w2, [data, -, -])"], ["params['w2']", "2 dims"]),
  "axis_twice": (["pin(params/w1, [data, data])"], ["params['w1']", "`data`"]),
  "unknown_tactic": (["nonsense(data)"], ["`nonsense", "shard"]),
  "bad_form": (["shard(batch*)"], ["shard takes PATTERN:DIM, AXIS"]),
  "auto_without_search": (["auto(model)"], ["auto"]),
}
MESH = "data=4,model=2,eight=8"


@pytest.fixture
def module(tmp_path):
  path = tmp_path / "module.mlir"
  path.write_text(MODULE)
  return path


def outputs(tmp_path):
  """Every output that `apply` can write; all hold something that must stay."""
  paths = [tmp_path / name for name in ("plan.json", "explicit.mlir", "annotated.mlir")]
  for path in paths:
    path.write_text("old")
  plan, explicit, annotated = paths
  return paths, ["-o", plan, "--emit", f"explicit={explicit}", "--emit", f"annotated={annotated}"]


def refuse(shardwright, tmp_path, arguments, words, status=1):
  """Runs `apply`, which must fail with these words and write nothing."""
  paths, outs = outputs(tmp_path)
  before = {path.name for path in tmp_path.iterdir()}
  done = shardwright("apply", *arguments, *outs)
  assert done.returncode == status, done.stdout + done.stderr
  for word in words:
    assert word in done.stderr
  assert done.stdout == ""
  assert [path.read_text() for path in paths] == ["old"] * 3
  assert {path.name for path in tmp_path.iterdir()} == before
  return done.stderr


def tactic_words(tactics):
  return [word for tactic in tactics for word in ("--tactic", tactic)]


@pytest.mark.parametrize("name", BAD)
def test_bad_tactics(name, module, shardwright, tmp_path):
  tactics, words = BAD[name]
  text = refuse(shardwright, tmp_path, [module, "--mesh", MESH, *tactic_words(tactics)], words)
  assert "error: " in text


@pytest.mark.parametrize("mesh, words", [
  ("data", ["data"]), ("data=0", ["data", "0"]), ("data=x", ["data=x"]), ("data=2,data=4", ["data"]), ("", ["mesh"]),
])  # fmt: skip
def test_bad_meshes(mesh, words, module, shardwright, tmp_path):
  refuse(shardwright, tmp_path, [module, "--mesh", mesh, "--tactic", "shard(batch/x:0, data)"], words, status=2)


@pytest.mark.parametrize("missing", ["--mesh", "choice"])
def test_bad_usage(missing, module, shardwright, tmp_path):
  arguments = {"--mesh": ["--tactic", "dp(data)"], "choice": []}[missing]
  done = shardwright("apply", module, *arguments)
  assert done.returncode == 2 and done.stderr


def plan_file(shardwright, module, tmp_path, *tactics):
  path = tmp_path / "made.json"
  shardwright.ok("apply", module, "--mesh", MESH, *tactic_words(tactics), "-o", path)
  return path


def test_plan_is_read_back(module, shardwright, tmp_path):
  path = plan_file(shardwright, module, tmp_path, "shard(batch/x:0, data)", "shard(params/w1:1, model)")
  first = shardwright.ok("apply", module, "--mesh", MESH, "--plan", path, "--json", "-o", tmp_path / "again.json")
  assert json.loads((tmp_path / "again.json").read_text()) == json.loads(path.read_text())
  by_tactics = ["--tactic", "shard(batch/x:0, data)", "--tactic", "shard(params/w1:1, model)"]
  second = shardwright.ok("apply", module, "--mesh", MESH, *by_tactics, "--json")
  assert json.loads(first)["arguments"] == json.loads(second)["arguments"]
  assert json.loads(first)["collectives"] == json.loads(second)["collectives"]


def test_plan_of_another_program(module, shardwright, tmp_path):
  path = plan_file(shardwright, module, tmp_path, "shard(batch/x:0, data)")
  module.write_text(OTHER)
  refuse(shardwright, tmp_path, [module, "--mesh", MESH, "--plan", path], [str(path), "another program"])


def test_plan_for_another_mesh(module, shardwright, tmp_path):
  path = plan_file(shardwright, module, tmp_path, "shard(batch/x:0, data)")
  refuse(shardwright, tmp_path, [module, "--mesh", "data=2,model=2", "--plan", path], ["data=2,model=2", MESH])


# What somebody may do to a plan file -> words that the message must have.
EDITS = {
  "axis": (lambda plan: plan["decisions"][0].update(axis="tensor"), ["decisions[0].axis", "`tensor`", "data=4"]),
  "color": (lambda plan: plan["decisions"][0]["colors"][0].update(id=99), ["decisions[0].colors[0].id", "colour 99"]),
  "twice": (
    lambda plan: plan["decisions"].append(plan["decisions"][0]),
    ["decisions[1].colors[0]", "`data`", "already"],
  ),
  "unknown_key": (lambda plan: plan.update(decision=[]), ["decision", "no such key"]),
  "missing_key": (lambda plan: plan.pop("pins"), ["pins", "missing"]),
  "version": (lambda plan: plan.update(version=7), ["version", "1"]),
  "wrong_kind": (lambda plan: plan.update(pins="none"), ["pins", "list"]),
  "pin_of_nothing": (lambda plan: plan["pins"].append({"argument": "y", "spec": "[-]"}), ["pins[0].argument", "`y`"]),
  "pin_that_does_not_divide": (
    lambda plan: plan["pins"].append({"argument": "params['w2']", "spec": "[-, data]"}),
    ["params['w2']", "dim 1", "10", "`data`", "4"],
  ),
  "set": (
    lambda plan: plan["resolutions"].append({"axis": "data", "sets": [{"id": 5}]}),
    ["resolutions[0].sets[0].id", "set 5"],
  ),
  "op": (
    lambda plan: plan["turns"].append({"axis": "data", "winner": {"id": 0}, "ops": [10**6]}),
    ["turns[0].ops[0]", "1000000"],
  ),
  "no_mesh": (lambda plan: plan.update(mesh=[]), ["mesh"]),
}


@pytest.mark.parametrize("name", EDITS)
def test_hand_edited_plan(name, module, shardwright, tmp_path):
  edit, words = EDITS[name]
  path = plan_file(shardwright, module, tmp_path, "shard(batch/x:0, data)")
  plan = json.loads(path.read_text())
  edit(plan)
  path.write_text(json.dumps(plan))
  refuse(shardwright, tmp_path, [module, "--mesh", MESH, "--plan", path], [str(path), *words])


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"version": 1}', "\x00", '{"version": "\xff"}'])
def test_plan_that_is_none(text, module, shardwright, tmp_path):
  path = tmp_path / "bad.json"
  path.write_text(text, encoding="latin-1")
  refuse(shardwright, tmp_path, [module, "--mesh", MESH, "--plan", path], [str(path)])


def test_plan_file_that_is_missing(module, shardwright, tmp_path):
  path = tmp_path / "nothing.json"
  refuse(shardwright, tmp_path, [module, "--mesh", MESH, "--plan", path], [str(path), "No such file"])


def test_one_output_that_cannot_be_written(module, shardwright, tmp_path):
  """Then the others are not written either."""
  good = tmp_path / "plan.json"
  emit = f"explicit={tmp_path}/missing/explicit.mlir"
  done = shardwright("apply", module, "--mesh", MESH, "--tactic", "shard(batch/x:0, data)", "-o", good, "--emit", emit)
  assert done.returncode == 1 and "missing" in done.stderr
  assert not good.exists()


def test_what_stays_whole_is_reported(module, shardwright):
  """An axis that divides the named dim but not every dim of its colour, or that another colour took."""
  tactics = ["shard(batch/x:0, data)", "shard(params/w1:1, data)"]
  report = json.loads(shardwright.ok("apply", module, "--mesh", MESH, *tactic_words(tactics), "--json"))
  assert [(entry["axis"], entry["reason"]) for entry in report["unsplit"]] == [("data", "taken")]


def test_report(module, shardwright):
  tactics = ["shard(batch/x:0, data)", "shard(params/w1:1, model)"]
  report = json.loads(shardwright.ok("apply", module, "--mesh", MESH, *tactic_words(tactics), "--json"))
  specs = {argument["path"]: argument["spec"] for argument in report["arguments"]}
  assert specs == {"batch['x']": "[data, -]", "params['w1']": "[-, model]", "params['w2']": "[model, -]"}
  assert report["collectives"]["all_reduce"]["count"] == 1
  assert report["collectives"]["all_reduce"]["bytes"] == 3 * 10 * 4
  assert sum(entry["count"] for entry in report["collectives"].values()) == 1
