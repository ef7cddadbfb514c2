"""Loss curves of partitioned and unpartitioned training, side by side.

    python python/tests/curves.py --steps 200 --out docs/results/loss-curves.md

Models are the small ones of `models/`, in float32, on the same batch every step. Sums are taken in another order on
several devices and training carries the difference along, so losses must agree to a relative TOLERANCE.
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
MODELS = ("transformer", "moe", "unet")
MESHES = ({"data": 2, "model": 4}, {"data": 2, "model": 2, "tensor": 2})


@dataclasses.dataclass(frozen=True)
class Curves:
  model: str
  mesh: str
  plan: str
  alone: np.ndarray
  partitioned: np.ndarray

  @property
  def apart(self):
    return float(np.max(np.abs(self.partitioned - self.alone) / np.abs(self.alone)))


def train(step, arguments, steps):
  state, *rest = arguments
  losses = []
  for _ in range(steps):
    state, loss = step(state, *rest)
    losses.append(float(loss))
  return np.array(losses)


def tight_plan(step, shapes, **options):
  """With seven tenths of the memory that one device would need, so that much must be split though the model is small.
  (In half of it, 400 evaluations find no plan for the mixture of experts on three axes.)"""
  alone = sw.plan(step, *shapes, schedule=[], search="greedy", **{**options, "budget": "1"}).report["comparisons"]
  peak = next(row["peak_bytes"] for row in alone if row["name"] == "replicated")
  return sw.plan(step, *shapes, memory=peak * 7 // 10, **options)


def curves(name, mesh, steps, budget="400"):
  model = models.get(name)
  config = model.small()
  step, shapes, donated = model.step(config)
  plan = tight_plan(step, shapes, mesh=mesh, device="h100", donate_argnums=donated, budget=budget, threads=1)
  words = "; ".join(f"{axis}: {', '.join(classes) or 'nothing'}" for axis, classes in plan.report["plan"].items())
  alone = train(jax.jit(step), model.concrete_args(config), steps)
  partitioned = train(plan.jit(), model.concrete_args(config), steps)
  return Curves(name, ",".join(f"{axis}={size}" for axis, size in mesh.items()), words, alone, partitioned)


def page(rows, steps):
  lines = [
    "# Loss curves, partitioned and not",
    "",
    f"Small models of `models/`, float32, {steps} steps with automatic plans on eight host devices, beside the same training on one device. Made by `make loss-curves`.",
    "",
    "| model | mesh | first loss | last loss | the same, partitioned | largest relative difference | what each axis splits |",
    "|---|---|---|---|---|---|---|",
  ]
  for row in rows:
    lines.append(
      f"| {row.model} | {row.mesh} | {row.alone[0]:.4f} | {row.alone[-1]:.4f} | {row.partitioned[-1]:.4f} | {row.apart:.1e} | {row.plan} |"
    )
  return "\n".join(lines) + "\n"


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--steps", type=int, default=200)
  parser.add_argument("--out", type=pathlib.Path)
  arguments = parser.parse_args()
  rows = []
  for name in MODELS:
    for mesh in MESHES:
      rows.append(curves(name, mesh, arguments.steps))
      print(f"{name} {rows[-1].mesh}: largest difference {rows[-1].apart:.1e}", flush=True)
  text = page(rows, arguments.steps)
  if arguments.out:
    arguments.out.write_text(text)
  else:
    print(text)
  return max(row.apart for row in rows) > TOLERANCE


if __name__ == "__main__":
  sys.exit(main())
