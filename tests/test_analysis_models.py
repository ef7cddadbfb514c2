"""The dimension analysis on whole models: an expert's list of decisions is there, whatever the number of layers."""

import pathlib
import math
import collections
import dataclasses
import functools
import json
import re

import models
import pytest


@functools.lru_cache(maxsize=None)
def export(name, /, *, locations=True, **fields):
  model = models.get(name)
  return model.export(dataclasses.replace(model.config, **fields), locations=locations)


class Report:
  """What `analyze --json` says, with the questions that tests ask of it."""

  def __init__(self, text):
    keys = json.loads(text)
    self.colors, self.classes = keys["colors"], keys["classes"]
    self.conflicts, self.sets = keys["conflicts"], keys["compatibility_sets"]
    self.odd_cycles, self.unsupported = keys["odd_cycles"], keys["unsupported"]
    self.by_dim = {(a["path"], a["dim"]): c for c in self.colors for a in c["arguments"]}

  def color(self, path, dim):
    """Of dim `dim` of the argument at `path`, as in ("batch/images", 0)."""
    return self.by_dim[jax_path(path), dim]

  def same(self, *dims):
    """Whether all of these ("batch/images", 0) have one colour."""
    return len({self.color(path, dim)["id"] for path, dim in dims}) == 1

  def class_of(self, color):
    return self.classes[color["class"]]

  def arguments(self, color):
    return {(a["path"], a["dim"]) for a in color["arguments"]}

  def resolutions(self):
    return [r for c in self.classes for r in c["resolutions"]]

  def large(self, share=0.01):
    """Classes that touch more than this share of all bytes."""
    return [c for c in self.classes if c["share_of_bytes"] > share]

  def inner(self, size):
    """Colours of that size which no argument shows."""
    return [c for c in self.colors if c["size"] == size and not c["arguments"]]


def jax_path(path):
  """`state/layers/3/wq` as JAX writes it: `state['layers'][3]['wq']`."""
  first, *rest = path.split("/")
  return first + "".join(f"[{p}]" if p.isdigit() else f"['{p}']" for p in rest)


@pytest.fixture(scope="session")
def analyze(shardwright):
  @functools.lru_cache(maxsize=None)
  def of(name, /, **fields):
    return Report(shardwright.ok("analyze", "--json", "-", stdin=export(name, **fields)))

  return of


# The closed forms.


def test_mlp_has_four_colors_and_no_conflict(analyze):
  report = analyze("mlp")
  assert sorted(c["size"] for c in report.colors) == [16, 32, 64, 256]
  assert report.conflicts == []
  assert report.sets == []
  assert report.same(("w1", 1), ("w2", 0)), "the hidden dim"


def test_one_head_attention_has_one_choice(analyze):
  report = analyze("attention")
  assert sorted(c["size"] for c in report.colors) == [16, 32, 64, 128]
  sequence = report.color("x", 0)
  assert len(report.conflicts) > 0
  assert {c["color"] for c in report.conflicts} == {sequence["id"]}
  assert len(report.sets) == 1
  assert report.odd_cycles == 0


def test_residual_has_one_conflict(analyze):
  report = analyze("residual")
  assert sorted(c["size"] for c in report.colors) == [32, 64]
  assert report.same(("x", 1), ("w", 0), ("w", 1))
  assert [c["color"] for c in report.conflicts] == [report.color("w", 0)["id"]]
  assert len(report.sets) == 1


@pytest.mark.parametrize("layers", [1, 2, 4, 24])
def test_transformer_has_seven_classes_whatever_its_depth(layers, analyze):
  report = analyze("transformer", layers=layers)
  batch, sequence, width = (report.color("batch/x", dim) for dim in range(3))
  assert len(report.colors) == 3 + 4 * layers
  assert len(report.classes) == 7
  assert len({batch["id"], sequence["id"], width["id"]}) == 3
  assert {c["color"] for c in report.conflicts} == {sequence["id"]}
  assert len(report.sets) == layers
  assert len(report.resolutions()) == 1, "one class of sets: the layers are settled alike"
  assert sorted(report.resolutions()[0]["compatibility_sets"]) == list(range(layers))
  assert report.odd_cycles == 0
  # Four classes with one colour a layer: heads, feed-forward, head size of queries and keys, head size of values.
  assert sorted(len(c["colors"]) for c in report.classes) == sorted([1, 1, 1] + [layers] * 4)
  for last in (0, layers - 1):
    prefix = f"state/params/layers/{last}/"
    assert report.same((prefix + "wq", 1), (prefix + "wk", 1), (prefix + "wv", 1), (prefix + "wo", 0)), "heads"
    assert report.same((prefix + "w1", 1), (prefix + "w2", 0)), "feed-forward"
    assert report.same((prefix + "wq", 2), (prefix + "wk", 2)), "head size of queries and keys"
    assert report.same((prefix + "wv", 2), (prefix + "wo", 1)), "head size of values"


# Gemma at full width.

GEMMAS = ["gemma_2b", "gemma_7b"]


@pytest.mark.parametrize("name", GEMMAS)
def test_gemma_has_as_many_classes_whatever_its_depth(name, analyze):
  full = models.get(name).config.layers
  reports = [analyze(name, layers=layers) for layers in (2, 3, 6, full)]
  assert len({len(r.classes) for r in reports}) == 1, [len(r.classes) for r in reports]
  for report in reports:
    assert 5 <= len(report.large()) <= 12
    assert len(report.resolutions()) == 1
    assert report.unsupported == []


def test_gemma_7b_heads_are_one_color_a_layer(analyze):
  report = analyze("gemma_7b", layers=3)
  prefix = "state/params/layers/1/"
  heads = report.color(prefix + "wq", 1)
  assert report.same((prefix + "wq", 1), (prefix + "wk", 1), (prefix + "wv", 1), (prefix + "wo", 0))
  assert len(report.class_of(heads)["colors"]) == 3
  assert report.same((prefix + "gate", 1), (prefix + "up", 1), (prefix + "down", 0))
  assert report.same((prefix + "wq", 0), (prefix + "down", 1), ("state/params/embedding", 1), ("state/m/embedding", 1))
  assert report.same(("batch/tokens", 0), ("batch/targets", 0))
  assert report.same(("batch/tokens", 1), ("batch/targets", 1))
  assert {c["color"] for c in report.conflicts} == {report.color("batch/tokens", 1)["id"]}


def test_gemma_2b_heads_are_in_the_queries_alone(analyze):
  report = analyze("gemma_2b", layers=3)
  prefix = "state/params/layers/1/"
  heads = report.color(prefix + "wq", 1)
  assert report.same((prefix + "wq", 1), (prefix + "wo", 0))
  assert not any("'wk'" in path or "'wv'" in path for path, _ in report.arguments(heads))
  assert (jax_path(prefix + "wk"), 1) not in report.by_dim, "a dim of size 1 has no colour"


def described(report, stacked):
  """The classes without names and numbers: sizes, and argument dims with layer numbers left out.

  Dims of stacked arguments count from -1, the layer dim, so that the others are numbered as in one layer.
  """
  classes = collections.Counter()
  for cls in report.classes:
    colors = [report.colors[c] for c in cls["colors"]]
    dims = set()
    for path, dim in set.union(*map(report.arguments, colors)):
      shift = 1 if stacked and "['layers']" in path else 0
      dims.add((re.sub(r"\[\d+\]", "", path), dim - shift))
    classes[frozenset(c["size"] for c in colors), cls["divisor"], frozenset(dims)] += 1
  return classes


@pytest.mark.parametrize("layers", [3, 5])
@pytest.mark.parametrize("name", GEMMAS)
def test_scanned_gemma_has_the_classes_of_the_unrolled_one(name, layers, analyze):
  unrolled = described(analyze(name, layers=layers), stacked=False)
  scanned = described(analyze(name, layers=layers, scan=True), stacked=True)
  assert unrolled - scanned == collections.Counter()
  extra = scanned - unrolled
  assert len(extra) > 0
  for sizes, divisor, dims in extra:
    assert sizes == {layers} and divisor == layers, "only the stacked layer dim is new"
    assert {dim for _, dim in dims} <= {-1}
  assert not any(layers in sizes for sizes, _, _ in unrolled)


# Convolutions.


def rule_of(op_line):
  """The op's rule and its classes from a line of `analyze --ops`."""
  rule, classes = re.fullmatch(r"\S+ at .*?  (.*?)  \[(.*)\]", op_line).groups()
  return rule, classes.split(", ")


def test_resnet50_batch_and_channels(analyze):
  report = analyze("resnet50")
  images = [report.color("batch/images", dim) for dim in range(4)]
  assert report.arguments(images[0]) == {(jax_path("batch/images"), 0), (jax_path("batch/labels"), 0)}
  assert report.class_of(images[0])["share_of_bytes"] > 0.99, "the batch is everywhere"
  assert len({c["id"] for c in images}) == 4
  for dim in (1, 2):
    assert len(images[dim]["arguments"]) == 1
    assert report.class_of(images[dim])["share_of_bytes"] < 0.01, "windows overlap: rows and columns end at the stem"
  assert report.conflicts == []
  assert report.unsupported == []


def test_resnet50_channels_alternate(analyze):
  report = analyze("resnet50")
  for stage, blocks in enumerate(models.get("resnet50").config.blocks):
    for number in range(blocks):
      prefix = f"state/params/stages/{stage}/{number}/"
      assert report.same((prefix + "conv1", 3), (prefix + "norm1/scale", 0), (prefix + "conv2", 2))
      assert report.same((prefix + "conv2", 3), (prefix + "norm2/bias", 0), (prefix + "conv3", 2))
      assert report.same((prefix + "conv3", 3), (f"state/params/stages/{stage}/0/projection", 3)), "the residual"
      for conv in ("conv1", "conv2", "conv3"):
        inputs, outputs = report.color(prefix + conv, 2), report.color(prefix + conv, 3)
        assert inputs["id"] != outputs["id"]
        assert inputs["class"] != outputs["class"], "one axis cannot go to both"
  last = report.color("state/params/head", 0)
  assert report.same(("state/params/head", 0), ("state/params/stages/3/2/conv3", 3))
  assert report.class_of(last) in report.large()


def test_resnet50_rows_and_columns_are_whole_in_large_windows(shardwright):
  lines = shardwright.ok("analyze", "--ops", "-", stdin=export("resnet50")).splitlines()
  convolutions = [rule_of(line) for line in lines if line.startswith("convolution at")]
  windowed = [pair for pair in convolutions if "permutation={" in pair[0]]
  assert len(windowed) > 17, "the 3x3 convolutions and the stem, forward and backward"
  for rule, classes in windowed:
    factors = re.search(r" \{(.*?)\}", rule)[1].split(", ")
    halos = re.search(r"permutation=\{(.*?)\}", rule)[1].split(", ")
    for factor, cls in zip(factors, classes, strict=True):
      if factor.split("=")[0] in halos:
        assert cls == "-", rule


def test_unet_batch_channels_heads_and_pixels(analyze):
  report = analyze("unet")
  batch = report.color("batch/images", 0)
  assert report.arguments(batch) == {(jax_path(f"batch/{p}"), 0) for p in ("images", "noise", "times")}
  assert report.class_of(batch)["share_of_bytes"] > 0.9
  prefix = "state/params/down/1/units/1/"
  inside = report.color(prefix + "residual/conv1/w", 3)
  outside = report.color(prefix + "residual/conv1/w", 2)
  first, second = prefix + "residual/conv1/", prefix + "residual/conv2/"
  assert report.same((first + "w", 3), (first + "b", 0), (second + "w", 2))
  assert report.same((first + "w", 2), (second + "w", 3), (prefix + "attention/wq", 0))
  assert inside["class"] != outside["class"]
  assert inside["divisor"] == outside["divisor"] == 32, "the groups of the norm, not the 384 channels, can be split"
  attention = prefix + "attention/"
  assert report.same((attention + "wq", 1), (attention + "wk", 1), (attention + "wv", 1), (attention + "wo", 0))
  assert report.color(attention + "wq", 1)["size"] == 6
  # Attention over pixels: at each of the three resolutions the image meets itself.
  pixels = {report.colors[s["color"]]["size"] for s in report.sets}
  assert pixels == {32 * 32, 16 * 16, 8 * 8}
  assert len(report.resolutions()) == 3
  assert report.unsupported == []


# Graphs, experts, caches.


def test_gns_edges_and_nodes(analyze):
  report = analyze("gns", layers=6)
  edges, nodes = report.color("batch/edges", 0), report.color("batch/nodes", 0)
  assert report.arguments(edges) == {(jax_path(f"batch/{p}"), 0) for p in ("edges", "senders", "receivers")}
  assert report.arguments(nodes) == {(jax_path("batch/nodes"), 0), (jax_path("batch/target"), 0)}
  assert edges["id"] != nodes["id"] and edges["class"] != nodes["class"]
  assert report.class_of(edges)["id"] == 0 and report.class_of(edges)["share_of_bytes"] > 0.8, "edges come first"
  assert len(report.class_of(nodes)["colors"]) == 1
  prefix = "state/params/layers/5/edge/mlp/"
  assert report.same((prefix + "0/w", 1), (prefix + "0/b", 0), (prefix + "1/w", 0))
  hidden = [report.color(f"{prefix}{number}/w", 1) for number in range(4)]
  assert len({c["id"] for c in hidden}) == 4, "the MLP's width is a decision at each of its layers"
  for left, right in zip(hidden, hidden[1:]):
    assert left["class"] != right["class"], "neighbours meet in one matmul"
  assert report.conflicts == []


def test_moe_experts_and_capacity(analyze):
  report = analyze("moe", layers=4)
  config = dataclasses.replace(models.get("moe").config, layers=4)
  prefix = "state/params/layers/3/"
  experts = report.color(prefix + "w1", 0)
  assert report.same((prefix + "w1", 0), (prefix + "w2", 0), (prefix.replace("params", "m") + "w1", 0))
  assert {dim for _, dim in report.arguments(experts)} == {0}
  assert experts["size"] == config.experts
  assert len(report.class_of(experts)["colors"]) == config.layers
  assert report.same((prefix + "w1", 2), (prefix + "w2", 1)), "the experts' feed-forward"
  assert report.same((prefix + "wq", 1), (prefix + "wk", 1), (prefix + "wv", 1), (prefix + "wo", 0)), "heads"
  capacity = report.inner(config.capacity)
  assert len(capacity) == config.layers, "one a layer, and no argument shows it"
  assert len({c["class"] for c in capacity}) == 1
  assert report.class_of(capacity[0]) in report.large()
  assert report.same(("batch/tokens", 0), ("batch/targets", 0))
  assert {c["color"] for c in report.conflicts} == {report.color("batch/tokens", 1)["id"]}


def test_decoder_batch_heads_and_cache(analyze):
  report = analyze("decoder")
  config = models.get("decoder").config
  batch = report.color("token", 0)
  caches = {(jax_path(f"cache/{layer}/{name}"), 0) for layer in range(config.layers) for name in "kv"}
  assert report.arguments(batch) == caches | {("token", 0)}
  prefix = "params/layers/3/"
  heads = report.color(prefix + "wq", 1)
  assert report.arguments(heads) == {(jax_path(prefix + "wq"), 1), (jax_path(prefix + "wo"), 0)}, "one key-value head"
  assert len(report.class_of(heads)["colors"]) == config.layers
  assert report.same((prefix + "w1", 1), (prefix + "w2", 0)), "feed-forward"
  for name in "kv":
    length = report.color(f"cache/3/{name}", 1)
    assert report.arguments(length) == {(jax_path(f"cache/3/{name}"), 1)}, "rows are written at a moving position"
    assert length["id"] != batch["id"]
  attended = report.inner(config.cache)
  assert len(attended) == config.layers, "attention over the cache's rows, between the write and the output"
  assert report.class_of(attended[0])["share_of_bytes"] > 0.5


# Patches, states, recurrences.


def test_vit_batch_sequence_heads_and_ff(analyze):
  report = analyze("vit", layers=6)
  config = dataclasses.replace(models.get("vit").config, layers=6)
  batch = report.color("batch/images", 0)
  assert report.arguments(batch) == {(jax_path("batch/images"), 0), (jax_path("batch/labels"), 0)}
  sequence = report.color("state/params/positions", 0)
  assert sequence["size"] == config.sequence == 197
  assert report.arguments(sequence) == {(jax_path(f"state/{p}/positions"), 0) for p in ("params", "m", "v")}
  assert {c["color"] for c in report.conflicts} == {sequence["id"]}
  assert len(report.sets) == config.layers and len(report.resolutions()) == 1
  rows = report.color("batch/images", 1)
  assert rows["divisor"] == config.image // config.patch, "rows of patches: 14, not 224"
  prefix = "state/params/layers/3/"
  heads = [(prefix + "wq", 1), (prefix + "bq", 0), (prefix + "wk", 1), (prefix + "wv", 1), (prefix + "wo", 0)]
  assert report.same(*heads)
  assert report.same((prefix + "w1", 1), (prefix + "b1", 0), (prefix + "w2", 0))
  assert report.same((prefix + "w1", 0), (prefix + "w2", 1), ("state/params/patches", 3), ("state/params/head", 0))


def test_mamba_batch_channels_and_state(analyze):
  report = analyze("mamba", layers=4)
  prefix = "state/params/layers/2/"
  assert report.arguments(report.color("batch/tokens", 0)) == {(jax_path("batch/tokens"), 0)}
  inner = [("in", 1), ("gate", 1), ("kernel", 2), ("kernel_bias", 0), ("step_down", 0), ("step_up", 1)]
  inner += [("step_bias", 0), ("write", 0), ("read", 0), ("log_decay", 0), ("skip", 0), ("out", 0)]
  assert report.same(*[(prefix + name, dim) for name, dim in inner]), "the recurrence runs in each channel alone"
  assert report.same(*[(prefix + name, 1) for name in ("write", "read", "log_decay")]), "the state"
  channels = report.class_of(report.color(prefix + "in", 1))
  assert len(channels["colors"]) == 4
  assert channels["share_of_bytes"] > 0.9
  assert report.color(prefix + "in", 0)["id"] == report.color("state/params/embedding", 1)["id"], "the model's width"
  assert report.color("state/params/embedding", 0)["size"] == models.get("mamba").config.vocabulary
  assert report.conflicts == []


def test_lstm_batch_and_hidden(analyze):
  report = analyze("lstm")
  config = models.get("lstm").config
  batch = report.color("batch/tokens", 0)
  assert report.arguments(batch) == {(jax_path("batch/tokens"), 0)}
  assert report.class_of(batch)["id"] == 0
  hidden = []
  for layer in range(config.layers):
    prefix = f"state/params/layers/{layer}/"
    assert report.same((prefix + "wh", 0), (prefix + "wh", 2), (prefix + "wx", 2), (prefix + "b", 1)), "fed back"
    hidden.append(report.color(prefix + "wh", 2))
    if layer > 0:
      assert report.color(prefix + "wx", 0)["id"] == hidden[-2]["id"], "what the layer below gives"
      assert hidden[-1]["class"] != hidden[-2]["class"], "neighbours meet in one matmul"
  assert report.same(("state/params/output", 0), (f"state/params/layers/{config.layers - 1}/wh", 0))
  # What is fed back meets itself in wh: sum over the hidden dim, or split its result.
  assert {s["color"] for s in report.sets} == {c["id"] for c in hidden}
  assert len(report.sets) == config.layers


# Odd programs.

ODD = {
  "nothing": "func.func @main() { return }",
  "no_arguments": """func.func @main() -> tensor<4xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}""",
  "scalars": """func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %y : tensor<f32>
  return %0 : tensor<f32>
}""",
  "one_op": """func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.tanh %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}""",
  "ones": """func.func @main(%x: tensor<1x1xf32>, %w: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}""",
  "everything_alike": """func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}""",
}
ODD_SIZES = {"nothing": [], "no_arguments": [4], "scalars": [], "one_op": [4, 8], "ones": [], "everything_alike": [8]}


@pytest.mark.parametrize("name", ODD)
def test_odd_programs(name, shardwright):
  text = shardwright.ok("analyze", "-", stdin=ODD[name])
  report = Report(shardwright.ok("analyze", "--json", "-", stdin=ODD[name]))
  sizes = ODD_SIZES[name]
  assert sorted(c["size"] for c in report.colors) == sizes
  assert len(report.classes) == len(sizes), "nothing is a copy of anything"
  assert text.startswith(f"{len(sizes)} colour" if sizes else "nothing to shard")
  assert ("each settled by one choice" in text) == (report.conflicts != []) == (name == "everything_alike")
  assert all(0 < c["share_of_bytes"] <= 1 for c in report.classes)


def test_a_color_that_covers_everything(shardwright):
  report = Report(shardwright.ok("analyze", "--json", "-", stdin=ODD["everything_alike"]))
  (color,) = report.colors
  assert [a["dim"] for a in color["arguments"]] == [0, 1]
  assert color["dims"] == 8, "two of each of four values"
  assert report.classes[0]["share_of_bytes"] == 1
  assert len({c["op"] for c in report.conflicts}) == 3, "matmul, transpose and add"


# Stability.


@pytest.mark.parametrize("name", ["attention", "resnet50", "lstm"])
def test_two_runs_give_equal_bytes(name, shardwright, tmp_path):
  path = tmp_path / "model.mlir"
  path.write_text(export(name))
  first, second = (shardwright.ok("analyze", "--json", "--ops", path) for _ in range(2))
  assert first == second


def test_ids_are_positions(analyze):
  report = analyze("moe", layers=4)
  for items in (report.colors, report.sets, report.classes):
    assert [item["id"] for item in items] == list(range(len(items)))
  shares = [c["share_of_bytes"] for c in report.classes]
  assert shares == sorted(shares, reverse=True)
  for cls in report.classes:
    assert all(report.colors[c]["class"] == cls["id"] for c in cls["colors"])
  for number, entry in enumerate(report.sets):
    members = [c["id"] for c in report.conflicts if c["compatibility_set"] == number]
    assert entry["conflicts"] == members


@pytest.mark.parametrize("name", ["attention", "transformer", "resnet50", "lstm"])
def test_locations_do_not_matter(name, analyze):
  named, bare = analyze(name), analyze(name, locations=False)
  measures = ("size", "divisor", "dims", "factors", "bytes", "flops")
  assert [[c[m] for m in measures] for c in named.colors] == [[c[m] for m in measures] for c in bare.colors]
  assert [c["factors"] for c in named.conflicts] == [c["factors"] for c in bare.conflicts]
  assert [s["conflicts"] for s in named.sets] == [s["conflicts"] for s in bare.sets]


def test_sizes_say_where_an_axis_divides(shardwright):
  """The spatial dims of a ResNet shrink from stage to stage, so one colour has several sizes."""
  path = pathlib.Path(__file__).resolve().parent / "data" / "models" / "resnet50.mlir"
  colors = json.loads(shardwright.ok("analyze", "--json", path))["colors"]
  for color in colors:
    sizes = [entry["size"] for entry in color["sizes"]]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == color["size"]
    assert math.gcd(*sizes) == color["divisor"]
    assert sum(entry["factors"] for entry in color["sizes"]) <= color["factors"]
  assert any(len(color["sizes"]) > 1 for color in colors)
  assert "not one size everywhere" in shardwright.ok("analyze", path)
