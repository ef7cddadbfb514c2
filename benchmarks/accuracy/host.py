"""Explicit programs of the small models on 8 host devices: what memory XLA needs for each, and how long a step takes.

    python -m benchmarks.accuracy.host                 memory; writes benchmarks/results/host.json
    python -m benchmarks.accuracy.host --times 5 --every 6       of every sixth, the median of 5 steps too
    python -m benchmarks.accuracy.host --unseen --times 5        programs that no rule was fitted to; writes host-unseen.json

float32 only: XLA's CPU backend widens bfloat16. What is in the file already is not measured again.
"""

import argparse
import dataclasses
import json
import pathlib
import re
import statistics
import time

import jax
import jax.numpy as jnp

from tests.spmd import collectives, strategies, tool, workers, xla

from . import cells, configs

OUT = tool.ROOT / "benchmarks" / "results" / "host.json"
OUT_UNSEEN = OUT.with_name("host-unseen.json")
MODULES = tool.ROOT / "build" / "accuracy-host"
MEMORY = {"arguments": "argument_size_in_bytes", "outputs": "output_size_in_bytes", "temporaries": "temp_size_in_bytes",
          "aliased": "alias_size_in_bytes"}  # fmt: skip
DONATED = re.compile(r"%arg(\d+): (?:(?!%arg).)*?tf\.aliasing_output")


def explicit(cell):
  path = cells.module_path(MODULES, cell["config"])
  return tool.run("apply", path, *cells.choice(cell), "--emit", "explicit=-")


def compiled(text):
  """The program with its donated arguments, compiled as JAX does it."""
  program = xla.Program(text)
  exported = xla.exported_like(tuple(map(xla.key, program.arguments)), tuple(map(xla.key, program.results)))
  call = dataclasses.replace(exported, mlir_module_serialized=program.bytecode).call
  places = program.shardings(program.arguments)
  donated = tuple(int(number) for number in DONATED.findall(text))
  step = jax.jit(call, in_shardings=places, out_shardings=program.shardings(program.results), donate_argnums=donated)
  types = [jax.ShapeDtypeStruct(tensor.shape, tensor.dtype) for tensor in program.arguments]
  return program, places, step.lower(*types).compile()


def seconds_of(program, places, executable, times):
  """Of each step, after one that does not count."""
  taken = []
  for _ in range(times + 1):
    zeros = zip(program.arguments, places, strict=True)
    arguments = jax.block_until_ready([jax.device_put(jnp.ones(t.shape, t.dtype), place) for t, place in zeros])
    begin = time.perf_counter()
    jax.block_until_ready(executable(*arguments))
    taken.append(time.perf_counter() - begin)
  return taken[1:]


def measure(cell, times):
  program, places, executable = compiled(explicit(cell))
  stats = executable.memory_analysis()
  found = {"memory": {part: int(getattr(stats, key)) for part, key in MEMORY.items()}}
  totals = collectives.total(collectives.in_hlo(executable.as_text()))
  found["collectives"] = {kind: {"count": t.tensors, "bytes": t.bytes} for kind, t in totals.items() if t.count}
  if times:
    found["seconds"] = statistics.median(seconds_of(program, places, executable, times))
  return found


def wanted_cells(only, folder=MODULES, known=None):
  for config in known or configs.small():
    if config.dtype != "bfloat16" and only in config.name:
      cells.write_module(folder, config, "cpu")
      yield from [cells.describe(config, *cell) for cell in configs.cells_of(config)]


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--out", type=pathlib.Path)
  parser.add_argument("--unseen", action="store_true")
  parser.add_argument("--times", type=int, default=0)
  parser.add_argument("--only", default="")
  parser.add_argument("--every", type=int, default=1, help="take one of so many")
  options = parser.parse_args()
  options.out = options.out or (OUT_UNSEEN if options.unseen else OUT)
  known = json.loads(options.out.read_text()) if options.out.exists() else {"jax": jax.__version__, "programs": {}}
  part = "seconds" if options.times else "memory"
  chosen = list(wanted_cells(options.only, known=configs.never_fitted(1) if options.unseen else None))[:: options.every]
  todo = [cell for cell in chosen if part not in known["programs"].get(cell["name"], {})]
  for item, outcome in workers.run_all(measure, [(cell, options.times) for cell in todo], 1, timeout=600):
    name = item[0]["name"]
    if outcome.value:  # Else the command refuses it, or XLA does.
      known["programs"][name] = known["programs"].get(name, {}) | outcome.value
    options.out.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    print(f"{name}: {outcome.failure[-200:] or outcome.value}", flush=True)


if __name__ == "__main__":
  main()
