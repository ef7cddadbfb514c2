"""The full grid: every small model under every expert strategy on every mesh; writes docs/results/same-numbers.md.

    python -m tests.spmd.grid                       everything (`make grid`)
    python -m tests.spmd.grid --only gpt --mesh 8   a part; nothing is written
"""

import argparse
import sys

import jax

from . import cells, harness, strategies, workers

OUTPUT = harness.ROOT / "docs" / "results" / "same-numbers.md"


def main():
  options = parse_options()
  chosen = [cell for cell in strategies.cells() if wanted(cell, options)]
  outcomes = run(chosen)
  failed = [cell for cell in chosen if not outcomes[cell].passed]
  print(f"{len(chosen) - len(failed)} of {len(chosen)} cells: explicit = annotated = unpartitioned")
  if not (options.only or options.strategy or options.mesh):
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    OUTPUT.write_text(page(outcomes))
    print(f"wrote {OUTPUT.relative_to(harness.ROOT)}")
  sys.exit(1 if any(ours(outcomes[cell]) for cell in failed) else 0)


def parse_options():
  parser = argparse.ArgumentParser(prog="grid", description="Runs every model under every expert strategy.")
  parser.add_argument("--only", help="models, with commas")
  parser.add_argument("--strategy", help="strategies whose name contains this")
  parser.add_argument("--mesh", help="one mesh: " + ", ".join(strategies.MESHES))
  return parser.parse_args()


def wanted(cell, options):
  model, strategy, mesh = cell
  return (
    (not options.only or model in options.only.split(","))
    and (not options.strategy or options.strategy in strategy)
    and (not options.mesh or mesh == options.mesh)
  )


def run(chosen):
  """{cell: outcome}; prints each as it is ready."""
  outcomes = {}
  for cell, ended in workers.run_all(cells.run_cell, chosen):
    outcome = ended.value or cells.Outcome(explicit=ended.failure.strip().splitlines()[-1])
    outcomes[cell] = outcome
    print(f"[{len(outcomes)}/{len(chosen)}] {' | '.join(cell)}: {summary(outcome)}", flush=True)
  return outcomes


def summary(outcome):
  if outcome.refused:
    return f"the command refused: {outcome.refused}"
  if outcome.passed:
    return f"same ({outcome.error:.2g} tolerances, {outcome.seconds:.1f} s)"
  return f"explicit: {outcome.explicit}; annotated: {outcome.annotated}"


def ours(outcome):
  """Whether a failure is one of this project. XLA's own partitioner, which the annotated form needs, has some too."""
  return outcome.explicit != cells.SAME or not (outcome.annotated == cells.SAME or refused(outcome.annotated))


def refused(verdict):
  return verdict.startswith(("refused by XLA", "miscompiled by XLA"))


# --- the page ---

INTRODUCTION = """# Same numbers

Every small model under what experts do with it, on 8 host devices: the explicit form (our collectives), the annotated
form (Shardy's shardings, partitioned by XLA) and the program itself on one device. `same` means that all three gave the
same results: integers equal, floats to rounding (the tolerance is stated in `tests/spmd/harness.py`). Arguments are
random, in float32. Written by `make grid` with JAX {version}.

**{passed} of {total} cells: explicit = annotated = unpartitioned. Explicit = unpartitioned in {explicit}.** The largest
error was {error:.2g} of the tolerance.

"""


def page(outcomes):
  passed = sum(o.passed for o in outcomes.values())
  explicit = sum(o.explicit == cells.SAME for o in outcomes.values())
  error = max((o.error for o in outcomes.values()), default=0)
  counts = {"passed": passed, "total": len(outcomes), "explicit": explicit}
  head = INTRODUCTION.format(version=jax.__version__, error=error, **counts)
  notes = []
  return head + table(outcomes, notes) + notes_text(notes) + collectives_table(outcomes)


def table(outcomes, notes):
  lines = [f"| model | strategy | {' | '.join(strategies.MESHES)} |", f"|---|---|{'---|' * len(strategies.MESHES)}"]
  for model, strategy in dict.fromkeys(cell[:2] for cell in strategies.cells()):
    row = [cell_text(outcomes.get((model, strategy, mesh)), notes) for mesh in strategies.MESHES]
    lines.append(f"| `{model}` | {strategy} | {' | '.join(row)} |")
  return "\n".join(lines) + "\n"


def cell_text(outcome, notes):
  if outcome is None:
    return ""
  if outcome.passed:
    return "same"
  reason = summary(outcome).replace("|", "\\|").replace("\n", " ")
  if reason not in notes:
    notes.append(reason)
  return f"{'explicit same' if outcome.explicit == cells.SAME else 'FAILED'} ({notes.index(reason) + 1})"


def notes_text(notes):
  if not notes:
    return ""
  lines = "\n".join(f"{number}. {note}" for number, note in enumerate(notes, 1))
  return f"\n## Cells that are not `same`\n\n{lines}\n"


def collectives_table(outcomes):
  """What each strategy costs in collectives on the 2x4 mesh: written by us, and run by XLA."""
  lines = ["", "## Collectives on the mesh 2x4", ""]
  lines += ["In the explicit form as we write it; in brackets what XLA runs of it where that differs.", ""]
  lines += ["| model | strategy | collectives |", "|---|---|---|"]
  for (model, strategy, mesh), outcome in sorted(outcomes.items(), key=lambda item: strategies.cells().index(item[0])):
    if mesh == "2x4" and not outcome.refused:
      lines.append(f"| `{model}` | {strategy} | {counts_text(outcome)} |")
  return "\n".join(lines) + "\n"


def counts_text(outcome):
  kinds = [kind for kind in dict.fromkeys([*outcome.counts, *outcome.compiled])]
  parts = []
  for kind in kinds:
    written, ran = outcome.counts.get(kind, 0), outcome.compiled.get(kind, 0)
    parts.append(f"{written} {kind}" + (f" ({ran})" if ran != written else ""))
  return ", ".join(parts) or "none"


if __name__ == "__main__":
  main()
