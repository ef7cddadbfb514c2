"""No worse than Shardy: for the same shardings, what our program moves and what Shardy's passes move.

    python -m tests.spmd.reshards     the whole grid; writes docs/results/reshards.md (`make reshards`)
"""

import dataclasses
import sys

import jax

from . import collectives, harness, shardy, strategies, tool, workers

OUTPUT = harness.ROOT / "docs" / "results" / "reshards.md"


# Here the plan asks for copies to be made again, to save memory, where Shardy keeps them: other things are compared, and
# ours may move more. They have a table of their own.
REMADE = ("zero3, made again",)


@dataclasses.dataclass(frozen=True)
class Comparison:
  ours: dict  # Kind -> Total.
  theirs: dict
  refused: str = ""

  @property
  def moved(self):
    """Bytes per device and step: ours, Shardy's."""
    return tuple(sum(total.moved for total in side.values()) for side in (self.ours, self.theirs))

  @property
  def no_worse(self):
    ours, theirs = self.moved
    return not self.refused and ours <= theirs * (1 + 1e-9)


def compare(model, strategy, mesh_name):
  mesh = strategies.MESHES[mesh_name]
  text = (harness.MODEL_TEXTS / f"{model}.mlir").read_text()
  try:
    applied = tool.apply(text, mesh, strategies.tactics(model, strategy, mesh))
  except tool.ToolError as error:
    return Comparison({}, {}, str(error))
  ours = collectives.total(collectives.in_stablehlo(applied.explicit))
  return Comparison(ours, collectives.total(shardy.collectives_of(applied.annotated)))


def main():
  chosen = strategies.cells()
  outcomes = {}
  for cell, ended in workers.run_all(compare, chosen):
    outcomes[cell] = ended.value or Comparison({}, {}, ended.failure.strip().splitlines()[-1])
    print(f"[{len(outcomes)}/{len(chosen)}] {' | '.join(cell)}: {summary(outcomes[cell])}", flush=True)
  OUTPUT.parent.mkdir(parents=True, exist_ok=True)
  OUTPUT.write_text(page({cell: outcomes[cell] for cell in chosen}))
  print(f"wrote {OUTPUT.relative_to(harness.ROOT)}")
  sys.exit(0 if all(o.no_worse for cell, o in outcomes.items() if cell[1] not in REMADE) else 1)


def summary(outcome):
  if outcome.refused:
    return f"not compared: {outcome.refused}"
  ours, theirs = outcome.moved
  return f"{ours:.0f} bytes, Shardy {theirs:.0f}{'' if outcome.no_worse else ' WORSE'}"


PAGE = """# Reshards, beside Shardy's

For the same shardings: the bytes that leave one device in one step, in our program and in what Shardy's passes
(`sdy-insert-explicit-reshards`, `sdy-reshard-to-collectives`, `sdy-optimize-collectives`, then common subexpressions)
make of the annotated form. One formula for both: all-reduce 2(n-1)/n of what is reduced, all-gather and reduce-scatter
(n-1)/n of the whole, all-to-all (n-1)/n of a device's part, permute a device's part; loops by trip count. Shardy's
passes have no rule for a few ops of CHLO and move nothing for them. Written by `make reshards` with JAX {version}.

**Ours move no more bytes in {good} of {total} cells; over all of these {ours} MB against {theirs} MB.** Plans that ask for
gathered copies to be made again, which Shardy keeps, stand at the end: there ours move no more in {remade_good} of
{remade_total}.

| model | strategy | mesh | ours, KB | Shardy, KB | ratio |
|---|---|---|---|---|---|
"""


REMADE_HEAD = """
## Copies made again

These plans spend communication to save memory: a gathered copy is made again where more than so many ops lie between two
uses, in a loop in every turn. Shardy's passes keep it.

| model | strategy | mesh | ours, KB | Shardy, KB | ratio |
|---|---|---|---|---|---|
"""


def page(outcomes):
  remade = {cell: o for cell, o in outcomes.items() if cell[1] in REMADE}
  kept = {cell: o for cell, o in outcomes.items() if cell[1] not in REMADE}
  numbers = {"remade_good": sum(o.no_worse for o in remade.values()), "remade_total": len(remade)}
  return head(kept, numbers) + rows(kept) + REMADE_HEAD + rows(remade)


def head(outcomes, numbers):
  compared = [o for o in outcomes.values() if not o.refused]
  ours, theirs = (sum(o.moved[side] for o in compared) / 1e6 for side in (0, 1))
  good = sum(o.no_worse for o in outcomes.values())
  numbers = {**numbers, "good": good, "total": len(outcomes), "ours": f"{ours:.1f}", "theirs": f"{theirs:.1f}"}
  return PAGE.format(version=jax.__version__, **numbers)


def rows(outcomes):
  return "".join(row(cell, outcome) for cell, outcome in outcomes.items())


def row(cell, outcome):
  model, strategy, mesh = cell
  if outcome.refused:
    return f"| `{model}` | {strategy} | {mesh} | not compared: {outcome.refused.splitlines()[0]} | | |\n"
  ours, theirs = outcome.moved
  ratio = f"{ours / theirs:.2f}" if theirs else "-"
  return f"| `{model}` | {strategy} | {mesh} | {ours / 1e3:.1f} | {theirs / 1e3:.1f} | {ratio} |\n"


if __name__ == "__main__":
  main()
