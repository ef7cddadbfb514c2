"""Shardwright: automatic SPMD partitioning for JAX.

plan = sw.plan(train_step, state, batch, mesh=mesh, device="h100")   # arrays or ShapeDtypeStructs; nothing is run
print(plan)
step = plan.jit()                                                    # inputs are placed as planned
"""

from shardwright._src.api import Planned, jit, plan
from shardwright._src.errors import (
  ArgumentMismatch,
  Contradiction,
  DoesNotFit,
  Indivisible,
  MeshError,
  NoSuchArgument,
  OtherProgram,
  PlanError,
  ShardwrightError,
  TraceError,
  UnknownAxis,
  UnknownDevice,
)
from shardwright._src.estimate import Collective, Estimate
from shardwright._src.meshes import known_devices
from shardwright._src.plan import Plan
from shardwright._src.running import Step
from shardwright._src.saved import SavedPlan, load
from shardwright._src.tactics import (
  Tactic,
  auto,
  dp,
  expert,
  megatron,
  pin,
  remake,
  sequence,
  shard,
  turn,
  vocab,
  zero2,
  zero3,
)

__version__ = "0.1.0"

__all__ = [
  "ArgumentMismatch", "Collective", "Contradiction", "DoesNotFit", "Estimate", "Indivisible", "MeshError",
  "NoSuchArgument", "OtherProgram", "Plan", "PlanError", "Planned", "SavedPlan", "ShardwrightError", "Step", "Tactic",
  "TraceError", "UnknownAxis", "UnknownDevice", "auto", "dp", "expert", "jit", "known_devices", "load", "megatron",
  "pin", "plan", "remake", "sequence", "shard", "turn", "vocab", "zero2", "zero3",
]  # fmt: skip

# Tracebacks and signatures show the names that people import.
for _name in __all__:
  globals()[_name].__module__ = __name__
