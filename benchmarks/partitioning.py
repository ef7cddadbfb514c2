"""From a plan to what runs: the law, the SPMD program, its estimate, its independent check, both printed forms.

Runs `partitioning_benchmark` on Gemma 7B's training step and writes benchmarks/results/partitioning.md. `make benchmark`
calls it.
"""

import json
import subprocess
import sys

from reading import ROOT, commit, export, machine

RESULTS = ROOT / "benchmarks" / "results" / "partitioning.md"
BINARY = ROOT / "build" / "release" / "benchmarks" / "partitioning_benchmark"
STEPS = {
  "law": "the law of assignment",
  "partition": "plan to SPMD program (the law included)",
  "estimate": "estimate, with all its lists",
  "evaluation": "evaluation in a search: SPMD program and totals",
  "check": "independent check",
  "explicit": "printed, explicit",
  "annotated": "printed, annotated",
}
CASES = [
  ("data=32", ["dp(data)"]),
  ("data=8,model=4", ["dp(data)", "megatron(model)", "vocab(model)"]),
  ("data=8,model=4", ["zero3(data)", "megatron(model)", "sequence(model)"]),
]


def measure(path, mesh, tactics):
  """Milliseconds of CPU time per step, and what was partitioned."""
  output = subprocess.run([BINARY, path, mesh, *tactics, "--benchmark_format=json"], check=True, capture_output=True,
                          text=True).stdout
  run = json.loads(output)
  return {b["name"].split("/")[0]: b["cpu_time"] for b in run["benchmarks"]}, run["context"]


def main():
  path = export(28)
  lines = ["# Partitioning speed", "",
           "Gemma 7B training step (28 layers, Adam), milliseconds of CPU time on one core. Made by `make benchmark`",
           "(benchmarks/partitioning.py).", "", f"Machine: {machine()}; commit {commit()}.", "",
           "| mesh | tactics | instructions | " + " | ".join(STEPS.values()) + " |", "|---|---|---:|" + "---:|" * len(STEPS)]
  for mesh, tactics in CASES:
    times, context = measure(path, mesh, tactics)
    row = [mesh, " ".join(tactics), context["instructions"], *(f"{times[step]:.1f}" for step in STEPS)]
    lines.append("| " + " | ".join(row) + " |")
    print(lines[-1], flush=True)
  RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
  sys.exit(main())
