"""What the Python package costs beyond JAX: importing it, planning Gemma 7B's training step from shapes, calling steps.

Writes docs/results/python-overhead.md. `make python-overhead` calls it. Each measurement runs in a process of its own,
so that peak memory and caches are its own.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

from reading import ROOT, commit, machine

RESULTS = ROOT / "docs" / "results" / "python-overhead.md"
MESH = {"data": 16, "model": 4}

IMPORT = """
import json, time
import jax
start = time.perf_counter()
import shardwright
print(json.dumps({"import": time.perf_counter() - start}))
"""

# Both trace what JAX has not seen before in that process.
LOWER = """
import json, resource, time
import jax, models
model = models.get("gemma_7b")
step, shapes, donated = model.step(model.config)
start = time.perf_counter()
lowered = jax.jit(step, donate_argnums=donated).lower(*shapes)
seconds = time.perf_counter() - start
print(json.dumps({"lower": seconds, "peak": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
"""

PLAN = """
import json, resource, time
import jax, models
import shardwright as sw
model = models.get("gemma_7b")
step, shapes, donated = model.step(model.config)
start = time.perf_counter()
plan = sw.plan(step, *shapes, mesh=%r, device="h100", donate_argnums=donated, budget=%r)
seconds = time.perf_counter() - start
search = plan.report["search"]
print(json.dumps({
  "plan": seconds, "search": search["seconds"], "evaluations": search["evaluations"],
  "arguments": len(plan.report["arguments"]),
  "peak": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
}))
"""

CALL = """
import json, time
import jax, jax.numpy as jnp
import shardwright as sw
def step(state):
  return jax.tree.map(lambda x: x + 1, state)
def per_call(function, state):
  state = jax.block_until_ready(function(state))
  best = float("inf")
  for _ in range(5):
    start = time.perf_counter()
    for _ in range(20):
      state = function(state)
    best = min(best, (time.perf_counter() - start) / 20)
    jax.block_until_ready(state)
  return best
state = {f"layer{i}": {"w": jnp.zeros((8, 8)), "b": jnp.zeros(8)} for i in range(250)}
mesh = jax.make_mesh((8,), ("data",))
plan = sw.plan(step, state, mesh=mesh, device="h100", schedule=[sw.shard("*w*", 0, "data")])
plain = jax.jit(step, in_shardings=plan.in_shardings, out_shardings=plan.out_shardings)
print(json.dumps({
  "jax": per_call(plain, plan.place(state)), "planned": per_call(plan.jit(), state),
  "sw.jit": per_call(sw.jit(step, mesh=mesh, device="h100", schedule=[sw.shard("*w*", 0, "data")]), state),
}))
"""


def run(code, runs):
  """The run with the smallest first number."""
  paths = [str(ROOT), str(ROOT / "build" / "release" / "python")]
  environment = {
    **os.environ, "PYTHONPATH": os.pathsep.join(paths), "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
  }  # fmt: skip
  command = [sys.executable, "-c", code]
  outputs = [subprocess.run(command, env=environment, check=True, capture_output=True, text=True) for _ in range(runs)]
  return min((json.loads(o.stdout.splitlines()[-1]) for o in outputs), key=lambda found: next(iter(found.values())))


def page(imported, lowered, planned, called):
  limit = 2 * lowered["lower"] + planned["search"]
  rows = [
    ("`import shardwright` after `import jax`", f"{imported['import']:.3f} s", "0.3 s"),
    ("`jax.jit(step).lower(...)`", f"{lowered['lower']:.2f} s", ""),
    ("search", f"{planned['search']:.2f} s, {planned['evaluations']} evaluations", ""),
    (
      "`sw.plan(step, ...)`, search included",
      f"{planned['plan']:.2f} s",
      f"{limit:.2f} s: twice lowering, and the search",
    ),
    ("peak memory of the process that planned", f"{planned['peak'] / 1e9:.2f} GB", "2 GB"),
    ("peak memory of the process that lowered", f"{lowered['peak'] / 1e9:.2f} GB", ""),
    ("one call of `jax.jit(step)` with 500 arrays", f"{1e3 * called['jax']:.2f} ms", ""),
    ("one call of `plan.jit()`", f"{1e3 * called['planned']:.2f} ms", ""),
    ("one call of `sw.jit(step)`", f"{1e3 * called['sw.jit']:.2f} ms", ""),
  ]
  mesh = ",".join(f"{axis}={size}" for axis, size in MESH.items())
  lines = [
    "# What the Python package costs", "",
    f"Gemma 7B's training step ({planned['arguments']} arguments, 28 layers, Adam) from `jax.ShapeDtypeStruct`s, "
    f"planned for {mesh} on H100s. Best of several runs, each in a "
    "process of its own. Made by `make python-overhead`.", "",
    f"Machine: {machine()}; commit {commit()}.", "", "| what | measured | limit |", "|---|---|---|",
    *(f"| {' | '.join(row)} |" for row in rows),
  ]  # fmt: skip
  kept = imported["import"] < 0.3 and planned["plan"] < limit and planned["peak"] < 2e9
  return "\n".join(lines) + "\n", kept


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--runs", type=int, default=3)
  parser.add_argument("--budget", type=float, default=10.0, help="seconds of search")
  parser.add_argument("--out", type=pathlib.Path, default=RESULTS)
  arguments = parser.parse_args()
  text, kept = page(
    run(IMPORT, arguments.runs),
    run(LOWER, arguments.runs),
    run(PLAN % (MESH, arguments.budget), arguments.runs),
    run(CALL, 1),
  )
  arguments.out.write_text(text)
  print(text)
  return not kept


if __name__ == "__main__":
  sys.exit(main())
