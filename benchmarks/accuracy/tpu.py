"""Compiles explicit programs for 8 TPUs that are not there: what memory XLA needs for each, and how long it expects kernels to take.

    pip install "jax[tpu]"                                     brings XLA's compiler for TPUs; no TPU is needed
    python tpu.py --folder build/accuracy-tpu --out benchmarks/results/tpu-v5e.json
    python tpu.py ... --only gpt --keep build/tpu-hlo          some of them, and the compiled programs

XLA's scheduler starts gathers early and leaves gradients for later as long as a program keeps within the device's memory, so how much a program needs
depends on how much there is. What takes a tenth more than was estimated is therefore compiled once more for chips with a quarter more than was estimated, which
shows whether it must.

The cycles that XLA expects each kernel to take stand in the program that it has compiled (`estimated_cycles`); those in loops count as often as
the loop turns. They are the compiler's own model and no measurement; collectives have none. A program is compiled in about a minute.
"""

import argparse
import gzip
import json
import os
import pathlib
import re
import time

import gpu

# How XLA names eight chips, and how much memory each has.
CHIPS = {"tpu-v5e": ("v5e:2x4", 16 << 30), "tpu-v5p": ("v5p:2x2x2", 95 << 30), "tpu-v6e": ("v6e:2x4", 32 << 30)}
SLACK = 1.25
COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.\-]+) \(.*\{$")
CYCLES = re.compile(r'"estimated_cycles":"(\d+)"')
LOOP = re.compile(r" while\(.*condition=%?([\w.\-]+), body=%?([\w.\-]+)")
TURNS = re.compile(r'"known_trip_count":\{"n":"(\d+)"\}')
BOUND = re.compile(r" s32\[\]\S* constant\((\d+)\)")


class Target(gpu.Target):
  """Eight chips that are not there."""

  reserved = 0  # Bytes of a chip that XLA must not use.

  @staticmethod
  def absent_devices(count, memory):
    from jax.experimental import topologies

    return topologies.get_topology_desc(Target.topology, platform="tpu").devices[:count]

  def options(self):
    options = super().options()
    options.env_option_overrides = [("xla_tpu_user_reserved_hbm_bytes", str(self.reserved))]
    return options

  def compile_within(self, text, limit):
    """On chips with so much memory."""
    self.reserved = max(0, self.memory - limit)
    try:
      return self.compile(text)
    finally:
      self.reserved = 0


def computations(text):
  """{name: lines} of a compiled program; that where it begins is "ENTRY"."""
  found, lines = {}, []
  for line in text.splitlines():
    head = COMPUTATION.match(line)
    if head:
      lines = found["ENTRY" if line.startswith("ENTRY") else head[1]] = []
    lines.append(line)
  return found


def turns(line, condition):
  """How often a loop turns: as XLA states it, or what its condition compares with."""
  stated = TURNS.search(line)
  bounds = [match[1] for match in map(BOUND.search, condition) if match]
  return int(stated[1]) if stated else int(bounds[0]) if len(bounds) == 1 else 1


def cycles(text):
  """What XLA expects all kernels of a step to take."""
  found = computations(text)

  def of(name):
    total = 0
    for line in found.get(name, []):
      loop, stated = LOOP.search(line), CYCLES.search(line)
      if loop:
        total += turns(line, found.get(loop[1], [])) * of(loop[2])
      elif stated:
        total += int(stated[1])
    return total

  return of("ENTRY")


def total(memory):
  return memory["arguments"] + memory["outputs"] + memory["temporaries"] - memory["aliased"]


def within(target, text, limit):
  """What memory XLA needs if there is just so much; where it does not manage, why."""
  try:
    return {"within": gpu.memory_of(target.compile_within(text, limit))}
  except Exception as error:
    return {"within_error": f"{type(error).__name__}: {error}"[:500]}


def compile_one(target, results, options, cell):
  begin, name, estimated = time.monotonic(), cell["name"], cell["estimate"]["peak_bytes"]
  text = gzip.decompress((options.folder / cell["explicit"]).read_bytes()).decode()
  if "memory" not in results.data["programs"].get(name, {}):
    try:
      executable = target.compile(text)
    except Exception as error:  # One program that fails must not end the rest.
      results.add(name, error=f"{type(error).__name__}: {error}"[:500])
      return
    compiled = executable.hlo_modules()[0].to_string()
    taken = round(time.monotonic() - begin, 1)
    results.add(name, memory=gpu.memory_of(executable), cycles=cycles(compiled), compile_seconds=taken)
    if options.keep:
      options.keep.mkdir(parents=True, exist_ok=True)
      (options.keep / f"{name}.hlo.gz").write_bytes(gzip.compress(compiled.encode()))
  found = results.data["programs"][name]
  if total(found["memory"]) > 1.1 * estimated and not found.keys() & {"within", "within_error"}:
    results.add(name, **within(target, text, int(SLACK * estimated)))
  print(f"{time.monotonic() - begin:6.1f} s  {name}", flush=True)


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--folder", type=pathlib.Path, required=True)
  parser.add_argument("--out", required=True)
  parser.add_argument("--device", choices=CHIPS, default="tpu-v5e")
  parser.add_argument("--only", default="", help="a pattern that the names of the programs have in them")
  parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="for the compiled programs")
  options = parser.parse_args()
  os.environ["TPU_SKIP_MDS_QUERY"] = "1"  # There is no machine to be asked what it is.
  Target.topology, Target.memory = CHIPS[options.device]
  results, target = gpu.Results(options.out, float("inf")), Target(absent=True, count=8)
  results.set(device=options.device, jax=target.jax.__version__)
  for cell in json.loads((options.folder / "index.json").read_text())["cells"]:
    if re.search(options.only, cell["name"]):
      compile_one(target, results, options, cell)


if __name__ == "__main__":
  main()
