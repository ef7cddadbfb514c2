"""Holds estimates against what XLA needs and what was measured; writes docs/results/estimate-accuracy.md.

    python -m benchmarks.accuracy.compare              with the estimates of build/accuracy*/index.json, made again first
    python -m benchmarks.accuracy.compare --print      to standard output, worst first

The measurements are benchmarks/results/h200.json and h200-triton.json (gpu.py) and host.json (host.py).
"""

import argparse
import dataclasses
import json
import statistics

from tests.spmd import tool

from . import cells, host

RESULTS = tool.ROOT / "benchmarks" / "results"
DOC = tool.ROOT / "docs" / "results" / "estimate-accuracy.md"
POINTER = 8  # XLA's output has a table of pointers, one per result, which is no tensor.


@dataclasses.dataclass(frozen=True)
class Row:
  name: str
  group: str
  actual: dict  # Bytes of each part.
  estimated: dict
  results: int
  seconds: float | None = None
  predicted: float | None = None

  @staticmethod
  def total(parts):
    return parts["arguments"] + parts["outputs"] + parts["temporaries"] - parts["aliased"]

  @property
  def error(self):
    return self.total(self.estimated) / self.total(self.actual) - 1


def parts_of(estimate):
  memory = estimate["memory"]
  return {"arguments": memory["arguments_bytes"], "outputs": memory["results_bytes"], "temporaries": memory["temporaries_bytes"],
          "aliased": memory["aliased_bytes"]}  # fmt: skip


def results_of(folder, config_name, known={}):
  """How many results a module has."""
  path = cells.module_path(folder, config_name)
  if path not in known:
    head = next(line for line in path.read_text().splitlines() if "@main(" in line)
    known[path] = head.split("->")[-1].count("tensor<")
  return known[path]


def row(folder, cell, found, predicted):
  """One program. Where there are several results, XLA adds the table."""
  count = results_of(folder, cell["config"])
  actual = dict(found["memory"])
  actual["outputs"] -= POINTER * count if count > 1 else 0
  times = found.get("seconds")
  seconds = statistics.median(times) if isinstance(times, list) else times
  return Row(cell["name"], cell["config"], actual, parts_of(cell["estimate"]), count, seconds, predicted)


def gpu_rows(folder, found):
  listed = json.loads((folder / "index.json").read_text())["cells"]
  known = [cell for cell in listed if "memory" in found.get(cell["name"], {})]
  return [row(folder, cell, found[cell["name"]], cell["estimate"]["compute_seconds"]) for cell in known]


def host_rows(found, device):
  rows = []
  for cell in host.wanted_cells(""):
    if "memory" in found.get(cell["name"], {}):
      cell["estimate"] = cells.estimate(host.MODULES, cell, device)
      rows.append(row(host.MODULES, cell, found[cell["name"]], cell["estimate"]["step_seconds"]))
  return rows


def ranks(values):
  """Of each value, 0 for the least; equal ones share the mean of theirs."""
  order = sorted(range(len(values)), key=values.__getitem__)
  result = [0.0] * len(values)
  for first in range(len(order)):
    same = [n for n in order if values[n] == values[order[first]]]
    result[order[first]] = statistics.mean(order.index(n) for n in same)
  return result


def rank_correlation(a, b):
  return statistics.correlation(ranks(a), ranks(b))


def percent(value):
  return f"{100 * value:+.1f} %"


def size(count):
  return f"{count / 1e9:.2f} GB" if count >= 1e8 else f"{count / 1e6:.2f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"


def memory_summary(title, rows):
  absolute = [abs(r.error) for r in rows]
  under = [r for r in rows if r.error < -0.1]
  exact = sum(r.actual["arguments"] == r.estimated["arguments"] and r.actual["outputs"] == r.estimated["outputs"] for r in rows)
  worst = max(rows, key=lambda r: abs(r.error))
  return [
    f"| {title} | {len(rows)} | {100 * statistics.median(absolute):.1f} % | {percent(worst.error)} (`{worst.name}`) |"
    f" {sum(a <= 0.1 for a in absolute)} | {sum(a <= 0.25 for a in absolute)} | {len(under)} | {exact} |"
  ]


SUMMARY = [
  "| programs | number | median error | worst | within 10 % | within 25 % | more than 10 % under | arguments and outputs exact |",
  "|---|---:|---:|---|---:|---:|---:|---:|",
]


def by_group(rows):
  groups = {}
  for r in rows:
    groups.setdefault(r.group, []).append(r)
  return groups


def memory_section(title, rows):
  lines = [f"## {title}", "", *SUMMARY, *memory_summary("all", rows)]
  for group, members in by_group(rows).items():
    lines += memory_summary(f"`{group}`", members)
  lines += ["", "<details><summary>every program</summary>", "", "| program | XLA's temporaries | estimated | XLA's total | estimated | error |", "|---|---:|---:|---:|---:|---:|"]
  for r in rows:
    lines.append(f"| `{r.name}` | {size(r.actual['temporaries'])} | {size(r.estimated['temporaries'])} | {size(r.total(r.actual))} |"
                 f" {size(r.total(r.estimated))} | {percent(r.error)} |")  # fmt: skip
  return [*lines, "", "</details>", ""]


def time_section(title, rows):
  timed = [r for r in rows if r.seconds]
  if len(timed) < 3:
    return [f"## {title}", "", "Not measured.", ""]
  errors = [r.predicted / r.seconds - 1 for r in timed]
  correlation = rank_correlation([r.predicted for r in timed], [r.seconds for r in timed])
  lines = [f"## {title}", "", f"{len(timed)} programs: rank correlation {correlation:.3f}, median error {100 * statistics.median(map(abs, errors)):.0f} %.", ""]
  lines += ["<details><summary>every program</summary>", "", "| program | measured ms | predicted ms | error |", "|---|---:|---:|---:|"]
  lines += [f"| `{r.name}` | {1e3 * r.seconds:.2f} | {1e3 * r.predicted:.2f} | {percent(e)} |" for r, e in zip(timed, errors)]
  return [*lines, "", "</details>", ""]


def load(name):
  path = RESULTS / name
  return json.loads(path.read_text()) if path.exists() else {"programs": {}}


INTRODUCTION = """# How good estimates are

Made by `python -m benchmarks.accuracy.compare`; benchmarks/accuracy/README.md says how the measurements are made. The total is arguments +
outputs + temporaries - aliased, of one device. Goals: median error under 10 % and worst under 25 % on GPUs, median under 15 % on host devices,
arguments and outputs exact, nothing more than 10 % under.
"""

GPU_NOTE = """Truth is `memory_analysis()` of XLA's GPU backend for the local form of each plan (`--emit local`): {device}, JAX {jax}{absent}.
The 8 bytes that XLA counts for each result's pointer are left out.
"""

ABSENT = """, compiled without the device (`gpu.py --absent`). XLA cannot try
out kernels then. Which library multiplies matrices decides what is stored around a product: cuBLAS needs its operands in memory, XLA's Triton kernels
take loops before and after the product with them. On a device XLA measures both and takes the faster for each product, mostly cuBLAS where
products are large. Estimates are for cuBLAS (`--xla_gpu_enable_triton_gemm=false`); the second table has Triton everywhere. No kernel has been run, so
there are no times"""


def gpu_text(found, groups):
  absent = ABSENT if found.get("absent") else ""
  lines = ["# GPU", "", GPU_NOTE.format(device=found.get("device"), jax=found.get("jax"), absent=absent)]
  for title, rows in groups:
    lines += memory_section(f"Memory, {title}", rows) if rows else []
  return lines + time_section("Time of one device, collectives left out", [r for _, rows in groups for r in rows])


def host_text(found, rows):
  note = f"Truth is `memory_analysis()` of the explicit program, compiled for 8 host devices (JAX {found.get('jax')}), in float32."
  return ["# Host devices", "", note, "", *memory_section("Memory, small models", rows), *time_section("Time of a step", rows)]


def refresh(folder, device):
  """Makes the estimates of what is listed again."""
  if (folder / "index.json").exists():
    listed = json.loads((folder / "index.json").read_text())["cells"]
    cells.save(folder, [cell | {"estimate": cells.estimate(folder, cell, device)} for cell in listed])


def gpu_groups(found):
  """Title and rows of medium and small models with each library."""
  groups = []
  for size_name, folder in (("medium", cells.FOLDER), ("small", cells.SMALL)):
    for library, results in found.items():
      rows = gpu_rows(folder, results["programs"]) if (folder / "index.json").exists() else []
      groups.append((f"{size_name} models, {library}", rows))
  return [group for group in groups if group[1]]


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--print", action="store_true")
  parser.add_argument("--as-they-are", action="store_true", help="take the estimates that are listed")
  options = parser.parse_args()
  gpu, hosts = {"cuBLAS": load("h200.json"), "Triton": load("h200-triton.json")}, load("host.json")
  for folder in () if options.as_they_are else (cells.FOLDER, cells.SMALL):
    refresh(folder, "h200")
  groups = gpu_groups(gpu)
  rows = host_rows(hosts["programs"], "host-cpu")
  if options.print:
    for r in sorted([r for _, members in groups for r in members] + rows, key=lambda r: r.error):
      print(f"{percent(r.error):>10}  {r.name}")
    return
  text = [INTRODUCTION, *gpu_text(gpu["cuBLAS"], groups), *(host_text(hosts, rows) if rows else [])]
  DOC.parent.mkdir(exist_ok=True)
  DOC.write_text("\n".join(text))


if __name__ == "__main__":
  main()
