"""`shardwright estimate`: what a plan costs, as text, JSON and trace."""

import json
import pathlib

import pytest

MODELS = pathlib.Path(__file__).parent / "data" / "models"
TRANSFORMER = MODELS / "transformer.mlir"  # 2 layers, 16 parameter tensors.
SCAN = MODELS / "gemma_2b_scan.mlir"
KINDS = ["all_reduce", "reduce_scatter", "all_gather", "all_to_all", "collective_permute"]


@pytest.fixture
def estimate(shardwright):
  """JSON report of a model under tactics."""

  def run(model, *tactics, mesh="data=4,model=2", device="h100", options=()):
    arguments = [word for tactic in tactics for word in ("--tactic", tactic)]
    return json.loads(shardwright.ok("estimate", model, "--mesh", mesh, "--device", device, "--json", *arguments,
                                     *options))

  return run


def counts(report):
  return {kind: cost["count"] for kind, cost in report["collectives"].items() if cost["count"]}


def test_json_has_the_promised_keys(estimate):
  report = estimate(TRANSFORMER, "dp(data)")
  for key in ("step_seconds", "compute_seconds", "exposed_communication_seconds", "peak_bytes"):
    assert report[key] > 0, key
  assert report["fits"] is True
  assert sorted(report["collectives"]) == sorted(KINDS)
  for cost in report["collectives"].values():
    assert {"count", "bytes", "seconds"} <= set(cost)
  for argument in report["arguments"]:
    assert {"path", "shape", "spec", "bytes"} <= set(argument)


@pytest.mark.parametrize("model", sorted(MODELS.glob("*.mlir")), ids=lambda p: p.stem)
def test_every_model_adds_up(estimate, model):
  report = estimate(model, mesh="data=2", device="a100-40")
  total = report["compute_seconds"] + report["exposed_communication_seconds"]
  assert report["step_seconds"] == pytest.approx(total)
  assert counts(report) == {}, "nothing is decided, so nothing is communicated"
  memory = report["memory"]
  parts = memory["arguments_bytes"] + memory["results_bytes"] - memory["aliased_bytes"] + memory["temporaries_bytes"]
  assert report["peak_bytes"] == parts


@pytest.mark.parametrize(
  "tactics, expected",
  [
    (["dp(data)"], {"all_reduce": 17}),
    (["megatron(model)"], {"all_reduce": 8}),
    (["dp(data)", "megatron(model)"], {"all_reduce": 25}),
    (["zero3(data)"], {"all_reduce": 1, "reduce_scatter": 16, "all_gather": 16}),
  ],
  ids=["dp", "megatron", "both", "zero3"],
)
def test_collectives_follow_the_closed_forms(estimate, tactics, expected):
  assert counts(estimate(TRANSFORMER, *tactics)) == expected


@pytest.mark.parametrize("model", sorted(MODELS.glob("*.mlir")), ids=lambda p: p.stem)
@pytest.mark.parametrize("device", ["h100", "tpu-v5e"])
def test_no_kind_is_waited_for_longer_than_it_takes(shardwright, model, device):
  """T7: what stands behind others on the wires has its own part of a wait, and they have theirs."""
  # The first that the model has what it takes for.
  for tactics in (["zero3(data)", "megatron(model)", "sequence(model)"], ["zero3(data)"], ["dp(data)"], ["shard(*:0, data)"]):
    words = [word for tactic in tactics for word in ("--tactic", tactic)]
    done = shardwright("estimate", model, "--mesh", "data=4,model=2", "--device", device, "--json", *words)
    if done.returncode == 0:
      break
  report = json.loads(done.stdout) if done.returncode == 0 else pytest.skip(done.stderr)
  for kind, cost in report["collectives"].items():
    assert cost["exposed_seconds"] <= cost["seconds"] * (1 + 1e-9), kind
  exposed = sum(cost["exposed_seconds"] for cost in report["collectives"].values())
  assert exposed == pytest.approx(report["exposed_communication_seconds"])


def test_the_parts_of_a_list_make_its_sum(estimate):
  report = estimate(TRANSFORMER, "dp(data)", "megatron(model)")
  for kind, cost in report["collectives"].items():
    groups = [g for g in report["largest_collectives"] if g["kind"] == kind]
    for key in ("count", "bytes", "seconds"):
      assert sum(g[key] for g in groups) == pytest.approx(cost[key]), (kind, key)
  assert sum(r["bytes"] for r in report["residents"]) == report["peak_bytes"]
  assert sum(a["bytes"] for a in report["arguments"]) == report["memory"]["arguments_bytes"]


def test_lists_name_source_lines(estimate):
  report = estimate(TRANSFORMER, "dp(data)")
  assert any("models/transformer.py:" in group["where"] for group in report["largest_collectives"])
  assert any("models/layers.py:" in resident["where"] for resident in report["residents"])
  assert [g["seconds"] for g in report["largest_collectives"]] == sorted(
    (g["seconds"] for g in report["largest_collectives"]), reverse=True)


def test_arguments_show_how_they_lie(estimate):
  report = estimate(TRANSFORMER, "dp(data)")
  by_path = {a["path"]: a for a in report["arguments"]}
  x = by_path["batch['x']"]
  assert (x["shape"], x["local_shape"], x["spec"]) == ([8, 32, 64], [2, 32, 64], "[data, -, -]")
  assert x["bytes"] == 2 * 32 * 64 * 4
  assert by_path["state['params']['layers'][0]['wq']"]["spec"] == "replicated"


UNKNOWN = """func.func public @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.custom_call @kernel(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}"""


@pytest.mark.parametrize("command", ["estimate", "partition"])
def test_says_what_it_does_not_know(shardwright, command):
  """Kernels of other people, and what stands under shard_map, are not estimated."""
  text = shardwright.ok(command, "-", "--mesh", "data=2", "--device", "h100", stdin=UNKNOWN)
  assert "1 x stablehlo.custom_call:kernel: what happens inside is not known" in text


def test_data_parallel_splits_the_work(estimate):
  alone = estimate(TRANSFORMER, mesh="data=4")
  shared = estimate(TRANSFORMER, "dp(data)", mesh="data=4")
  assert shared["compute_seconds"] < alone["compute_seconds"]
  assert shared["peak_bytes"] < alone["peak_bytes"]
  assert shared["flops"] < 0.3 * alone["flops"]


def test_zero3_keeps_a_share_of_the_state(estimate):
  whole = estimate(TRANSFORMER, "dp(data)")["memory"]["arguments_bytes"]
  parts = estimate(TRANSFORMER, "zero3(data)")["memory"]["arguments_bytes"]
  assert parts < 0.3 * whole


def test_topology_decides_what_communication_costs(estimate):
  near = estimate(TRANSFORMER, "dp(data)")
  far = estimate(TRANSFORMER, "dp(data)", options=["--topology", "data=ib"])
  assert near["topology"] == {"data": "4 over nvlink", "model": "2 over nvlink"}
  assert far["topology"]["data"] == "4 over infiniband"
  assert far["collectives"]["all_reduce"]["seconds"] > near["collectives"]["all_reduce"]["seconds"]
  assert far["compute_seconds"] == pytest.approx(near["compute_seconds"])


def test_memory_limit(estimate, shardwright):
  peak = estimate(TRANSFORMER)["peak_bytes"]
  assert estimate(TRANSFORMER, options=["--memory", str(peak)])["fits"] is True
  report = estimate(TRANSFORMER, options=["--memory", str(peak - 1)])
  assert report["fits"] is False and report["limit_bytes"] == peak - 1
  text = shardwright.ok("estimate", TRANSFORMER, "--mesh", "data=2", "--device", "h100", "--memory", "1MB")
  assert "DOES NOT FIT" in text
  for amount in ("40GB", "40 GB", "40gb", " 40 Gb "):
    assert estimate(TRANSFORMER, options=["--memory", amount])["limit_bytes"] == 40_000_000_000
  assert estimate(TRANSFORMER, options=["--memory", "1.5GiB"])["limit_bytes"] == 3 << 29


def test_text_says_where_time_and_memory_go(shardwright):
  text = shardwright.ok("estimate", TRANSFORMER, "--mesh", "data=4,model=2", "--device", "h100", "--tactic", "dp(data)")
  for part in ("step ", "compute", "exposed communication", "where communication goes", "at the peak, while",
               "arguments on one device", "all_reduce", "models/transformer.py:", ": fits"):
    assert part in text, part
  assert "(--all lists them)" in text
  everything = shardwright.ok("estimate", TRANSFORMER, "--mesh", "data=4,model=2", "--device", "h100", "--tactic",
                              "dp(data)", "--all")
  assert "more (--all" not in everything and len(everything) > len(text)


@pytest.mark.parametrize(
  "options, message",
  [
    (["--mesh", "data=4", "--device", "h20"], "unknown device `h20`; known are a100-40, "),
    (["--mesh", "data=4,model=2", "--device", "h100", "--topology", "batch=ib"], "has no axis `batch`"),
    (["--mesh", "data=4", "--device", "h100", "--topology", "data=ici"], "`h100` has no link `ici`"),
    (["--mesh", "data=16", "--device", "h100", "--topology", "data=nvlink"], "does not fit on nvlink"),
    (["--mesh", "data=4", "--device", "h100", "--tactic", "dp(dada)"], "dada"),
    (["--mesh", "data=4", "--device", "h100", "--plan", "/nowhere/plan.json"], "/nowhere/plan.json"),
  ],
)
def test_bad_requests_are_answered(shardwright, options, message):
  done = shardwright("estimate", TRANSFORMER, *options)
  assert done.returncode == 1
  assert message in done.stderr and "error:" in done.stderr


@pytest.mark.parametrize(
  "options, message",
  [
    (["--mesh", "data=4"], "--device is required"),
    (["--device", "h100"], "--mesh"),
    (["--mesh", "data", "--device", "h100"], "data"),
    (["--mesh", "data=4", "--device", "h100", "--memory", "lots"], "`lots` is not an amount of memory"),
    (["--mesh", "data=4", "--device", "h100", "--memory=-1GB"], "`-1GB` is not an amount of memory"),
    (["--mesh", "data=4", "--device", "h100", "--memory", "0"], "`0` is not an amount of memory"),
    (["--mesh", "data=4", "--device", "h100", "--memory", "4 G B"], "`4 G B` is not an amount of memory"),
  ],
)
@pytest.mark.parametrize("command", ["estimate", "partition"])
def test_bad_usage_is_answered(shardwright, command, options, message):
  done = shardwright(command, TRANSFORMER, *options)
  assert done.returncode == 2
  assert message in done.stderr


def test_a_plan_file_costs_what_its_tactics_cost(shardwright, estimate, tmp_path):
  plan = tmp_path / "plan.json"
  tactics = ["--tactic", "dp(data)", "--tactic", "megatron(model)"]
  shardwright.ok("apply", TRANSFORMER, "--mesh", "data=4,model=2", *tactics, "-o", plan)
  from_plan = json.loads(shardwright.ok("estimate", TRANSFORMER, "--plan", plan, "--device", "h100", "--json"))
  assert from_plan == estimate(TRANSFORMER, "dp(data)", "megatron(model)")


def trace(shardwright, tmp_path, model, *tactics):
  path = tmp_path / "trace.json"
  arguments = [word for tactic in tactics for word in ("--tactic", tactic)]
  report = json.loads(shardwright.ok("estimate", model, "--mesh", "data=4,model=2", "--device", "h100", "--json",
                                     "--trace", path, *arguments))
  return report, json.loads(path.read_text())["traceEvents"]


def test_trace_shows_the_step(shardwright, tmp_path):
  report, events = trace(shardwright, tmp_path, TRANSFORMER, "dp(data)", "megatron(model)")
  names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
  assert names == {0: "compute", 1: "axis data", 2: "axis model"}
  bars = [e for e in events if e["ph"] == "X"]
  assert max(e["ts"] + e["dur"] for e in bars) == pytest.approx(report["step_seconds"] * 1e6)
  for track in names:
    on_track = sorted((e for e in bars if e["tid"] == track), key=lambda e: e["ts"])
    assert on_track
    for a, b in zip(on_track, on_track[1:]):
      assert a["ts"] + a["dur"] <= b["ts"] * (1 + 1e-9) + 1e-6, "one thing at a time on a track"
  computing = sum(e["dur"] for e in bars if e["tid"] == 0)
  assert computing == pytest.approx(report["compute_seconds"] * 1e6)


def test_trace_has_the_memory_curve(shardwright, tmp_path):
  report, events = trace(shardwright, tmp_path, TRANSFORMER, "dp(data)")
  curve = [e["args"]["bytes"] for e in events if e["ph"] == "C"]
  assert max(curve) == report["peak_bytes"]
  assert min(curve) >= report["memory"]["arguments_bytes"]


def test_trace_puts_a_loop_s_turn_into_its_bar(shardwright, tmp_path):
  _, events = trace(shardwright, tmp_path, SCAN, "dp(data)")
  bars = [e for e in events if e["ph"] == "X" and e["tid"] == 0]
  loops = [e for e in bars if e["name"] == "while"]
  inner = [e for e in bars if e["args"]["times_per_step"] > 1]
  assert loops and inner
  for e in inner:
    assert any(w["ts"] - 1e-6 <= e["ts"] and e["ts"] + e["dur"] <= w["ts"] + w["dur"] + 1e-6 for w in loops)


def test_estimates_repeat_themselves(shardwright):
  arguments = ("estimate", TRANSFORMER, "--mesh", "data=4,model=2", "--device", "tpu-v5e", "--tactic", "dp(data)", "--json")
  assert shardwright.ok(*arguments) == shardwright.ok(*arguments)
