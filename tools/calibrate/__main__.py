"""python -m calibrate -o here.json, and then `shardwright estimate … --device here.json`."""

import argparse
import os
import pathlib
import sys

import jax

from . import collectives, kernels, settings
from .profile import Profile, bare_profile, base_profile

FLAVORS = {"gpu": "gpu", "cuda": "gpu", "rocm": "gpu", "tpu": "tpu", "cpu": "cpu"}
# What stands in for a matmul class that does not run here.
FALLBACKS = {"f64": "f32_highest", "f32_highest": "f32", "f16": "f32", "bf16": "f32", "f8": "bf16", "i8": "bf16"}


def log(text):
  print(text, file=sys.stderr, flush=True)


def measure_matmuls(profile, devices, chosen):
  failed = []
  for name, (dtype, precision) in kernels.MATMULS.items():
    try:
      rates = [kernels.matmul(devices, dtype, precision, size, chosen) for size in chosen.matmul_sizes]
    except Exception as error:  # Whatever XLA says of a dtype that the device does not have.
      log(f"matmul {name:12} does not run: {str(error).splitlines()[0][:80]}")
      failed.append(name)
      continue
    log(f"matmul {name:12} {max(rates) / 1e12:10.4f} TFLOP/s")
    profile.rate(profile.json["matmul"][name], "flops_per_second", max(rates))
  for name in failed:
    profile.fallback(name, FALLBACKS[name])


def measure_memory(profile, devices, chosen):
  rates = {elements * kernels.ADDITION_BYTES: kernels.memory(devices, elements, chosen) for elements in chosen.memory_elements}
  for size, rate in rates.items():
    log(f"memory {size:>12} B {rate / 1e9:10.3f} GB/s")
  profile.memory(rates, chosen.cached)


def measure_rest(profile, devices, chosen):
  measure_memory(profile, devices, chosen)
  flops = kernels.vector(devices, chosen.vector_elements, chosen)
  log(f"vector              {flops / 1e12:10.4f} TFLOP/s")
  profile.rate(profile.json["vector"], "flops_per_second", flops)
  launch = kernels.launch(devices, chosen)
  log(f"launch              {launch * 1e6:10.3f} us")
  profile.json["launch_overhead_seconds"] = profile.number(launch)


def measure_links(profile, devices, chosen):
  if len(devices) < 2:
    log("one device: the links are those of the base profile")
    return
  samples = collectives.sweep(devices, chosen)
  for sample in samples:
    log(f"{sample.kind:18} x{sample.devices:<3} {sample.bytes:>10} B {sample.seconds * 1e6:12.2f} us")
  fitted = collectives.fit(samples)
  errors = sorted(abs(error) for error in collectives.relative_errors(samples, fitted))
  log(f"link: overhead {fitted[0] * 1e6:.2f} us, {fitted[1] * 1e6:.2f} us a hop, {fitted[2] / 1e9:.3f} GB/s;"
      f" median error {errors[len(errors) // 2]:.0%}")
  profile.link(*fitted)


def measure_capacity(profile, devices):
  """A host's memory is shared by its devices. An accelerator's capacity is on its datasheet; without one, what JAX's
  allocator may use has to do."""
  if devices[0].platform == "cpu":
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    profile.json["memory"]["capacity_bytes"] = profile.number(total // len(devices))
  elif profile.json["memory"]["capacity_bytes"]["source"].startswith("assumption"):
    profile.json["memory"]["capacity_bytes"] = profile.number((devices[0].memory_stats() or {})["bytes_limit"])


def parse(argv):
  parser = argparse.ArgumentParser(prog="calibrate", description=__doc__)
  parser.add_argument("-o", "--output", default="-", help="where to write the profile; - is standard output")
  parser.add_argument("--name", default="measured", help="name of the profile")
  parser.add_argument("--base", help="profile (.json) whose peaks and links are kept where they are not measured")
  parser.add_argument("--quick", action="store_true", help="tiny sizes: does everything run?")
  return parser.parse_args(argv)


def main(argv=None):
  options = parse(argv)
  jax.config.update("jax_enable_x64", True)
  devices = jax.devices()
  flavor = FLAVORS.get(devices[0].platform, "gpu")
  kind = devices[0].device_kind
  log(f"{len(devices)} x {kind}, JAX {jax.__version__}")
  base = base_profile(kind, options.base) or bare_profile(flavor)
  profile = Profile(base, f"measured through JAX {jax.__version__} on {len(devices)} x {kind}")
  profile.json |= {"name": options.name, "title": f"{kind}, measured", "flavor": flavor}
  chosen = settings.QUICK if options.quick else settings.HOST if flavor == "cpu" else settings.FULL
  measure_capacity(profile, devices)
  measure_matmuls(profile, devices, chosen)
  measure_rest(profile, devices, chosen)
  measure_links(profile, devices, chosen)
  if options.output == "-":
    print(profile.text(), end="")
  else:
    pathlib.Path(options.output).write_text(profile.text())


if __name__ == "__main__":
  main()
