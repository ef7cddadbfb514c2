"""Programs that no rule of the estimates was fitted to, written as people write them, each at a size of one's own.

    step, arguments, donated = PROGRAMS["gat"](2)     twice as wide, and twice the batch, as at 1
    text("gat", 2)                                    the step as StableHLO

`models/` has what the rules were made with. These are for holding the rules against something else: when one of them shows a fault, the
rule is mended for all programs of its kind, and the program stays as it is.
"""

from models import lowering

from . import language, others, pictures  # noqa: F401, each lists its programs.
from .common import PROGRAMS


def text(name, n, platform="cpu"):
  """The step as StableHLO."""
  step, arguments, donated = PROGRAMS[name](n)
  return lowering.stablehlo_text(step, arguments, donated, platform=platform)
