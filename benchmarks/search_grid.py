"""What the search finds, against everything it must beat.

    python benchmarks/search_grid.py                      # every model, mesh and device: docs/results/search.md
    python benchmarks/search_grid.py --only gpt --no-write
    python benchmarks/search_grid.py --part proofs        # small programs, exhaustive search: docs/results/search-proofs.md
    python benchmarks/search_grid.py --part growth        # more and more layers: docs/results/search-growth.md

A cell is a model on a mesh of a device with a memory limit. In each, the plan of `shardwright partition` is compared with every
expert plan, with greedy search and with Automap's search over argument dims.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import models  # noqa: E402

TOOL = os.environ.get("SHARDWRIGHT", str(ROOT / "build" / "release" / "tools" / "shardwright"))
RESULTS = ROOT / "docs" / "results"
AXES = ("data", "model", "third")
SEEDS = range(10)


@dataclasses.dataclass(frozen=True)
class Cell:
  model: str
  mesh: str  # 2x4.
  device: str
  memory: str = ""  # The device's own if empty.
  fields: tuple = ()  # Of the model, as (name, value).

  @property
  def mesh_text(self):
    return ",".join(f"{axis}={size}" for axis, size in zip(AXES, self.mesh.split("x")))

  @property
  def name(self):
    fields = "".join(f" {key}={value}" for key, value in self.fields)
    return f"{self.model}{fields} {self.mesh} {self.device}{' ' + self.memory if self.memory else ''}"


def cells():
  scan, remat = (("scan", True),), (("remat", True),)
  table = {
    ("gpt", ()): [
      ("8", "a100-40", ""), ("8", "p100", "10GB"), ("2x4", "a100-40", "10GB"), ("4x4", "tpu-v3", ""),
      ("8x4", "h100", ""), ("2x4x4", "a100-40", "4GB"), ("16x16", "tpu-v5e", ""),
    ],
    ("transformer", ()): [("8", "h100", ""), ("2x4", "a100-40", ""), ("4x4", "tpu-v5e", ""), ("8x4", "p100", "")],
    ("transformer", (("batch", 1), ("sequence", 8192))): [("8", "h100", ""), ("2x4", "h100", "16GB"), ("4x4", "tpu-v5e", "")],
    ("gemma_2b", remat): [
      ("8", "h100", ""), ("2x4", "h100", "40GB"), ("4x4", "a100-40", ""), ("8x4", "tpu-v3", ""), ("16x16", "tpu-v5e", "8GB"),
    ],
    ("gemma_2b", (*scan, *remat)): [("2x4", "h100", ""), ("8x4", "tpu-v5e", "")],
    ("gemma_7b", remat): [
      ("4x4", "h100", ""), ("8x4", "a100-40", ""), ("2x4x4", "h100", ""), ("16x16", "tpu-v3", ""), ("16x16", "tpu-v5e", ""),
    ],
    ("gemma_7b", (*scan, *remat)): [("4x4", "h100", ""), ("8x4", "h100", "")],
    ("gemma_7b", (("batch", 64), ("sequence", 1024))): [("8x4", "h100", ""), ("16x16", "tpu-v5e", "")],
    ("decoder", ()): [("8", "a100-40", ""), ("2x4", "a100-40", "8GB"), ("4x4", "tpu-v5e", ""), ("8x4", "h100", "")],
    ("moe", ()): [("8", "h100", ""), ("2x4", "h100", ""), ("4x4", "a100-40", ""), ("8x4", "tpu-v5e", ""), ("2x4x4", "h100", "")],
    ("moe", (("dispatch", "gather"),)): [("8x4", "h100", "")],
    ("gns", ()): [("8", "a100-40", ""), ("2x4", "p100", ""), ("4x4", "tpu-v3", ""), ("8x4", "h100", "4GB")],
    ("unet", ()): [("8", "a100-40", ""), ("2x4", "tpu-v3", ""), ("8x4", "p100", "")],
    ("resnet50", ()): [("8", "p100", ""), ("2x4", "a100-40", ""), ("16x16", "tpu-v3", "")],
    ("vit", ()): [("8", "a100-40", ""), ("4x4", "p100", ""), ("8x4", "tpu-v5e", "")],
    ("mamba", ()): [("8", "a100-40", ""), ("2x4", "h100", ""), ("8x4", "tpu-v5e", "")],
    ("lstm", ()): [("8", "p100", ""), ("2x4", "a100-40", ""), ("4x4", "tpu-v3", "")],
  }
  return [Cell(model, mesh, device, memory, fields)
          for (model, fields), places in table.items() for mesh, device, memory in places]


class Modules:
  """Exported once per model and configuration."""

  def __init__(self, folder):
    self.folder, self.paths = pathlib.Path(folder), {}

  def path(self, model, fields, small=False):
    key = (model, fields, small)
    if key not in self.paths:
      entry = models.get(model)
      config = dataclasses.replace(entry.small() if small else entry.config, **dict(fields))
      self.paths[key] = self.folder / f"{len(self.paths)}.mlir"
      self.paths[key].write_text(entry.export(config))
    return self.paths[key]

  def small(self):
    """{name: path} of every small program."""
    found = {}
    for model in map(models.get, models.names()):
      for name, config in model.small_variants().items():
        found[name] = self.folder / f"small-{name}.mlir"
        if not found[name].exists():
          found[name].write_text(model.export(config))
    return found


def partition(path, cell, *arguments):
  """The report, and the seconds from start to end of the command."""
  memory = ["--memory", cell.memory] if cell.memory else []
  command = [TOOL, "partition", path, "--mesh", cell.mesh_text, "--device", cell.device, *memory, "--json", *arguments]
  start = time.monotonic()
  done = subprocess.run([*map(str, command)], capture_output=True, text=True)
  seconds = time.monotonic() - start
  if done.returncode not in (0, 3):
    raise RuntimeError(f"{cell.name}: {done.stderr.strip()}")
  return json.loads(done.stdout), seconds


def to_within(report, share=1.01):
  """Seconds of search after which the plan was within 1 % of the final one."""
  final = report["search"]["improvements"][-1]
  for entry in report["search"]["improvements"]:
    as_good = (entry["peak_bytes"] <= report["limit_bytes"]) == report["fits"]
    if as_good and entry["step_seconds"] <= share * final["step_seconds"]:
      return entry["seconds"]
  return final["seconds"]


def best_expert(report):
  experts = [c for c in report["comparisons"] if c["name"] != "replicated"]
  return min(experts, key=lambda c: (not c["fits"], c["step_seconds"] if c["fits"] else c["peak_bytes"]), default=None)


def measure(cell, modules, budget):
  path = modules.path(cell.model, cell.fields)
  found, seconds = partition(path, cell, "--budget", budget, "--compare")
  alone, _ = partition(path, cell, "--budget", budget, "--no-experts")
  greedy, _ = partition(path, cell, "--search", "greedy", "--budget", budget)
  automap, _ = partition(path, cell, "--search", "automap", "--budget", budget)
  return {"cell": cell.name, "found": found, "alone": alone, "greedy": greedy, "automap": automap, "wall": seconds}


# --- tables ---


def milliseconds(report):
  return f"{1e3 * report['step_seconds']:.3g}" if report["fits"] else f"({report['peak_bytes'] / 1e9:.3g} GB)"


def ratio(report, expert):
  if expert is None:
    return "-"
  if report["fits"] and expert["fits"]:
    return f"{report['step_seconds'] / expert['step_seconds']:.3f}"
  return "fits" if report["fits"] else "does not fit" if not expert["fits"] else "WORSE"


def what(report):
  axes = [f"{axis}: {', '.join(c.split(',')[0] for c in classes)}" for axis, classes in report["plan"].items() if classes]
  return "; ".join(axes) or "nothing"


def grid_row(result):
  found, expert = result["found"], best_expert(result["found"])
  numbers = [milliseconds(found), f"{found['peak_bytes'] / 1e9:.3g}", milliseconds(expert) if expert else "-",
             ratio(found, expert), milliseconds(result["alone"]), milliseconds(result["greedy"]), milliseconds(result["automap"]),
             str(found["search"]["evaluations"]), f"{to_within(found):.1f}", f"{result['wall']:.1f}"]
  return [result["cell"], *numbers, expert["name"] if expert else "-", what(found)]


GRID_HEADS = ["cell", "step ms", "memory GB", "best expert ms", "ratio", "unaided ms", "greedy ms", "automap ms", "evaluations",
              "within 1 % after s", "all s", "best expert", "what each axis splits"]


def table(heads, rows):
  lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
  return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def grid(options, modules):
  rows = []
  for cell in cells():
    if options.only and options.only not in cell.name:
      continue
    row = grid_row(measure(cell, modules, options.budget))
    rows.append(row)
    print(" | ".join(row), flush=True)
  return grid_page(options.budget, rows)


GRID_TEXT = """A cell is a model on a mesh of a device with a memory limit, the device's own if none is named. *Step* and *memory* are the estimate of the
plan found, *best expert* that of the best strategy people know, *unaided* of a search that does not know them, *greedy* and *automap* of these searches.
Numbers in brackets are the smallest peak where no plan fits. Each search had {budget}.

{count} cells. Worse than the best expert: {worse}.

"""


def grid_page(budget, rows):
  worse = [row[0] for row in rows if row[4] == "WORSE" or (row[4][0].isdigit() and float(row[4]) > 1)]
  return GRID_TEXT.format(budget=budget, count=len(rows), worse=", ".join(worse) or "none") + table(GRID_HEADS, rows)


def proofs(options, modules):
  """Small programs on meshes 8 and 2x4: wherever exhaustive search closes, is mcts equal for each of 10 seeds?"""
  programs = {name: path for name, path in modules.small().items() if options.only in name}
  cells = [(path, Cell(name, mesh, device)) for name, path in programs.items() for mesh in ("8", "2x4") for device in ("h100", "tpu-v3")]
  with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    rows = list(pool.map(lambda cell: proof(options, *cell), cells))
  closed = [row for row in rows if row[1] == "closed"]
  equal = sum(row[4] == f"{len(SEEDS)} of {len(SEEDS)}" for row in closed)
  heads = ["cell", "exhaustive", "states", "s", "seeds that found it", "most evaluations"]
  head = f"{len(closed)} of {len(rows)} cells closed within {options.proof_budget}; in {equal} of them every seed finds the optimum."
  return head + "\n\n" + table(heads, rows)


def proof(options, path, cell):
  exact, seconds = partition(path, cell, "--search", "exhaustive", "--budget", options.proof_budget)
  row = [cell.name, "closed", str(exact["search"]["evaluations"]), f"{seconds:.1f}"]
  if exact["search"]["proved"]:
    runs = [partition(path, cell, "--threads", "1", "--seed", seed, "--budget", options.budget)[0] for seed in SEEDS]
    same = sum(run["step_seconds"] <= exact["step_seconds"] for run in runs)
    row += [f"{same} of {len(runs)}", str(max(run["search"]["evaluations"] for run in runs))]
  else:
    row[1] = "open"
    row += ["-", "-"]
  print(" | ".join(row), flush=True)
  return row


def growth(options, modules):
  rows = []
  for layers in (8, 16, 32, 64, 128):
    for scan in (False, True):
      fields = (("layers", layers), ("scan", scan))
      cell = Cell("gemma_7b", "16x16", "h100", "", fields)
      path = modules.path(cell.model, cell.fields)
      found, seconds = partition(path, cell, "--budget", options.budget)
      automap, automap_seconds = partition(path, cell, "--search", "automap", "--budget", options.budget)
      rows.append([str(layers), "scanned" if scan else "unrolled", str(found["search"]["evaluations"]),
                   f"{found['search']['evaluations'] / found['search']['seconds']:.0f}", f"{to_within(found):.2f}", f"{seconds:.1f}",
                   milliseconds(found), milliseconds(automap), f"{automap_seconds:.1f}"])
      print(" | ".join(rows[-1]), flush=True)
  heads = ["layers", "form", "evaluations", "per second", "within 1 % after s", "all s", "step ms", "automap ms", "automap s"]
  return table(heads, rows)


# Title, file, function.
PARTS = {
  "grid": ("What the search finds", "search.md", grid),
  "proofs": ("Small programs: equal to exhaustive search", "search-proofs.md", proofs),
  "growth": ("Gemma 7B with more layers", "search-growth.md", growth),
}


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--part", choices=PARTS, default="grid")
  parser.add_argument("--only", default="", help="cells whose name has this in it")
  parser.add_argument("--budget", default="8s", help="of each search")
  parser.add_argument("--proof-budget", default="120s", help="of exhaustive search")
  parser.add_argument("--no-write", action="store_true", help="print only")
  options = parser.parse_args()
  title, name, run = PARTS[options.part]
  with tempfile.TemporaryDirectory() as folder:
    text = run(options, Modules(folder))
  if not options.no_write:
    (RESULTS / name).write_text(page(title, sys.argv[1:], text))


def page(title, arguments, text):
  command = " ".join(["python benchmarks/search_grid.py", *arguments])
  machine = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"
  return f"# {title}\n\nWritten by `{command}` on {machine}.\n\n{text}"


if __name__ == "__main__":
  main()
