"""Random programs under random plans: pair number n is always the same program and the same plan.

    python -m tests.spmd.pairs --from 10000 --to 14999     (`make random-pairs FROM=10000 TO=14999`)
    python -m tests.spmd.pairs --show 10007                the program, the plan and both forms, as files in a folder

Four pairs share a program, so that it is compiled once.
"""

import argparse
import collections
import dataclasses
import json
import pathlib
import random
import re
import sys
import time

from . import harness, shardy, tool, workers, xla
from .random_plans import random_plan

PLANS_PER_PROGRAM = 4
FORMS = ("explicit", "annotated")
SAME, DIFFERS, REFUSED, MISCOMPILED, FAILED = "same", "differs", "refused", "miscompiled", "failed"


@dataclasses.dataclass(frozen=True)
class Verdict:
  """Of one form of one pair. REFUSED: XLA would not compile it. MISCOMPILED: the annotated form is the program, for
  without its shardings it gives the right numbers, but XLA's partitioner gives others. FAILED: the command or jaxlib's
  parser would not take it."""

  kind: str
  words: str = ""


def program_of(pair):
  number = pair // PLANS_PER_PROGRAM
  return harness.random_case(number, 3 + number * 5 % 13)


def plan_of(pair, analysis):
  aliases = [int(result) for result in re.findall(r"tf\.aliasing_output = (\d+)", program_of(pair).text)]
  return random_plan(analysis, random.Random(f"plan {pair}"), aliases)


def run_program(first, last, forms=FORMS):
  """{(pair, form): verdict} of pairs that share a program."""
  case = program_of(first)
  analysis, key = tool.analyze(case.text), tool.program_key(case.text)
  verdicts = {}
  for pair in range(first, last + 1):
    found = run_pair(case, plan_of(pair, analysis), key, forms)
    verdicts |= {(pair, form): verdict for form, verdict in found.items()}
  return verdicts


def run_pair(case, plan, key, forms):
  try:
    applied = tool.apply(case.text, plan.mesh, plan=plan.file(key), more=["--check"])
  except tool.ToolError as error:
    return dict.fromkeys(forms, Verdict(FAILED, str(error)))
  return {form: run_form(case, getattr(applied, form)) for form in forms}


def run_form(case, text):
  try:
    program = xla.Program(text)
  except Exception as error:
    return Verdict(FAILED, f"jaxlib: {xla.first_line(error)}")
  try:
    results = program.compile()(*case.arguments)
  except xla.Refused as error:
    return Verdict(REFUSED, str(error))
  wrong = harness.differences(case.expected, results)
  if not wrong:
    return Verdict(SAME)
  return Verdict(MISCOMPILED if is_right_without_shardings(case, text) else DIFFERS, wrong[0])


def is_right_without_shardings(case, text):
  """Of an annotated text: shardings change no meaning, so what is wrong with them and right without is XLA's doing."""
  if "sdy.manual_computation" in text:
    return False
  plain = shardy.run_passes(shardy.without_constraints(text), "sdy-drop-sharding-and-mesh")
  return not harness.differences(case.expected, case.run(plain))


def items(first, last, forms):
  """The pairs of each program together."""
  start = first
  while start <= last:
    end = min(last, start - start % PLANS_PER_PROGRAM + PLANS_PER_PROGRAM - 1)
    yield start, end, forms
    start = end + 1


def run_range(first, last, forms=FORMS, progress=None):
  """{(pair, form): verdict} in order. When a worker dies, what it was at is run again one by one."""
  verdicts, again = {}, []
  for (start, end, _), ended in workers.run_all(run_program, items(first, last, forms)):
    if ended.failure:
      again += [(pair, pair, (form,)) for pair in range(start, end + 1) for form in forms]
    verdicts |= ended.value or {}
    if progress:
      progress(verdicts)
  for (pair, _, (form,)), ended in workers.run_all(run_program, again):
    verdicts |= ended.value or {(pair, form): died(ended.failure)}
  return dict(sorted(verdicts.items()))


def died(failure):
  """XLA ends its process where it finds that it has gone wrong: a refusal of its own kind."""
  return Verdict(REFUSED if failure.startswith("process ended") else FAILED, failure.strip().splitlines()[-1])


# --- the command ---


def main():
  options = parse_options()
  if options.show is not None:
    show(options.show)
    return
  forms = tuple(options.forms.split(","))
  progress = Progress(options.to - options.first + 1)
  verdicts = run_range(options.first, options.to, forms, progress)
  report(verdicts)
  print(f"{options.to - options.first + 1} pairs in {progress.seconds():.0f} s: {tally_text(verdicts)}")
  sys.exit(1 if any(verdict.kind in (DIFFERS, FAILED) for verdict in verdicts.values()) else 0)


def parse_options():
  parser = argparse.ArgumentParser(prog="pairs", description="Runs random programs under random plans.")
  parser.add_argument("--from", dest="first", type=int, default=0)
  parser.add_argument("--to", type=int, default=199)
  parser.add_argument("--forms", default=",".join(FORMS))
  parser.add_argument("--show", type=int, help="write what there is of one pair to build/pair-N")
  return parser.parse_args()


class Progress:
  """Prints a line every ten seconds."""

  def __init__(self, total):
    self.total = total
    self.start = self.last = time.monotonic()

  def seconds(self):
    return time.monotonic() - self.start

  def __call__(self, verdicts):
    if time.monotonic() - self.last >= 10:
      self.last = time.monotonic()
      pairs = len({pair for pair, _ in verdicts})
      print(f"{pairs}/{self.total} pairs, {self.seconds():.0f} s: {tally_text(verdicts)}", flush=True)


def tally_text(verdicts):
  """`explicit 198 same, 2 refused; annotated …`."""
  tallies = {}
  for (_, form), verdict in verdicts.items():
    tallies.setdefault(form, collections.Counter())[verdict.kind] += 1
  texts = [f"{form} {', '.join(f'{n} {kind}' for kind, n in tally.most_common())}" for form, tally in tallies.items()]
  return "; ".join(texts)


def report(verdicts):
  for (pair, form), verdict in verdicts.items():
    if verdict.kind != SAME:
      print(f"pair {pair}, {form}: {verdict.kind}: {verdict.words.splitlines()[0] if verdict.words else ''}")


def show(pair):
  case = program_of(pair)
  plan = plan_of(pair, tool.analyze(case.text))
  folder = pathlib.Path(harness.ROOT / "build" / f"pair-{pair}")
  folder.mkdir(parents=True, exist_ok=True)
  (folder / "program.mlir").write_text(case.text)
  file = plan.file(tool.program_key(case.text))
  (folder / "plan.json").write_text(json.dumps(file, indent=1))
  print(f"{folder}: mesh {tool.mesh_text(plan.mesh)}")
  applied = tool.apply(case.text, plan.mesh, plan=file)
  (folder / "explicit.mlir").write_text(applied.explicit)
  (folder / "annotated.mlir").write_text(applied.annotated)
  for name, text in (("explicit", applied.explicit), ("annotated", applied.annotated)):
    print(f"{name}: {run_form(case, text)}")


if __name__ == "__main__":
  main()
