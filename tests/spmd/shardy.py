"""Shardy's own passes through jaxlib: where it reshards for the shardings of a module, and what that moves.

    collectives_of(annotated)   [Collective], in the terms of collectives.py

`sdy-convert-global-to-local` is left alone: it ends the process on some inputs.
"""

import functools
import math
import re

from jaxlib.mlir import passmanager

from . import xla
from .collectives import Collective
from .mlir_walk import tensor_bytes, weighted_ops

RESHARD = "sdy-insert-explicit-reshards{enable-full-version=true}"
COLLECTIVES = ("sdy-reshard-to-collectives", "sdy-optimize-collectives")
# What XLA runs first, and the step of it that fills in shardings.
PIPELINE = "sdy-propagation-pipeline"
PROPAGATE = "sdy-aggressive-propagate"

KINDS = {
  "sdy.all_reduce": "all_reduce", "sdy.all_gather": "all_gather", "sdy.reduce_scatter": "reduce_scatter",
  "sdy.all_to_all": "all_to_all", "sdy.collective_permute": "collective_permute",
}  # fmt: skip
FREE = ("sdy.all_slice", "sdy.constant", "sdy.return", "sdy.mesh", "sdy.sharding_constraint")
# `"data"`, or a part of it: `"data":(2)2`.
AXIS = re.compile(r'"([^"]+)"(?::\((\d+)\)(\d+))?')


def run_passes(text, pipeline):
  with xla.parsed(text) as module:
    passmanager.PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
    return str(module)


@functools.cache
def is_registered(name):
  """Older jaxlibs lack some passes."""
  try:
    with xla.parsed("module {}"):
      passmanager.PassManager.parse(f"builtin.module(func.func({name}))")
  except ValueError:
    return False
  return True


# On constraints that say to XLA what the op before them says already, and where the plan reshards.
FOR_XLA = "shardwright.for_xla"


def without_constraints(annotated):
  """Shardy is to find by itself where to reshard."""
  with xla.parsed(annotated) as module:
    for op in [op for op, _, _ in weighted_ops(module) if FOR_XLA in op.attributes]:
      op.results[0].replace_all_uses_with(op.operands[0])
      op.erase()
    return str(module)


def with_collectives(annotated):
  """The module after Shardy has written every reshard as collectives; what is made twice is made once."""
  passes = [RESHARD, *filter(is_registered, COLLECTIVES)]
  return run_passes(without_constraints(annotated), f"func.func({','.join(passes)}),cse")


def collectives_of(annotated):
  found = []
  with xla.parsed(with_collectives(annotated)) as module:
    sizes = dict(xla.read_mesh(module) or [])
    for op, times, known in weighted_ops(module):
      if op.name in KINDS:
        found.append(read_collective(op, sizes, times, known))
      elif op.name == "sdy.reshard":
        raise ValueError(f"Shardy left a reshard: {op}")
  return found


def read_collective(op, sizes, times, known):
  """One device's share before the collective follows from the sharding after it and the axes that it works on."""
  words = str(op)
  before, after = re.match(r"%\S+ = sdy\.\w+ (.*?) ?%\S+ out_sharding=<@\w+, (\[.*?\])(?:, .*)?> : ", words).groups()
  devices = axes_size(before, sizes)
  result = tensor_bytes(op.results[0].type) / axes_size(after, sizes)
  kind = KINDS[op.name]
  if kind == "collective_permute":
    return Collective(kind, result, 2, times, known)
  operand = {"all_gather": result / devices, "reduce_scatter": result * devices}.get(kind, result)
  return Collective(kind, operand, devices, times, known)


def axes_size(text, sizes):
  return math.prod(int(part) if part else sizes[name] for name, _, part in AXIS.findall(text))
