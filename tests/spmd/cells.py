"""One cell of the grid: a model under an expert's strategy on a mesh, in three forms that must give the same numbers.

    outcome = run_cell("gpt", "zero3", "2x4")
    outcome.explicit    "same", or what is wrong
    outcome.annotated   the same of the annotated form, which XLA partitions by itself
"""

import dataclasses
import functools
import time

from . import collectives, harness, strategies, tool, xla
from .pairs import is_right_without_shardings

SAME = "same"


@dataclasses.dataclass(frozen=True)
class Outcome:
  explicit: str = ""
  annotated: str = ""
  counts: dict = dataclasses.field(default_factory=dict)  # Collectives in our program, by kind.
  compiled: dict = dataclasses.field(default_factory=dict)  # In XLA's HLO of the explicit form.
  refused: str = ""  # The command would not do it.
  error: float = 0.0  # Largest of the explicit form, in tolerances.
  seconds: float = 0.0

  @property
  def passed(self):
    return self.explicit == SAME and self.annotated == SAME


@functools.lru_cache(maxsize=2)
def model_case(name):
  return harness.model_case(name)


def run_cell(model, strategy, mesh_name):
  start = time.monotonic()
  case, mesh = model_case(model), strategies.MESHES[mesh_name]
  try:
    applied = tool.apply(case.text, mesh, strategies.tactics(model, strategy, mesh))
  except tool.ToolError as error:
    return Outcome(refused=str(error))
  explicit = run_form(case, applied.explicit)
  annotated = run_form(case, applied.annotated)
  return Outcome(explicit[0], annotated[0], applied.counts(), explicit[2], "", explicit[1], time.monotonic() - start)


def run_form(case, text):
  """(verdict, largest error in tolerances, collectives that XLA runs) of one form."""
  try:
    compiled = xla.Program(text).compile()
    results = compiled(*case.arguments)
  except xla.Refused as error:
    return f"refused by XLA: {error}", 0.0, {}
  except Exception as error:
    return f"refused by jaxlib: {xla.first_line(error)}", 0.0, {}
  wrong = harness.differences(case.expected, results)
  counts = collectives.counts(collectives.in_hlo(compiled.hlo))
  if wrong:
    whose = "miscompiled by XLA: " if is_right_without_shardings(case, text) else ""
    return f"{whose}{len(wrong)} of {len(results)} results differ: {wrong[0]}", 0.0, counts
  return SAME, harness.largest_error(case.expected, results), counts
