"""Which programs the estimates are held against: models at medium size, what experts do with them, meshes.

Medium models have widths, batches and sequences as people run them and few layers: layers are alike, and compiling is what takes the
time.
"""

import dataclasses

import models
from tests.spmd import strategies

from . import unseen

MESHES = ("8", "2x4")


@dataclasses.dataclass(frozen=True)
class Config:
  model: str  # As strategies.py knows it.
  export: str  # As models.get knows it.
  fields: tuple  # (name, value) of those that differ from the model's own.
  dtype: str = ""  # "" where the model has no choice: float32.

  @property
  def name(self):
    return f"{self.model}.{self.dtype or 'float32'}"

  def tactics(self, strategy, mesh):
    """None where the strategy is nothing for the model or the mesh."""
    return strategies.tactics(self.model, strategy, mesh)

  def text(self, platform):
    """The step as StableHLO."""
    model = models.get(self.export)
    dtype = {"dtype": self.dtype} if self.dtype else {}
    return model.export(dataclasses.replace(model.config, **dict(self.fields), **dtype), platform=platform)


@dataclasses.dataclass(frozen=True)
class Unseen:
  """A program that no rule was fitted to, split as one does without looking at it."""

  model: str
  size: int
  dtype: str = ""
  STRATEGIES = {
    "data parallel": strategies.DATA, "zero3": strategies.named("zero3"), "megatron": strategies.MEGATRON,
    "data parallel + megatron": strategies.split(strategies.DATA, strategies.MEGATRON),
  }  # fmt: skip

  @property
  def name(self):
    return f"{self.model}.{self.size}"

  def tactics(self, strategy, mesh):
    make = self.STRATEGIES.get(strategy)
    alike = strategy in ("data parallel", "zero3", "megatron")
    return make(self.model, [name for name, _ in mesh]) if make and (len(mesh) == 1) == alike else None

  def text(self, platform):
    return unseen.text(self.model, self.size, platform)


def typed(model, export, **fields):
  return [Config(model, export, tuple(fields.items()), dtype) for dtype in ("bfloat16", "float32")]


def single(model, export="", **fields):
  return [Config(model, export or model, tuple(fields.items()))]


MEDIUM = [
  *typed("gpt", "gpt", layers=2, batch=64, sequence=512),
  *typed("gemma_2b", "gemma_2b", layers=2, batch=16, sequence=2048, vocabulary=64000),
  *typed("moe", "moe", layers=2, batch=32, sequence=512),
  *single("transformer", layers=2, batch=32, sequence=1024),
  *typed("vit", "vit", layers=2, batch=256),
  *single("gns", layers=2, nodes=2048, edges=65536),
  *typed("mamba", "mamba", layers=2, batch=16, sequence=1024),
  *single("lstm", layers=2, batch=256, sequence=64),
  *single("unet", batch=64, channels=128, blocks=1),
  *single("resnet50", batch=256),
  *typed("gemma_7b", "gemma_7b", layers=2, batch=16, sequence=1024, vocabulary=64000),
  *typed("decoder", "decoder", layers=2, batch=64, generate=16),
  *typed("gemma_2b_scan", "gemma_2b", layers=4, batch=16, sequence=1024, vocabulary=64000, scan=True, remat=True),
  *typed("gemma_2b_remat", "gemma_2b", layers=2, batch=16, sequence=1024, vocabulary=64000, remat=True),
  *typed("moe_gather", "moe", layers=2, batch=32, sequence=512, dispatch="gather"),
  *typed("decoder_prefill", "decoder", layers=2, batch=16, prefill=True),
  *typed("mamba_scan", "mamba", layers=4, batch=16, sequence=1024, scan=True),
  *single("unet_noise", "unet", batch=64, channels=128, blocks=1, draw_noise=True),
]  # fmt: skip


def small():
  """The small variants, in float32 and, where there is a choice, in bfloat16."""
  configs = []
  for model in map(models.get, models.names()):
    dtypes = ("float32", "bfloat16") if hasattr(model.config, "dtype") else ("",)
    for name, config in model.small_variants().items():
      fields = tuple((field, value) for field, value in vars(config).items() if field != "dtype")
      configs += [Config(name, model.name, fields, dtype) for dtype in dtypes]
  return configs


def never_fitted(size):
  return [Unseen(name, size) for name in unseen.PROGRAMS]


def cells_of(config):
  """(strategy, mesh) of one configuration; strategies in turn before meshes."""
  return [
    (strategy, mesh)
    for mesh in MESHES
    for strategy in strategies.STRATEGIES
    if config.tactics(strategy, strategies.MESHES[mesh])
  ]


def in_turn(lists):
  """The first of each list, then the second of each, …: whoever stops early has seen something of everything."""
  longest = max(map(len, lists))
  return [one[n] for n in range(longest) for one in lists if n < len(one)]


def every_cell(configs):
  return in_turn([[(config, *cell) for cell in cells_of(config)] for config in configs])


def tpu_cells(configs):
  """Few: compiling for TPUs takes a minute or two. One element type of each model."""
  few = ("data parallel", "zero3", "megatron", "zero3 + megatron")
  wanted = [config for config in configs if config.dtype in ("", "bfloat16")]
  return [cell for cell in every_cell(wanted) if cell[1] in few]
