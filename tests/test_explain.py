"""`shardwright explain` and `shardwright diff`: why a plan does what it does, and what two plans say differently."""

import json
import pathlib
import re

import pytest

MODELS = pathlib.Path(__file__).parent / "data" / "models"
TRANSFORMER = MODELS / "transformer.mlir"  # 2 layers, 16 parameter tensors.
MESH = "data=4,model=2"


@pytest.fixture
def save(shardwright, tmp_path):
  """The path of a plan of the transformer that tactics make."""

  def run(name, *tactics, module=TRANSFORMER, mesh=MESH):
    path = tmp_path / name
    shardwright.ok("apply", module, "--mesh", mesh, "-o", path, *(w for t in tactics for w in ("--tactic", t)))
    return path

  return run


@pytest.fixture
def explain(shardwright):
  def run(*arguments, module=TRANSFORMER):
    return json.loads(shardwright.ok("explain", module, "--json", *arguments))

  return run


def whys(report, path):
  return next(a["why"] for a in report["arguments"] if a["path"] == path)


def collective(report, kind, of):
  return next(c for c in report["collectives"] if c["kind"] == kind and of in c["of"])


def test_arguments_say_which_decision_splits_them(explain, save):
  report = explain(save("plan.json", "dp(data)", "megatron(model)"))
  assert whys(report, "batch['x']") == ["dim 0: data splits batch/target.0, …", "whole along model: model splits none of its dims"]
  assert whys(report, "state['params']['layers'][0]['w1']") == [
    "whole along data: data splits none of its dims",
    "dim 1: model splits state/params/layers/*/w1.1, … x2, which comes after state/params/layers/*/wk.1, … x2",
  ]


def test_pins_and_sizes_are_reasons(explain, shardwright, tmp_path):
  module = tmp_path / "odd.mlir"
  module.write_text("""
    func.func @main(%x: tensor<8x6xf32> loc("x"), %w: tensor<6x7xf32> loc("w")) -> tensor<8x7xf32> {
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x7xf32>) -> tensor<8x7xf32>
      return %0 : tensor<8x7xf32>
    }""")
  report = explain("--mesh", "data=4", "--tactic", "shard(x:0, data)", "--tactic", "pin(w, replicated)", module=module)
  assert whys(report, "w") == ["whole along data: pinned"]
  plan = tmp_path / "plan.json"
  shardwright.ok("apply", module, "--mesh", "data=2", "--tactic", "shard(x:1, data)", "-o", plan)
  sizes = json.loads(plan.read_text())
  sizes["mesh"][0]["size"] = 4  # By hand: 6 is not divided by 4.
  plan.write_text(json.dumps(sizes))
  assert whys(explain(plan, module=module), "x") == ["whole along data: a dim of 6 is not divided by data=4"]


def test_gathers_say_what_has_the_axis_instead(explain, save):
  report = explain(save("plan.json", "zero3(data)"))
  gather = collective(report, "all_gather", "argument `state['params']['layers'][*]['wq']`")
  assert (gather["from"], gather["to"], gather["count"]) == ("[data, -, -]", "replicated", 2)
  assert re.fullmatch(r"dot_general at models/transformer.py:\d+:\d+", gather["for"])
  assert gather["why"] == "there data splits batch/target.0, …, which comes before batch/target.2, …"


def test_sums_say_what_is_summed(explain, save):
  report = explain(save("plan.json", "dp(data)"))
  assert {c["kind"] for c in report["collectives"]} == {"all_reduce"}
  for one in report["collectives"]:
    assert re.fullmatch(r"(dot_general|reduce) at .* sums over batch/target.0, …, which data splits", one["why"]), one


def test_pinned_results_are_a_reason(explain, save):
  report = explain(save("plan.json", "zero2(data)"))
  gather = next(c for c in report["collectives"] if c["for"] == "result `result[0]['params']['layers'][*]['w1']`")
  assert gather["why"] == "that is pinned to replicated, whatever data splits"
  assert whys(report, "state['params']['layers'][0]['w1']")[0] == "whole along data: pinned"


@pytest.mark.parametrize("model", sorted(MODELS.glob("*.mlir")), ids=lambda p: p.stem)
def test_every_collective_has_a_reason(explain, shardwright, model):
  tactic = "dp(data, batch/edges:0)" if model.stem == "gns" else "dp(data)"
  tactics = ["--mesh", MESH, "--tactic", tactic]
  report = explain(*tactics, module=model)
  totals = json.loads(shardwright.ok("apply", model, "--json", *tactics))["collectives"]
  for kind, total in totals.items():
    assert sum(c["count"] for c in report["collectives"] if c["kind"] == kind) == total["count"], kind
  assert all(c["why"] for c in report["collectives"])


def test_with_a_device_collectives_have_times(explain, shardwright, save):
  plan = save("plan.json", "zero3(data)", "megatron(model)")
  report = explain(plan, "--device", "h100")
  estimate = json.loads(shardwright.ok("estimate", TRANSFORMER, "--plan", plan, "--device", "h100", "--json"))
  for kind, cost in estimate["collectives"].items():
    of_kind = [c for c in report["collectives"] if c["kind"] == kind]
    for key in ("count", "bytes", "seconds"):
      assert sum(c[key] for c in of_kind) == pytest.approx(cost[key]), (kind, key)
  assert all("seconds" not in c for c in explain(plan)["collectives"])


def test_text_shows_ten_of_each_or_all(shardwright, save):
  plan = save("plan.json", "zero3(data)", "megatron(model)")
  short, all_of_it = shardwright.ok("explain", TRANSFORMER, plan), shardwright.ok("explain", TRANSFORMER, plan, "--all")
  assert "more (--all lists them)" in short and "--all" not in all_of_it
  assert "\n      why  there data splits batch/target.0" in all_of_it
  assert "2 x  state['params']['layers'][*]['wq']" in all_of_it


def test_a_plan_is_given_once(shardwright, save):
  plan = save("plan.json", "dp(data)")
  assert shardwright("explain", TRANSFORMER, plan, "--plan", plan).returncode == 2
  assert shardwright("explain", TRANSFORMER, plan, "--tactic", "dp(data)").returncode == 2
  assert shardwright("explain", TRANSFORMER).returncode == 2


# --- diff ---


def test_what_differs(shardwright, save):
  a, b = save("a.json", "dp(data)", "megatron(model)"), save("b.json", "zero2(data)", "megatron(model)", "remake(16)")
  report = json.loads(shardwright.ok("diff", a, b, "--json"))
  assert not report["same"] and not report["programs_differ"]
  assert [axis["axis"] for axis in report["axes"]] == ["data"]
  assert {x["path"] for x in report["arguments"]} == {
    f"state['momentum']['layers'][{layer}]['{name}']"
    for layer in (0, 1)
    for name in ("norm1", "norm2", "w1", "w2", "wk", "wo", "wq", "wv")
  }
  assert report["pins"]["only_a"] == [] and len(report["pins"]["only_b"]) == 32  # Parameters and results
  assert report["remake"]["only_b"] == ["gathered copies are made again after 16 ops"]
  text = shardwright.ok("diff", a, b)
  assert "16 of 34 arguments lie elsewhere\n" in text
  assert "only in the second  argument `state['params']['layers'][0]['norm1']`: replicated" in text


def test_nothing_differs(shardwright, save):
  a = save("a.json", "dp(data)")
  assert json.loads(shardwright.ok("diff", a, "-", "--json", stdin=a.read_text()))["same"]
  assert "the plans say the same" in shardwright.ok("diff", a, a)


def test_plans_of_other_programs_and_no_plans(shardwright, save, tmp_path):
  a, b = save("a.json", "dp(data)"), save("b.json", "dp(data)", module=MODELS / "mlp_train.mlir")
  done = shardwright("diff", a, b)
  assert done.returncode == 1
  assert "are plans of different programs: `state['momentum']['layers'][0]['norm1']` is only in the first" in done.stderr
  broken = tmp_path / "broken.json"
  broken.write_text('{"version": 1, "mesh": 3}')
  done = shardwright("diff", a, broken)
  assert done.returncode == 1 and done.stderr.startswith(f"{broken}: error: mesh: should be a list")
  assert shardwright("diff", a).returncode == 2
