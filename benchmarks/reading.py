"""Reading speed: from the file to a verified flat program with rules and analysis, over the number of layers.

Exports Gemma 7B training steps with JAX, runs `reading_benchmark` on each and writes the table to
benchmarks/results/reading.md. `make benchmark` calls it. --layers chooses the depths; the exports are kept in
build/benchmarks.
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPORTS = ROOT / "build" / "benchmarks"
RESULTS = ROOT / "benchmarks" / "results" / "reading.md"
BINARY = ROOT / "build" / "release" / "benchmarks" / "reading_benchmark"

COLUMNS = ["layers", "ops", "file MB", "signatures", "parse s", "import s", "rules s", "analysis s", "total s", "µs per op",
           "program bytes per op", "analysis bytes per op", "peak MB"]


def export(layers):
  path = EXPORTS / f"gemma_7b_{layers}.mlir"
  if not path.exists():
    subprocess.run([sys.executable, "-m", "models", "gemma_7b", "--layers", str(layers), "-o", str(path)], cwd=ROOT, check=True)
  return path


def measure(path):
  """Each file in a process of its own, so that peak memory is its own."""
  output = subprocess.run([BINARY, path, "--benchmark_format=json"], check=True, capture_output=True, text=True).stdout
  run = json.loads(output)["benchmarks"][0]
  if run.get("error_occurred"):
    sys.exit(f"{path}: {run['error_message']}")
  return run


def row(layers, run):
  total = run["read_s"] + run["parse_s"] + run["import_s"] + run["rules_s"] + run["analysis_s"]
  return [layers, f"{run['ops']:,.0f}", f"{run['file_bytes'] / 1e6:.1f}", f"{run['signatures']:.0f}", f"{run['parse_s']:.3f}",
          f"{run['import_s']:.3f}", f"{run['rules_s']:.4f}", f"{run['analysis_s']:.3f}", f"{total:.3f}", f"{1e6 * total / run['ops']:.2f}",
          f"{run['program_bytes_per_op']:.0f}", f"{run['analysis_bytes_per_op']:.0f}", f"{run['peak_rss_bytes'] / 1e6:.0f}"]


def commit():
  return subprocess.run(["git", "describe", "--always"], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def machine():
  model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
  return f"{model}, {os.cpu_count()} cores, {platform.system()}, g++ release build"


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--layers", type=int, nargs="+", default=[28, 112, 448, 1500])
  arguments = parser.parse_args()
  EXPORTS.mkdir(parents=True, exist_ok=True)
  lines = ["# Reading speed", "",
           "Gemma 7B training step (Adam), unrolled to the depth given: from the file to a verified flat program with rules, then the",
           "dimension analysis. Made by `make benchmark` (benchmarks/reading.py).", "", f"Machine: {machine()}; commit {commit()}.", "",
           "| " + " | ".join(COLUMNS) + " |", "|" + "---:|" * len(COLUMNS)]
  for layers in arguments.layers:
    lines.append("| " + " | ".join(map(str, row(layers, measure(export(layers))))) + " |")
    print(lines[-1], flush=True)
  RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
  main()
