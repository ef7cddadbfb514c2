"""How long decompositions take on a GPU, and what is estimated.

    python benchmarks/decompositions.py --measure measured.json      # on the GPU; needs nothing but JAX
    python benchmarks/decompositions.py --compare measured.json      # anywhere: benchmarks/results/decompositions.md

Times are the least of several runs, in float32.
"""

import json
import pathlib
import time

import against_gpu
import jax
import jax.numpy as jnp

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "decompositions.md"
RUNS = 5

ROUTINES = {
  "Cholesky": jnp.linalg.cholesky,
  "triangular solve, n right-hand sides": lambda a: jax.scipy.linalg.solve_triangular(a, a.T, lower=True),
  "LU": jax.scipy.linalg.lu_factor,
  "QR": jnp.linalg.qr,
  "eigh": jnp.linalg.eigh,
  "svd": jnp.linalg.svd,
}
SIZES = {"eigh": (1024, 4096), "svd": (1024, 2048)}


def cases():
  for name, routine in ROUTINES.items():
    for size in SIZES.get(name, (1024, 8192)):
      yield name, size, routine


def measured(routine, size):
  """Milliseconds, of a matrix that all of them take."""
  noise = jax.random.normal(jax.random.key(0), (size, size))
  matrix = noise @ noise.T / size + jnp.eye(size)
  compiled = jax.jit(routine).lower(matrix).compile()
  times = []
  for _ in range(RUNS + 1):
    start = time.perf_counter()
    jax.block_until_ready(compiled(matrix))
    times.append(time.perf_counter() - start)
  return 1e3 * min(times[1:])


def estimated(routine, size, device):
  argument = jax.ShapeDtypeStruct((size, size), jnp.float32)
  return 1e3 * against_gpu.estimate(routine, [argument], device)["step_seconds"]


def measure(path):
  rows = [[name, size, measured(routine, size)] for name, size, routine in cases()]
  about = {"gpu": jax.devices()[0].device_kind, "jax": jax.__version__, "rows": rows}
  pathlib.Path(path).write_text(json.dumps(about, indent=1) + "\n")


def compare(path, device):
  about = json.loads(pathlib.Path(path).read_text())
  found = {(name, size): ms for name, size, ms in about["rows"]}
  lines = ["# Decompositions", "", f"Milliseconds on one {about['gpu']}, JAX {about['jax']}, float32, and as estimated for {device}. Made by benchmarks/decompositions.py.",
           "", "| routine | n | measured | estimated |", "|---|---:|---:|---:|"]  # fmt: skip
  for name, size, routine in cases():
    lines.append(f"| {name} | {size} | {found[name, size]:.3g} | {estimated(routine, size, device):.3g} |")
  RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
  against_gpu.main(__doc__, measure, compare)
