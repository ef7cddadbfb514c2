"""Compiles the programs of build/accuracy for a GPU, says what memory XLA needs for each, and times them. Needs JAX alone.

    python gpu.py --folder build/accuracy --out h200.json --seconds 150      on a machine with a GPU
    python gpu.py ... --absent                                               for an H200 that is not there: no times
    python gpu.py ... --explicit                                             the explicit programs, for 8 that are not there

With --absent XLA compiles for the device of h200.textproto. It cannot try out kernels then, and takes its first choice for each; what
it needs of memory depends little on that. JAX's CUDA plugin must be installed, a driver need not be.

With --explicit it compiles the program with its collectives for 8 such devices. Its scheduler hides collectives behind computation as long as
that keeps within the device's memory, so how much a program needs depends on how much there is: each gets devices on which XLA
wants to stay within what was estimated for it.

Compiles in threads, in the order of the index, and when --compile-share of the time is gone times what has been compiled. The results
are written after every program, so that whatever happens there is something; the process ends when the time is up.
"""

import argparse
import concurrent.futures
import gzip
import json
import math
import os
import pathlib
import re
import statistics
import sys
import threading
import time

START = time.monotonic()
DONATED = re.compile(r"%arg(\d+): tensor<[^>]*> \{[^}]*tf\.aliasing_output = \d+")
ARGUMENT = re.compile(r"%arg\d+: tensor<([^>]*)>")
MEMORY = {"arguments": "argument_size_in_bytes", "outputs": "output_size_in_bytes", "temporaries": "temp_size_in_bytes",
          "aliased": "alias_size_in_bytes", "code": "generated_code_size_in_bytes"}  # fmt: skip
# XLA schedules for 95 % of 80 % of a device's memory.
SCHEDULED_SHARE = 0.95 * 0.8
DTYPES = {"i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "ui8": "uint8", "ui16": "uint16",
          "ui32": "uint32", "ui64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16"}  # fmt: skip


class Results:
  """What has been found, in a file that is always whole."""

  def __init__(self, path, seconds):
    self.path, self.seconds, self.lock = pathlib.Path(path), seconds, threading.Lock()
    self.data = {"programs": {}}
    if self.path.exists():
      self.data = json.loads(self.path.read_text())

  def left(self):
    return self.seconds - (time.monotonic() - START)

  def add(self, name, **found):
    with self.lock:
      self.data["programs"].setdefault(name, {}).update(found)
      self.write()

  def set(self, **found):
    with self.lock:
      self.data.update(found)
      self.write()

  def write(self):
    beside = self.path.with_suffix(".tmp")
    beside.write_text(json.dumps(self.data, indent=1) + "\n")
    os.replace(beside, self.path)


class Target:
  """A device and how to compile for it. JAX's private interface is used here alone; where it differs between versions, each
  way is tried."""

  def __init__(self, absent, count=1, memory=None):
    import jax

    self.jax, self.absent = jax, absent
    self.devices = self.absent_devices(count, memory) if absent else jax.devices()[:count]
    self.device = self.devices[0]
    self.client = self.device.client

  @staticmethod
  def absent_devices(count, memory):
    from jax.experimental import topologies

    lines = (pathlib.Path(__file__).parent / "h200.textproto").read_text().splitlines()
    config = "\n".join(line for line in lines if not line.startswith("#"))
    if memory:
      config = re.sub(r"device_memory_size: \d+", f"device_memory_size: {memory}", config)
    return topologies.get_topology_desc(platform="cuda", target_config=config, topology=f"1x1x{count}").devices

  def options(self):
    import numpy as np
    from jax._src.lib import xla_client

    options = xla_client.CompileOptions()
    build = options.executable_build_options
    options.num_replicas = build.num_replicas = 1
    options.num_partitions = build.num_partitions = len(self.devices)
    build.use_spmd_partitioning = build.use_shardy_partitioner = len(self.devices) > 1
    options.device_assignment = xla_client.DeviceAssignment.create(np.array([[device.id for device in self.devices]]))
    build.device_assignment = options.device_assignment
    return options

  def compile(self, text):
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir

    devices = xla_client.DeviceList(tuple(self.devices))
    with mlir.make_ir_context():
      module = ir.Module.parse(text)
      if self.absent:
        return self.client.compile(module, executable_devices=devices, compile_options=self.options())
      for name in ("compile_and_load", "compile"):
        if hasattr(self.client, name):
          return getattr(self.client, name)(module, devices, self.options())
    raise RuntimeError("this JAX has no way to compile a module that is known here")


def memory_of(executable):
  stats = executable.get_compiled_memory_stats()
  return {part: int(getattr(stats, key)) for part, key in MEMORY.items()}


def arguments_of(text):
  """(shape, dtype) of each argument of @main."""
  head = text[text.index("@main(") : text.index("->", text.index("@main("))]
  types = [match.split("x") for match in ARGUMENT.findall(head)]
  return [(tuple(map(int, dims[:-1])), DTYPES[dims[-1]]) for dims in types]


class Filler:
  """Makes arguments on the device. Numbers are normal: zeros make kernels look fast, and tensor cores take less power, and so are
  faster, over numbers of one sign. Integers are small, so that they can be indices."""

  def __init__(self, jax):
    self.jax, self.known = jax, {}

  def fill(self, shape, dtype, seed):
    jnp = self.jax.numpy

    def make(seed):
      bits = (jnp.arange(math.prod(shape), dtype=jnp.uint32) + seed) * jnp.uint32(2654435761)
      bits = (bits ^ (bits >> 15)) * jnp.uint32(2246822519) >> 16
      if dtype == "bool" or "int" in dtype:
        return (bits % (2 if dtype == "bool" else 100 if "8" in dtype else 1000)).astype(dtype).reshape(shape)
      return (0.02 * self.jax.scipy.special.ndtri((bits + 0.5) / 65536)).astype(dtype).reshape(shape)

    if (shape, dtype) not in self.known:
      self.known[shape, dtype] = self.jax.jit(make)
    return self.known[shape, dtype](seed)


def run_once(executable, arguments):
  results = executable.execute_sharded(arguments)
  return [array[0] if isinstance(array, list) else array for array in results.disassemble_into_single_device_arrays()]


def measure(target, filler, text, executable, repeats):
  """Seconds of each run. Arguments that were donated are made anew: the root of a negative second moment is no number, nor is what is
  made from that in the next step."""
  types = arguments_of(text)
  arguments = [filler.fill(shape, dtype, seed) for seed, (shape, dtype) in enumerate(types)]
  donated = [int(argument) for argument in DONATED.findall(text)]
  times = []
  for number in range(repeats + 2):
    target.jax.block_until_ready(arguments)
    begin = time.perf_counter()
    results = run_once(executable, arguments)
    target.jax.block_until_ready(results)
    times.append(time.perf_counter() - begin)
    del results
    for argument in donated:
      arguments[argument] = filler.fill(*types[argument], argument)
    if number >= 4 and sum(times) > 1.5:
      break
  return times[2:]


def with_collectives(cell):
  """Eight devices that have as much memory as the program is estimated to need."""
  return Target(absent=True, count=8, memory=int(cell["estimate"]["peak_bytes"] / SCHEDULED_SHARE))


def compile_one(target, results, folder, cell, explicit):
  """(text, executable), where it is to be run."""
  name = cell["name"]
  if results.left() < 5:
    return None
  begin = time.monotonic()
  try:
    text = gzip.decompress((folder / cell["explicit" if explicit else "file"]).read_bytes()).decode()
    executable = (with_collectives(cell) if explicit else target).compile(text)
    results.add(name, memory=memory_of(executable), compile_seconds=round(time.monotonic() - begin, 2))
    return None if target.absent else (text, executable)
  except Exception as error:  # One program that fails must not end the rest.
    results.add(name, error=f"{type(error).__name__}: {error}"[:500])
    return None


def compile_all(target, results, folder, cells, threads, until, explicit):
  """{name: (text, executable)} of what was ready in time."""
  ready = {}
  pool = concurrent.futures.ThreadPoolExecutor(threads)
  futures = {pool.submit(compile_one, target, results, folder, cell, explicit): cell["name"] for cell in cells}
  try:
    for future in concurrent.futures.as_completed(futures, timeout=max(1, until - (time.monotonic() - START))):
      if future.result():
        ready[futures[future]] = future.result()
      print(f"{time.monotonic() - START:6.1f} s  {futures[future]}", flush=True)
  except concurrent.futures.TimeoutError:
    print("time to measure", flush=True)
  for future in futures:
    future.cancel()
  return ready


def measure_all(target, results, cells, ready, repeats):
  filler = Filler(target.jax)
  for cell in cells:
    if cell["name"] not in ready or results.left() < 6:
      continue
    try:
      times = measure(target, filler, *ready[cell["name"]], repeats)
      results.add(cell["name"], seconds=times)
      print(f"{time.monotonic() - START:6.1f} s  {cell['name']}: {1e3 * statistics.median(times):.2f} ms", flush=True)
    except Exception as error:
      results.add(cell["name"], run_error=f"{type(error).__name__}: {error}"[:500])
    ready[cell["name"]] = None  # Its memory is needed.


def end_in_time(results):
  """Ends the process when the time is up, whatever it is doing."""

  def wait():
    time.sleep(max(0.0, results.left()))
    with results.lock:
      print("time is up", flush=True)
      os._exit(0)

  threading.Thread(target=wait, daemon=True).start()


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--folder", type=pathlib.Path, required=True)
  parser.add_argument("--out", required=True)
  parser.add_argument("--seconds", type=float, default=1e9)
  parser.add_argument("--compile-share", type=float, default=0.6)
  parser.add_argument("--threads", type=int, default=os.cpu_count())
  parser.add_argument("--repeats", type=int, default=10)
  parser.add_argument("--most", type=int)
  parser.add_argument("--absent", action="store_true")
  parser.add_argument("--explicit", action="store_true")
  options = parser.parse_args()
  options.absent |= options.explicit
  if options.absent:
    os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"  # JAX asks the driver for its version.
  results = Results(options.out, options.seconds)
  end_in_time(results)
  target = Target(options.absent)
  results.set(device=str(target.device.device_kind), jax=target.jax.__version__, absent=options.absent,
              flags=os.environ.get("XLA_FLAGS", ""))  # fmt: skip
  cells = json.loads((options.folder / "index.json").read_text())["cells"][: options.most]
  missing = [cell for cell in cells if "memory" not in results.data["programs"].get(cell["name"], {})]
  until = options.seconds if options.absent else options.seconds * options.compile_share
  ready = compile_all(target, results, options.folder, missing, options.threads, until, options.explicit)
  if not options.absent:
    measure_all(target, results, cells, ready, options.repeats)
  sys.stdout.flush()
  os._exit(0)  # Compilations still under way do not end by themselves.


if __name__ == "__main__":
  main()
