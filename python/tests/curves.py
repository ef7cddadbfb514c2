"""Loss curves of partitioned and unpartitioned training, side by side.

    python python/tests/curves.py --steps 200 --out docs/results/loss-curves.md

Models are the small ones of `models/`, in float32, on the same batch every step. Sums are taken in another order on
several devices and training carries the difference along, so losses must agree to a relative TOLERANCE while they are
above FLOOR of the first loss. A model that has learnt its batch by heart goes far below that (the U-Net to 1e-8), where
rounding alone sets curves apart: to show how far, one device trains once more from a state one rounding error away.
"""

import argparse
import dataclasses
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path[:0] = [str(ROOT), *([] if "SHARDWRIGHT_INSTALLED" in os.environ else [str(ROOT / "build/release/python")])]

import jax  # noqa: E402
import models  # noqa: E402
import numpy as np  # noqa: E402
import shardwright as sw  # noqa: E402

TOLERANCE = 2e-3
FLOOR = 1e-3
MODELS = ("transformer", "moe", "unet")
MESHES = ({"data": 2, "model": 4}, {"data": 2, "model": 2, "tensor": 2})


@dataclasses.dataclass(frozen=True)
class Curves:
  model: str
  mesh: str
  plan: str
  memory: float  # Of a device, as a part of what one device alone would need.
  alone: np.ndarray
  partitioned: np.ndarray
  nudged: np.ndarray  # On one device, from a state one rounding error away.

  @property
  def apart(self):
    return self._largest(self.partitioned, FLOOR)

  @property
  def apart_everywhere(self):
    return self._largest(self.partitioned, 0)

  @property
  def nudge_everywhere(self):
    return self._largest(self.nudged, 0)

  def _largest(self, other, floor):
    losses = np.abs(self.alone)
    return float(np.max(np.abs(other - self.alone)[losses >= floor * losses[0]] / losses[losses >= floor * losses[0]]))


def train(step, arguments, steps):
  state, *rest = arguments
  losses = []
  for _ in range(steps):
    state, loss = step(state, *rest)
    losses.append(float(loss))
  return np.array(losses)


def tight_plan(step, shapes, **options):
  """With half of the memory that one device would need, so that much must be split though the model is small. Also
  the share of it that the plan needs."""
  alone = sw.plan(step, *shapes, search="greedy", **{**options, "budget": "1"}).report["comparisons"]
  peak = next(row["peak_bytes"] for row in alone if row["name"] == "replicated")
  plan = sw.plan(step, *shapes, memory=peak // 2, **options)
  return plan, plan.estimate.peak_bytes / peak


def curves(name, mesh, steps, budget="400", control=False):
  model = models.get(name)
  config = model.small()
  step, shapes, donated = model.step(config)
  plan, memory = tight_plan(step, shapes, mesh=mesh, device="h100", donate_argnums=donated, budget=budget, threads=1)
  words = "; ".join(f"{axis}: {', '.join(classes) or 'nothing'}" for axis, classes in plan.report["plan"].items())
  alone = train(jax.jit(step), model.concrete_args(config), steps)
  partitioned = train(plan.jit(), model.concrete_args(config), steps)
  mesh_text = ",".join(f"{axis}={size}" for axis, size in mesh.items())
  nudged = train(jax.jit(step), nudge(model.concrete_args(config)), steps) if control else alone
  return Curves(name, mesh_text, words, memory, alone, partitioned, nudged)


def nudge(arguments):
  """The arguments with every float of the state larger by one rounding error."""
  state, *rest = arguments
  eps = np.finfo(np.float32).eps
  return jax.tree.map(lambda x: x * (1 + eps) if x.dtype == np.float32 else x, state), *rest


def page(rows, steps):
  lines = [
    "# Loss curves, partitioned and not",
    "",
    f"Small models of `models/`, float32, {steps} steps on eight host devices, beside the same training on one device. "
    "The plans are automatic (400 evaluations), made for devices with half of the memory that one device alone would "
    f"need. Losses must agree to {TOLERANCE:.1%} at every step where the loss is above {FLOOR:.1%} of the first one: "
    "sums are taken in another order, and training carries the difference along. Below that a model has learnt its "
    "batch by heart and rounding sets any two runs apart; the last but one column shows by how much, with one device "
    "that starts one rounding error away. Made by `make loss-curves`.",
    "",
    "| model | mesh | memory of a device | first loss | last loss, one device | last loss, partitioned | "
    f"largest relative difference above {FLOOR:.1%} | at any step | one rounding error, at any step | "
    "what each axis splits |",
    "|---|---|---|---|---|---|---|---|---|---|",
  ]
  for row in rows:
    losses = f"{row.alone[0]:.4g} | {row.alone[-1]:.4g} | {row.partitioned[-1]:.4g}"
    apart = f"{row.apart:.1e} | {row.apart_everywhere:.1e} | {row.nudge_everywhere:.1e}"
    lines.append(f"| {row.model} | {row.mesh} | {row.memory:.0%} | {losses} | {apart} | {row.plan} |")
  return "\n".join(lines) + "\n"


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--steps", type=int, default=200)
  parser.add_argument("--out", type=pathlib.Path)
  arguments = parser.parse_args()
  rows = []
  for name in MODELS:
    for mesh in MESHES:
      rows.append(curves(name, mesh, arguments.steps, control=True))
      print(f"{name} {rows[-1].mesh}: largest difference {rows[-1].apart:.1e}", flush=True)
  text = page(rows, arguments.steps)
  if arguments.out:
    arguments.out.write_text(text)
  else:
    print(text)
  return max(row.apart for row in rows) > TOLERANCE


if __name__ == "__main__":
  sys.exit(main())
