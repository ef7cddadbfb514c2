"""What each named strategy takes of each model: the argument dims that get the axis are those an expert names."""

import json
import pathlib
import re

import jax
import pytest

import models
import models.optim
from models import lowering

DATA = pathlib.Path(__file__).resolve().parent / "data" / "models"
MESH = "data=2,model=4"


def apply(shardwright, module, *tactics, mesh=MESH):
  words = [word for tactic in tactics for word in ("--tactic", tactic)]
  return json.loads(shardwright.ok("apply", module, "--mesh", mesh, *words, "--json"))


def refuse(shardwright, module, *tactics, mesh=MESH):
  words = [word for tactic in tactics for word in ("--tactic", tactic)]
  done = shardwright("apply", module, "--mesh", mesh, *words)
  assert done.returncode == 1 and done.stdout == ""
  return done.stderr


def normal(path):
  return re.sub(r"\['?([^'\]]*)'?\]", r"/\1", path)


def taken(report, axis, of=""):
  """{path pattern: dims that have the axis}, of the arguments whose paths begin with `of`; layers are one pattern."""
  found = {}
  for argument in report["arguments"]:
    path = normal(argument["path"])
    if not path.startswith(of):
      continue
    entries = [] if argument["spec"] == "replicated" else argument["spec"].strip("[]").split(", ")
    dims = tuple(d for d, entry in enumerate(entries) if axis in entry.split("+"))
    found.setdefault(re.sub(r"/\d+", "/*", path.removeprefix(of)), set()).add(dims)
  # Copies that differ show as a list.
  return {path: next(iter(dims)) if len(dims) == 1 else sorted(dims) for path, dims in found.items() if dims != {()}}


def params(names):
  """The same dims in parameters and both moments of Adam."""
  return {f"state/{part}/{name}": dims for part in ("params", "m", "v") for name, dims in names.items()}


LAYER = "layers/*/"
BATCH = {
  "mlp": {"x": (0,)},
  "attention": {"x": (0,)},
  "residual": {"x": (0,)},
  "mlp_train": {"batch/x": (0,), "batch/y": (0,)},
  "transformer": {"batch/x": (0,), "batch/target": (0,)},
  "gpt": {"batch/tokens": (0,), "batch/targets": (0,)},
  "gemma_2b_scan": {"batch/tokens": (0,), "batch/targets": (0,)},
  "moe": {"batch/tokens": (0,), "batch/targets": (0,)},
  "vit": {"batch/images": (0,), "batch/labels": (0,)},
  "resnet50": {"batch/images": (0,), "batch/labels": (0,)},
  "unet": {"batch/images": (0,), "batch/noise": (0,), "batch/times": (0,)},
  "unet_noise": {"batch/images": (0,)},
  "mamba": {"batch/tokens": (0,)},
  "lstm": {"batch/tokens": (0,)},
  "decoder": {"token": (0,), "cache/*/k": (0,), "cache/*/v": (0,)},
  "decoder_prefill": {"prompt": (0,), "cache/*/k": (0,), "cache/*/v": (0,)},
}
ATTENTION = {LAYER + "wq": (1,), LAYER + "wk": (1,), LAYER + "wv": (1,), LAYER + "wo": (0,)}
MLP = {LAYER + "w1": (1,), LAYER + "w2": (0,)}
GEGLU = {LAYER + "gate": (1,), LAYER + "up": (1,), LAYER + "down": (0,)}
BIASES = {LAYER + "b1": (0,), LAYER + "bq": (0,), LAYER + "bk": (0,), LAYER + "bv": (0,)}
MEGATRON = {
  "mlp": {"w1": (1,), "w2": (0,)},
  "mlp_train": {f"state/{part}/{name}": (dim,) for part in ("params", "momentum") for name, dim in (("w1", 1), ("w2", 0))},
  "gpt": params({**ATTENTION, **MLP, **BIASES}),
  "gemma_2b": params({LAYER + "wq": (1,), LAYER + "wo": (0,), **GEGLU}),
  "gemma_7b": params({**ATTENTION, **GEGLU}),
  "vit": params({**ATTENTION, **MLP, **BIASES}),
  "moe": params({**ATTENTION, LAYER + "w1": (2,), LAYER + "w2": (1,)}),
  "decoder": {f"params/{LAYER}{name}": (dim,) for name, dim in (("wq", 1), ("wo", 0), ("w1", 1), ("w2", 0))},
}


@pytest.mark.parametrize("model", BATCH)
def test_data_parallelism_takes_the_batch(model, shardwright):
  assert taken(apply(shardwright, DATA / f"{model}.mlir", "dp(data)"), "data") == BATCH[model]


@pytest.mark.parametrize("model", MEGATRON)
def test_megatron_takes_heads_and_ff(model, shardwright):
  assert taken(apply(shardwright, DATA / f"{model}.mlir", "megatron(model)"), "model") == MEGATRON[model]


def test_megatron_takes_inner_channels_and_heads_of_a_u_net(shardwright):
  dims = taken(apply(shardwright, DATA / "unet.mlir", "megatron(model)"), "model", "state/params/")
  for name, dim in (("wq", 1), ("wk", 1), ("wv", 1), ("wo", 0)):
    assert dims[f"down/*/units/*/attention/{name}"] == (dim,)
  assert dims["down/*/units/*/residual/conv1/w"] == (3,), "output channels of the first convolution"
  assert dims["down/*/units/*/residual/conv2/w"] == (2,), "input channels of the second"


@pytest.mark.parametrize("model", ["mamba", "mamba_scan"])
def test_megatron_takes_the_inner_channels_of_mamba(model, shardwright):
  dims = taken(apply(shardwright, DATA / f"{model}.mlir", "megatron(model)"), "model", "state/params/")
  shift = 1 if model == "mamba_scan" else 0
  prefix = "layers/" if model == "mamba_scan" else LAYER
  assert {dims[f"{prefix}{name}"] for name in ("in", "gate", "step_up")} == {(1 + shift,)}
  assert {dims[f"{prefix}{name}"] for name in ("out", "step_down", "read", "write")} == {(shift,)}


@pytest.mark.parametrize("model, expected", [
  ("gpt", params({"embedding": (0,)})), ("gemma_7b", params({"embedding": (0,)})), ("moe", params({"embedding": (0,)})),
  ("lstm", params({"embedding": (0,), "output": (1,)})), ("mamba", params({"embedding": (0,)})),
  ("decoder", {"params/embedding": (0,)}),
])  # fmt: skip
def test_vocabulary(model, expected, shardwright):
  assert taken(apply(shardwright, DATA / f"{model}.mlir", "vocab(model)"), "model") == expected


@pytest.mark.parametrize("model", ["moe", "moe_gather"])
def test_experts(model, shardwright):
  report = apply(shardwright, DATA / f"{model}.mlir", "expert(model)")
  assert taken(report, "model") == params({LAYER + "w1": (0,), LAYER + "w2": (0,)})


@pytest.mark.parametrize("model, expected", [
  ("attention", {"x": (0,)}), ("transformer", {"batch/x": (1,), "batch/target": (1,)}),
  ("gemma_2b", {"batch/tokens": (1,), "batch/targets": (1,)}), ("moe", {"batch/tokens": (1,), "batch/targets": (1,)}),
  ("decoder_prefill", {"prompt": (1,)}),
])  # fmt: skip
def test_sequence(model, expected, shardwright):
  assert taken(apply(shardwright, DATA / f"{model}.mlir", "sequence(model)"), "model") == expected


def plan_of(shardwright, tmp_path, module, *tactics):
  words = [word for tactic in tactics for word in ("--tactic", tactic)]
  shardwright.ok("apply", module, "--mesh", MESH, *words, "-o", tmp_path / "plan.json")
  return json.loads((tmp_path / "plan.json").read_text())


def resolved(plan):
  return [entry["id"] for resolution in plan["resolutions"] for entry in resolution["sets"]]


@pytest.mark.parametrize("model", ["attention", "transformer", "gpt", "gemma_2b"])
def test_sides_of_attention_differ_in_every_set(model, shardwright, tmp_path):
  """Query and key side are the two ways to settle each compatibility set of the sequence."""
  module = DATA / f"{model}.mlir"
  sides = [resolved(plan_of(shardwright, tmp_path, module, f"sequence(model, {side})")) for side in ("query", "key")]
  sets = json.loads(shardwright.ok("analyze", "--json", module))["compatibility_sets"]
  assert sorted(sides[0] + sides[1]) == [s["id"] for s in sets]


def test_the_query_side_needs_no_reduction_of_the_softmax(shardwright):
  counts = [apply(shardwright, DATA / "attention.mlir", f"sequence(model, {side})")["collectives"] for side in ("query", "key")]
  assert counts[0]["all_reduce"]["count"] + counts[0]["reduce_scatter"]["count"] == 0
  assert counts[1]["all_reduce"]["count"] + counts[1]["reduce_scatter"]["count"] > 0


STATE = ["transformer", "gpt", "gemma_2b", "gemma_2b_scan", "gemma_7b", "moe", "unet", "gns", "resnet50", "vit", "mamba", "lstm"]


@pytest.mark.parametrize("model", STATE)
def test_zero3_splits_all_state_that_it_can(model, shardwright):
  """What stays whole has no dim that the axis divides."""
  report = apply(shardwright, DATA / f"{model}.mlir", "zero3(data)")
  for argument in report["arguments"]:
    kept = normal(argument["path"]).split("/")
    if kept[0] == "state" and kept[1] in ("params", "m", "v", "momentum") and any(d % 2 == 0 for d in argument["shape"]):
      assert "data" in argument["spec"], argument


@pytest.mark.parametrize("model", STATE)
def test_zero2_keeps_parameters_whole(model, shardwright):
  report = apply(shardwright, DATA / f"{model}.mlir", "zero2(data)")
  whole = [a["spec"] == "replicated" for a in report["arguments"] if normal(a["path"]).startswith("state/params")]
  assert whole and all(whole)
  moments = [a for a in report["arguments"] if re.match(r"state/(m|v|momentum)/", normal(a["path"]))]
  assert sum("data" in a["spec"] for a in moments) > len(moments) / 2


def test_zero2_keeps_what_megatron_splits(shardwright):
  report = apply(shardwright, DATA / "gpt.mlir", "zero2(data)", "megatron(model)")
  assert taken(report, "data", "state/params/") == {}
  assert taken(report, "model", "state/params/") == {**ATTENTION, **MLP, **BIASES}


def test_graph_networks_split_edges_and_behind_them_nodes(shardwright):
  report = apply(shardwright, DATA / "gns.mlir", "dp(data)")
  edges = {"batch/edges": (0,), "batch/senders": (0,), "batch/receivers": (0,)}
  assert taken(report, "data") == {**edges, "batch/nodes": (0,), "batch/target": (0,)}
  assert "batch (batch/edges.0, batch/nodes.0" in report["tactics"][0]["took"]
  report = apply(shardwright, DATA / "gns.mlir", "dp(data, batch/edges:0)")
  assert taken(report, "data") == edges


@pytest.mark.parametrize("model, tactic, words", [
  ("vit", "sequence(model)", ["positions", "dim 0", "17", "`model`", "4"]),
  ("lstm", "sequence(model)", ["batch['tokens']", "dim 1", "17", "`model`", "4"]),
  ("residual", "megatron(model)", ["no weights stand in column-then-row pairs"]),
  ("transformer", "vocab(model)", ["no weight is looked up"]),
  ("gpt", "expert(model)", ["name the dim"]),
  ("mlp", "sequence(model)", ["no dim meets itself"]),
])  # fmt: skip
def test_what_is_not_there_is_said(model, tactic, words, shardwright):
  text = refuse(shardwright, DATA / f"{model}.mlir", tactic)
  for word in [f"tactic `{tactic}`", *words]:
    assert word in text


def test_what_the_axis_does_not_divide_is_left_and_said(shardwright):
  """8 heads on an axis of 16: ff alone."""
  report = apply(shardwright, DATA / "gpt.mlir", "megatron(model)", mesh="model=16")
  assert taken(report, "model", "state/params/") == {**MLP, LAYER + "b1": (0,)}
  assert any("does not divide" in note for note in report["notes"])


def test_heads_that_another_axis_has_are_not_made_up_for(shardwright):
  """16 heads on 8 times 4 devices: ff alone, and not the size of a value's head."""
  report = apply(
    shardwright, DATA / "transformer.mlir", "shard(*wq:1, data)", "megatron(model)", mesh="data=8,model=4"
  )
  assert taken(report, "model", "state/params/") == MLP
  assert any("put it before `shard(*wq:1, data)`" in note for note in report["notes"])


@pytest.mark.parametrize("model", ["transformer", "gpt", "gemma_2b", "moe", "vit", "decoder"])
@pytest.mark.parametrize("aliases", [True, False], ids=["donated", "bare"])
def test_names_do_not_matter(model, aliases, shardwright, tmp_path):
  """Without names (and without donation) every strategy takes the same dims of the same arguments."""
  text = models.get(model).export(models.get(model).small(), locations=False)
  if not aliases:
    text = re.sub(r"tf\.aliasing_output = \d+ : i32(, )?", "", text)
  (tmp_path / "bare.mlir").write_text(text)
  for tactics in (["dp(data)"], ["megatron(model)"], ["vocab(model)"], ["dp(data)", "megatron(model)"], ["zero3(data)"], ["zero2(data)"]):
    if model == "transformer" and "vocab(model)" in tactics:
      continue
    named = apply(shardwright, DATA / f"{model}.mlir", *tactics)
    bare = apply(shardwright, tmp_path / "bare.mlir", *tactics)
    assert [a["spec"] for a in bare["arguments"]] == [a["spec"] for a in named["arguments"]], tactics


@pytest.mark.parametrize("model", ["mlp_train", "gpt", "gemma_2b_scan", "moe", "vit", "mamba"])
@pytest.mark.parametrize("locations", [True, False], ids=["named", "bare"])
def test_gradients_alone_take_what_the_step_does(model, locations, shardwright, tmp_path, monkeypatch):
  """`jax.value_and_grad(loss)` of a model, the optimizer elsewhere: parameters and batch are those of the training step."""
  monkeypatch.setattr(models.optim, "training_step", lambda loss, update: jax.value_and_grad(loss))
  name = model.removesuffix("_scan")
  function, (state, *batch), _ = models.get(name).step(models.get(name).small_variants()[model])
  path = tmp_path / "gradients.mlir"
  path.write_text(lowering.stablehlo_text(lambda params, batch: function(params, batch), (state["params"], *batch), locations=locations))
  for tactic in ("dp(data)", "megatron(model)", "zero3(data)", "zero2(data)", "sequence(model)"):
    if (model, tactic) in {("mlp_train", "sequence(model)"), ("vit", "sequence(model)"), ("mamba", "sequence(model)")}:
      continue
    step = apply(shardwright, DATA / f"{model}.mlir", tactic)
    kept = [a["spec"] for a in step["arguments"] if re.match(r"state/params/|batch", normal(a["path"]))]
    assert [a["spec"] for a in apply(shardwright, path, tactic)["arguments"]] == kept, tactic


@pytest.mark.parametrize("model, changes", [("gpt", {}), ("gemma_2b", {}), ("moe", {"layers": 2}), ("transformer", {})])
def test_full_size_takes_what_the_small_one_does(model, changes, shardwright, tmp_path):
  import dataclasses

  config = dataclasses.replace(models.get(model).config, **changes)
  (tmp_path / "full.mlir").write_text(models.get(model).export(config))
  for tactics in (["dp(data)"], ["megatron(model)"], ["zero3(data)"], ["sequence(model)"]):
    small = apply(shardwright, DATA / f"{model}.mlir", *tactics)
    full = apply(shardwright, tmp_path / "full.mlir", *tactics)
    assert [taken(full, axis) for axis in ("data", "model")] == [taken(small, axis) for axis in ("data", "model")]
