"""What experts do with each model, as tactics of the command.

    tactics("gpt", "data parallel + megatron", MESHES["2x4"])   ["dp(data)", "megatron(model)"]

None where a strategy is nothing for a model or for a mesh (one axis cannot carry two things).
"""

MESHES = {
  "8": [("all", 8)],
  "2x4": [("data", 2), ("model", 4)],
  "2x2x2": [("data", 2), ("model", 2), ("extra", 2)],
}

GEMMA = ("gemma_2b", "gemma_2b_scan", "gemma_2b_remat", "gemma_7b")
EXPERTS = ("moe", "moe_gather")
DECODERS = ("decoder", "decoder_prefill")
LANGUAGE = ("gpt", *GEMMA, *EXPERTS)
SEQUENCES = ("transformer", *LANGUAGE)
TRANSFORMERS = (*SEQUENCES, "vit")  # The last with 17 tokens, which no axis divides.
CONVOLUTIONS = ("unet", "unet_noise", "resnet50")
RECURRENT = ("mamba", "mamba_scan", "lstm")
SIMPLE = ("mlp", "attention", "residual")
TRAINING = ("mlp_train", *TRANSFORMERS, *CONVOLUTIONS, "gns", *RECURRENT)
ALL = (*SIMPLE, *TRAINING, *DECODERS)

# Where the batch is not the leading dim of every input that is no parameter.
BATCH = {
  "mlp": "x:0", "attention": "x:0", "residual": "x:0", "gns": "batch/edges:0", "decoder": "token:0",
  "decoder_prefill": "prompt:0",
}  # fmt: skip
INNER = {"mamba": "state/params/layers/*/in:1", "mamba_scan": "state/params/layers/in:2"}
HEADS = {name: "params/layers/*/wq:1" for name in DECODERS}
# Output channels of every other convolution, so that the next one sums over them.
CHANNELS = {
  "unet": ["*conv1/w:3"],
  "unet_noise": ["*conv1/w:3"],
  "resnet50": ["state/params/stages/*/conv1:3", "state/params/stages/*/conv2:3"],
}


def batch(model, axis):
  return f"dp({axis}, {BATCH[model]})" if model in BATCH else f"dp({axis})"


def on_all(tactic):
  """A strategy that takes every axis of the mesh for one thing."""
  return lambda model, axes: [tactic(model, axis) for axis in axes]


def named(*names):
  """The same with tactics that need no pattern, all of them on each axis."""
  return lambda model, axes: [f"{name}({axis})" for name in names for axis in axes]


def split(first, rest):
  """The first axis for one thing and the others for another; nothing for a mesh of one axis."""

  def tactics(model, axes):
    return first(model, axes[:1]) + rest(model, axes[1:]) if len(axes) > 1 else None

  return tactics


def shard(*patterns):
  return lambda model, axes: [f"shard({pattern}, {axis})" for pattern in patterns for axis in axes]


def channels(model, axes):
  return [f"shard({pattern}, {axis})" for pattern in CHANNELS[model] for axis in axes]


def sequence(side):
  return lambda model, axes: [f"sequence({axis}, {side})" for axis in axes]


def multi_query(model, axes):
  """Heads and ff, and batch behind them; around the cache, which has no heads, batch wins."""
  turns = [f"turn(cache/*/k:0, {HEADS[model]}, {axis})" for axis in axes]
  return named("megatron")(model, axes) + on_all(batch)(model, axes) + turns


DATA = on_all(batch)
MEGATRON = named("megatron")
MEGATRON_MODELS = (*TRANSFORMERS, *DECODERS, "mlp", "mlp_train")

# Name -> (models, tactics of model and axis names).
STRATEGIES = {
  "data parallel": (ALL, DATA),
  "megatron": (MEGATRON_MODELS, MEGATRON),
  "data parallel + megatron": (MEGATRON_MODELS, split(DATA, MEGATRON)),
  "megatron + sequence": (SEQUENCES, named("megatron", "sequence")),
  "data parallel + megatron + sequence": (SEQUENCES, split(DATA, named("megatron", "sequence"))),
  "zero2": (TRAINING, named("zero2")),
  "zero3": (TRAINING, named("zero3")),
  "zero3, made again": (TRAINING, lambda model, axes: [*named("zero3")(model, axes), "remake(20)"]),
  "zero3 + megatron": (TRANSFORMERS, split(named("zero3"), MEGATRON)),
  "zero2 + megatron": (TRANSFORMERS, split(named("zero2"), MEGATRON)),
  "vocabulary": (LANGUAGE, named("vocab")),
  "data parallel + megatron + vocabulary": (LANGUAGE, split(DATA, named("megatron", "vocab"))),
  "sequence, query side": (("attention", *SEQUENCES), sequence("query")),
  "sequence, key side": (("attention", *SEQUENCES), sequence("key")),
  "data parallel + sequence": (SEQUENCES, split(DATA, sequence("query"))),
  "experts": (EXPERTS, named("expert")),
  "data parallel + experts": (EXPERTS, split(DATA, named("expert"))),
  "batch and experts on one axis": (EXPERTS, lambda model, axes: DATA(model, axes) + named("expert")(model, axes)),
  "edges": (("gns",), shard("batch/edges:0")),
  "nodes": (("gns",), shard("batch/nodes:0")),
  "edges and nodes": (("gns",), split(shard("batch/edges:0"), shard("batch/nodes:0"))),
  "edges + width": (("gns",), split(shard("batch/edges:0"), shard("state/params/layers/*/mlp/0/w:1"))),
  "multi-query": (DECODERS, multi_query),
  "channels": (CONVOLUTIONS, channels),
  "data parallel + channels": (CONVOLUTIONS, split(DATA, channels)),
  "heads of the attention": (("unet", "unet_noise"), shard("*attention/wq:1")),
  "inner channels": (tuple(INNER), lambda model, axes: shard(INNER[model])(model, axes)),
  "hidden": (("lstm",), shard("state/params/layers/*/wh:0")),
  "either dim of a square weight": (("residual",), shard("w:1")),
}


def tactics(model, strategy, mesh):
  known, make = STRATEGIES[strategy]
  return make(model, [name for name, _ in mesh]) if model in known else None


def cells():
  """(model, strategy, mesh name) of the whole grid, models together."""
  every = [(model, strategy, mesh) for model in ALL for strategy in STRATEGIES for mesh in MESHES]
  return [cell for cell in every if tactics(*cell[:2], MESHES[cell[2]])]
