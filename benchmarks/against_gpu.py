"""What scripts share that measure single functions on a GPU and hold estimates against that elsewhere. Measuring needs nothing but JAX."""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import jax

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("SHARDWRIGHT", str(ROOT / "build" / "release" / "tools" / "shardwright"))


def estimate(function, types, device):
  """The estimate of the function on one such device, as the command gives it."""
  text = jax.jit(function).trace(*types).lower(lowering_platforms=("cuda",)).as_text()
  with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
    file.write(text)
    file.flush()
    command = [TOOL, "estimate", file.name, "--mesh", "data=1", "--device", device, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main(description, measure, compare):
  """--measure FILE calls measure(FILE), --compare FILE compare(FILE, device)."""
  parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--measure", metavar="FILE")
  parser.add_argument("--compare", metavar="FILE")
  parser.add_argument("--device", default="h200")
  arguments = parser.parse_args()
  if arguments.measure:
    measure(arguments.measure)
  if arguments.compare:
    compare(arguments.compare, arguments.device)
