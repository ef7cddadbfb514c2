"""The analysis, on random programs: equal to the slow reference, and the same whatever the program is written like.

SHARDWRIGHT_EXAMPLES=2000 looks at that many programs instead of a few dozen.
"""

import collections
import functools
import json
import os
import random
import re

import pytest

from . import reference_analysis, rewrites
from .random_programs import kept_apart, pretty_text, random_program

EXAMPLES = int(os.environ.get("SHARDWRIGHT_EXAMPLES", 60))
SEEDS = range(EXAMPLES)
SETTINGS = ("--json", "-")


@functools.cache
def program_of(seed):
  return random_program(seed, 4 + seed * 7 % 40)


class Analyses:
  """What the command says of a text, whose statements are all there; each text is asked for once."""

  def __init__(self, shardwright):
    analyze = lambda part, text: json.loads(shardwright.ok("analyze", part, *SETTINGS, stdin=kept_apart(text)))
    self.ops = functools.cache(functools.partial(analyze, "--ops"))
    self.rules = functools.cache(functools.partial(analyze, "--rules"))
    self.reference = functools.cache(lambda text: reference_analysis.analyse(self.rules(text)))


@pytest.fixture(scope="module")
def analyses(shardwright):
  return Analyses(shardwright)


def colors_of(analysis):
  """(op, factor) -> colour."""
  return {(i, f): c for i, op in enumerate(analysis["ops"]) for f, c in enumerate(op["colors"]) if c is not None}


def conflicts_of(analysis):
  return [(c["op"], *sorted(c["factors"])) for c in analysis["conflicts"]]


def partition(labels):
  """Labels of things -> the groups of things with one label."""
  groups = collections.defaultdict(set)
  for thing, label in labels.items():
    groups[label].add(thing)
  return {frozenset(group) for group in groups.values()}


def relative_sides(sides):
  """Conflict -> (first conflict of its set, whether it is on the other side of that one). To flip a whole set changes
  nothing."""
  first, result = {}, {}
  for conflict in sorted(sides):
    number, flipped = sides[conflict]
    leader, leader_flipped = first.setdefault(number, (conflict, flipped))
    result[conflict] = leader, flipped != leader_flipped
  return result


# --- equal to the reference ---


@pytest.mark.parametrize("seed", SEEDS)
def test_flat_program_is_one_op_per_argument_statement_and_result(seed, analyses):
  program = program_of(seed)
  assert len(analyses.rules(program.text)["rules"]) == rewrites.flat_count(program)


@pytest.mark.parametrize("seed", SEEDS)
def test_colors_a1_to_a4(seed, analyses):
  text = program_of(seed).text
  assert colors_of(analyses.ops(text)) == analyses.reference(text).colors


@pytest.mark.parametrize("seed", SEEDS)
def test_conflicts_a5(seed, analyses):
  text = program_of(seed).text
  ours, reference = analyses.ops(text), analyses.reference(text)
  assert conflicts_of(ours) == [c for c in reference.conflicts if c not in reference.ties]
  assert [c["color"] for c in ours["conflicts"]] == [reference.color_of(c) for c in conflicts_of(ours)]


@pytest.mark.parametrize("seed", SEEDS)
def test_compatibility_sets_a6(seed, analyses):
  text = program_of(seed).text
  ours, reference = analyses.ops(text), analyses.reference(text)
  listed = dict(zip(conflicts_of(ours), ours["conflicts"]))
  sides = {key: (c["compatibility_set"], c["factors"] != sorted(c["factors"])) for key, c in listed.items()}
  assert relative_sides(sides) == relative_sides({c: reference.sides[c] for c in listed})
  assert ours["odd_cycles"] == reference.odd_cycles


@pytest.mark.parametrize("seed", SEEDS)
def test_compatibility_sets_list_their_conflicts(seed, analyses):
  ours = analyses.ops(program_of(seed).text)
  listed = {(s["id"], c) for s in ours["compatibility_sets"] for c in s["conflicts"]}
  assert listed == {(c["compatibility_set"], c["id"]) for c in ours["conflicts"]}
  color_of_set = {s["id"]: s["color"] for s in ours["compatibility_sets"]}
  assert all(color_of_set[c["compatibility_set"]] == c["color"] for c in ours["conflicts"])


@pytest.mark.parametrize("seed", SEEDS)
def test_copies_share_a_class_a7(seed, analyses, shardwright):
  text = program_of(seed).text
  ours, reference = analyses.ops(text), analyses.reference(text)
  keys = signature_keys(shardwright.ok("inspect", "--program", "-", stdin=kept_apart(text)))
  assert len(keys) == len(ours["ops"])
  profiles = [reference_analysis.profile(reference, keys, c) for c in range(len(ours["colors"]))]
  met = meetings(ours)
  lonely = [c for c in range(len(profiles)) if all(similarity(profiles[c], profiles[d]) < 0.5 for d in met[c])]
  classes = collections.defaultdict(set)
  for color in lonely:
    classes[frozenset(profiles[color].items())].add(ours["colors"][color]["class"])
  assert all(len(found) == 1 for found in classes.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_copies_that_meet_are_in_different_classes_a9(seed, analyses):
  ours = analyses.ops(program_of(seed).text)
  class_of = [c["class"] for c in ours["colors"]]
  met = meetings(ours)
  assert not [(a, b) for a in met for b in met[a] if class_of[a] == class_of[b]]
  assert partition(dict(enumerate(class_of))) == {frozenset(c["colors"]) for c in ours["classes"]}


@pytest.mark.parametrize("seed", SEEDS)
def test_sets_of_one_class_belong_to_colors_of_one_class(seed, analyses):
  ours = analyses.ops(program_of(seed).text)
  found = collections.defaultdict(set)
  for entry in ours["compatibility_sets"]:
    found[entry["class"]].add(ours["colors"][entry["color"]]["class"])
  assert all(len(classes) == 1 for classes in found.values())


def meetings(analysis):
  """Colour -> the other colours it stands beside in some op."""
  met = collections.defaultdict(set)
  for op in analysis["ops"]:
    colors = {c for c in op["colors"] if c is not None}
    for color in colors:
      met[color] |= colors - {color}
  return met


def similarity(a, b):
  return sum((a & b).values()) / sum((a | b).values())


def signature_keys(flat_program):
  """Per op, its line of the flat program with types in place of value numbers."""
  lines = [line.strip() for line in flat_program.splitlines() if line.strip()]
  types = dict(re.findall(r"(%\d+):(\S+?\])", flat_program))
  lines = [line for line in lines if not re.match(r"(condition|body|branch)\b", line)]
  return [re.sub(r"%\d+", lambda found: types[found.group()], line) for line in lines]


# --- the same however it is written ---


def bare(analysis):
  """Without what shows names and places of the text."""
  if isinstance(analysis, dict):
    return {key: bare(value) for key, value in analysis.items() if key not in ("name", "location")}
  return [bare(value) for value in analysis] if isinstance(analysis, list) else analysis


@pytest.mark.parametrize("seed", SEEDS)
def test_names_do_not_matter(seed, analyses):
  program = program_of(seed)
  text = rewrites.renamed_text(program, random.Random(seed))
  assert text != program.text
  assert bare(analyses.ops(text)) == bare(analyses.ops(program.text))


@pytest.mark.parametrize("seed", SEEDS)
def test_form_does_not_matter(seed, analyses):
  text = program_of(seed).text
  assert bare(analyses.ops(pretty_text(text))) == bare(analyses.ops(text))


def same_after(analyses, program, changed, positions):
  """Asserts that all ops of `program` have the same colours and conflicts in `changed`."""
  numbers = rewrites.op_numbers(program, changed, positions)
  before, after = analyses.ops(program.text), analyses.ops(changed.text)
  assert [after["ops"][numbers[i]]["rule"] for i in range(len(numbers))] == [op["rule"] for op in before["ops"]]
  after_colors = colors_of(after)
  moved = {(op, factor): after_colors[numbers[op], factor] for op, factor in colors_of(before)}
  assert partition(moved) == partition(colors_of(before))
  assert {(numbers[op], *factors) for op, *factors in conflicts_of(before)} <= set(conflicts_of(after))


@pytest.mark.parametrize("seed", SEEDS)
def test_order_of_independent_ops_does_not_matter(seed, analyses):
  program = program_of(seed)
  changed, positions = rewrites.reordered(program, random.Random(seed))
  same_after(analyses, program, changed, positions)
  before, after = analyses.ops(program.text), analyses.ops(changed.text)
  assert len(before["conflicts"]) == len(after["conflicts"])


@pytest.mark.parametrize("seed", SEEDS)
def test_moves_undone_at_once_do_not_matter(seed, analyses):
  program = program_of(seed)
  names = passing_on(program, reference_analysis.read_ops(analyses.rules(program.text)))
  changed, positions = rewrites.with_undone_moves(program, random.Random(seed), names)
  same_after(analyses, program, changed, positions)


def passing_on(program, ops):
  """Names of values whose every dim is one factor that can be split, or of size 1. Where the definition joins nothing,
  its users would meet in the transpose; where dims are compound on both sides, it would join leading factors only."""
  definitions = {a.value.name: ops[i] for i, a in enumerate(program.arguments)}
  for statement, numbers in zip(program.statements, rewrites.ranges(program)):
    if len(numbers) == 1:
      definitions[statement.result] = ops[numbers[0]]
  simple = []
  for name in program.values:
    op = definitions.get(name)
    if op is not None and all(passes(op.rule, dim) for dim in op.rule.results[0]):
      simple.append(name)
  return simple


def passes(rule, dim):
  factors = rule.without_ones(dim)
  return not factors or (len(factors) == 1 and rule.splittable(factors[0]))


# --- the programs are worth it ---


def test_programs_have_conflicts_odd_cycles_and_aliases(analyses):
  """Or the tests above prove little."""
  texts = [program_of(seed).text for seed in SEEDS]
  found = [analyses.ops(text) for text in texts]
  assert sum(bool(a["conflicts"]) for a in found) > 0.8 * len(found)
  assert sum(a["odd_cycles"] > 0 for a in found) > 0.2 * len(found)
  assert sum(bool(analyses.rules(text)["aliases"]) for text in texts) > 0.2 * len(found)
  assert sum(len(a["colors"]) for a in found) / len(found) > 10
