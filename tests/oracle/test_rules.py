"""Our rule of every op equals the one Shardy gives it, but for the differences of rule_differences.py."""

import functools
import json
import pathlib
import re

import jax
import jaxlib_mlir
import pytest
import sharding_rule
from jaxlib.mlir import ir, passmanager
from rule_differences import DIFFERENCES, NO_RULE

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tests" / "data"
RULE_MODULES = sorted((DATA / "rules").glob("*.mlir"))
MODEL_MODULES = sorted((DATA / "models").glob("*.mlir"))
MODULES = RULE_MODULES + MODEL_MODULES
JAX = tuple(int(part) for part in jax.__version__.split(".")[:3])

# Ops of the flat program itself; Shardy has nothing to compare them with.
STRUCTURE = {"argument", "return", "carry", "merge", "while", "case"}


def walk(op):
  """The op and all ops inside it, in pre-order."""
  yield op
  for region in op.regions:
    for block in region:
      for inner in block:
        yield from walk(inner.operation)


def attribute(op, name):
  return str(op.attributes[name]) if name in op.attributes else ""


def spatial_dims(convolution):
  """`#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`: the numbered dims of each tensor."""
  tensors = [tensor.split(", ") for tensor in re.findall(r"\[([^\]]*)\]", convolution)]
  return {(t, d) for t, tensor in enumerate(tensors) for d, name in enumerate(tensor) if name.isdigit()}


def shardy_rules(text):
  """Shardy's rule of each op, by the op's place in a pre-order walk of the module, with its spatial dims."""
  with jaxlib_mlir.context():
    module = ir.Module.parse(text)
    passes = passmanager.PassManager.parse("builtin.module(func.func(sdy-populate-op-sharding-rules))")
    passes.run(module.operation)
    ops = list(walk(module.operation))
    convolutions = [(n, op) for n, op in enumerate(ops) if op.name == "stablehlo.convolution"]
    spatial = {n: spatial_dims(attribute(op, "dimension_numbers")) for n, op in convolutions}
    return [attribute(op, "sdy.sharding_rule") for op in ops], spatial


class Comparison:
  """Our rules of one module against Shardy's."""

  def __init__(self, tool, path):
    text = path.read_text()
    entries = json.loads(tool.ok("analyze", "--rules", "--json", path))["rules"]
    self.ours = [entry for entry in entries if entry["op"] not in STRUCTURE]
    self.shardy, self.spatial = shardy_rules(text)
    self.found = {}  # (op, difference) -> an example
    for entry in self.ours:
      for difference, dims in self._differences(entry).items():
        theirs = self.shardy[entry["origin"]]
        example = f"{path.name} {entry['location']}\n  ours   {entry['rule']}\n  shardy {theirs}"
        self.found.setdefault((self._where(entry, dims), difference), example)

  def _where(self, entry, dims):
    """The op; what a convolution does with its spatial dims is told apart from the rest."""
    is_spatial = dims and dims <= self.spatial.get(entry["origin"], set())
    return entry["op"] + " (spatial)" if is_spatial else entry["op"]

  def _differences(self, entry):
    theirs = self.shardy[entry["origin"]]
    if not theirs:
      return {} if entry["source"] == "whole" else {"missing": set()}
    if entry["source"] == "whole":
      return {"whole": set()}
    assert entry["op"] != "barrier", "Shardy has a rule for the whole barrier now: compare it part by part"
    return sharding_rule.differences(sharding_rule.parse(entry["rule"]), sharding_rule.parse(theirs))


@functools.cache
def comparison(tool, path):
  return Comparison(tool, path)


def rows():
  """The differences that this version of JAX shows."""
  return {key for key, row in DIFFERENCES.items() if row.since <= JAX < row.before}


def test_there_are_modules():
  assert len(RULE_MODULES) >= 15
  assert MODEL_MODULES


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_rules_equal_shardys(path, shardwright):
  unexpected = {key: example for key, example in comparison(shardwright, path).found.items() if key not in rows()}
  assert not unexpected, "\n".join(f"{key}: {example}" for key, example in unexpected.items())


@pytest.mark.parametrize("path", RULE_MODULES, ids=lambda path: path.stem)
def test_every_op_is_compared(path, shardwright):
  """Nothing that Shardy has a rule for is lost on the way, so that equality is not vacuous."""
  compared = comparison(shardwright, path)
  # A rule without factors is that of scalars, as in the bodies of reductions, which are part of the op around them.
  with_factors = {n for n, rule in enumerate(compared.shardy) if "=" in rule}
  lost = with_factors - {entry["origin"] for entry in compared.ours}
  assert not lost, [compared.shardy[n] for n in sorted(lost)]


def test_every_difference_is_shown(shardwright):
  shown = set().union(*(comparison(shardwright, path).found for path in RULE_MODULES))
  assert rows() - shown == set()


def test_every_difference_has_a_reason():
  for key, row in DIFFERENCES.items():
    assert len(row.reason) > 20, key


# --- rules_coverage ---


@functools.cache
def table():
  """The names in the table of rules."""
  text = (ROOT / "src" / "shardwright" / "rules" / "table.cpp").read_text()
  return set(re.findall(r'^ +\{"([^"]+)", \w+(?:, Linear::\w+)?\},$', text, re.MULTILINE))


@pytest.mark.parametrize("op", [op for names in jaxlib_mlir.ALL_OPS.values() for op in names])
def test_every_op_has_a_rule_or_a_reason(op):
  assert (op in table()) != (op in NO_RULE), f"{op}: give it a rule, or a reason to have none, not both"


def test_no_reason_is_stale():
  known = {op for names in jaxlib_mlir.ALL_OPS.values() for op in names}
  assert {op for op, row in NO_RULE.items() if op not in known and row.since <= JAX < row.before} == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_only_named_ops_are_whole(path, shardwright):
  whole = {entry["op"] for entry in comparison(shardwright, path).ours if entry["source"] == "whole"}
  assert {op for op in whole if op not in NO_RULE and not op.startswith("stablehlo.custom_call:")} == set()


# --- the comparison itself ---


def compare(ours, theirs):
  return set(sharding_rule.differences(sharding_rule.parse(ours), sharding_rule.parse(theirs)))


NAMED = [
    (
        "([i, k], [k, j])->([i, j]) {i=2, j=3, k=4} reduction={k}",
        "([a, b], [b, c])->([a, c]) {a=2, b=4, c=3} reduction={b}",
        set(),
    ),
    ("([], [])->([])", "([], [])->([])", set()),
    ("([i])->([i]) {i=1} need_replication={i}", "([i])->([j]) {i=1, j=1}", set()),
    ("([ij])->([i, j]) {i=2, j=4}", "([yz_1])->([y, z_1]) {y=2, z_1=4}", set()),
    ("([ij])->([i, j]) {i=2, j=4}", "([ij])->([j, i]) {i=4, j=2}", {"parallel>parallel"}),
    ("([i])->([i]) {i=8}", "([i])->([j]) {i=8, j=8}", {"parallel>parallel"}),
    (
        "([i])->([i]) {i=8} need_replication={i}",
        "([i])->([i]) {i=8} permutation={i}",
        {"permutation>need_replication"},
    ),
    (
        "([i])->([j]) {i=8, j=4} need_replication={i, j}",
        "([i])->([i]) {i=8} need_replication={i}",
        {"need_replication misfit"},
    ),
    (
        "([i])->([j]) {i=8, j=8} need_replication={i, j}",
        "([i])->([i]) {i=8} need_replication={i}",
        {"need_replication>need_replication"},
    ),
    (
        "([i])->([]) {i=8} need_replication={i}",
        "([i])->([]) {i=8} reduction={i}",
        {"reduction>need_replication"},
    ),
    (
        "([ij])->([i]) {i=4, j=2} reduction={j}",
        "([i])->([i]) {i=4} permutation={i}",
        {"permutation misfit"},
    ),
    (
        "([ij])->([i]) {i=4, j=2} reduction={j}",
        "([i])->([j]) {i=8, j=4} permutation={i}",
        {"permutation>parallel", "permutation>reduction", "parallel>parallel"},
    ),
    (
        "([i, j])->([k, j]) {i=8, j=3, k=4} need_replication={i, k}",
        "([i, j])->([i, k]) {i=8, j=3, k=3} permutation={i}",
        {"permutation misfit", "misfit, parallel>parallel"},
    ),
]


@pytest.mark.parametrize("ours, theirs, expected", NAMED)
def test_differences_are_named(ours, theirs, expected):
  assert compare(ours, theirs) == expected
