"""The dimension analysis once more, slow and obvious: laws A1 to A7 of src/shardwright/analysis/analysis.h.

It reads what `shardwright analyze --rules --json` says of each op and shares no code with the analysis. Components are
found by walking from neighbour to neighbour; there is no union-find here.
"""

import collections
import dataclasses
import re

# Ops that stand for a value that comes or goes: their conflicts are settled with their set and are not listed.
TIES = ("argument", "return", "carry", "merge")
FACTOR = re.compile(r"[i-z](?:_\d+)?")


@dataclasses.dataclass(frozen=True)
class Rule:
  names: tuple  # Of the factors, in order of their numbers.
  sizes: tuple
  blocked: frozenset  # Numbers of factors that must be whole: blocked and halo ones.
  operands: tuple  # Per tensor, per dim: numbers of factors, major first.
  results: tuple

  @property
  def tensors(self):
    return self.operands + self.results

  def splittable(self, factor):
    return self.sizes[factor] > 1 and factor not in self.blocked

  def can_split(self, factor):
    """Splittable, and nothing but ones before it in any dim."""
    dims = [dim for tensor in self.tensors for dim in tensor if factor in dim]
    return self.splittable(factor) and all(self.without_ones(dim)[0] == factor for dim in dims)

  def without_ones(self, dim):
    return [factor for factor in dim if self.sizes[factor] != 1]


def parse_rule(text):
  """`([i, k], [kl, j])->([i, j]) {i=16, j=64, k=8, l=4} reduction={k, l} need_replication={j}`."""
  shapes, _, rest = text.partition(" {") if " {" in text else (text, "", "")
  entries = re.findall(rf"({FACTOR.pattern})=(\d+)", rest)
  names = [name for name, _ in entries]
  number = {name: i for i, name in enumerate(names)}
  operands, results = (side_factors(side, number) for side in shapes.split("->"))
  whole = {number[name] for word in ("need_replication", "permutation") for name in kind_factors(rest, word)}
  return Rule(tuple(names), tuple(int(size) for _, size in entries), frozenset(whole), operands, results)


def side_factors(text, number):
  tensors = re.findall(r"\[(.*?)\]", text)
  return tuple(tuple(dim_factors(dim, number) for dim in tensor.split(", ")) if tensor else () for tensor in tensors)


def dim_factors(text, number):
  names = FACTOR.findall(text)
  assert "".join(names) == text, f"not a list of factors: {text!r}"
  return tuple(number[name] for name in names)


def kind_factors(text, word):
  found = re.search(rf"{word}={{(.*?)}}", text)
  return found.group(1).split(", ") if found else []


@dataclasses.dataclass(frozen=True)
class Op:
  name: str
  rule: Rule
  operands: tuple  # Numbers of values.
  results: tuple


@dataclasses.dataclass(frozen=True)
class Edge:
  """A value goes from tensor `source` of op `definition` to tensor `target` of op `user`."""

  definition: int
  source: int
  user: int
  target: int


def read_ops(rules):
  ops = []
  for entry in rules["rules"]:
    first = entry["first_result"]
    results = tuple(range(first, first + entry["results"])) if entry["results"] else ()
    ops.append(Op(entry["op"], parse_rule(entry["rule"]), tuple(entry["operands"]), results))
  return ops


def find_edges(ops, aliases):
  """In program order of the users; then the aliased pairs (A4)."""
  defined = {value: (i, len(op.operands) + n) for i, op in enumerate(ops) for n, value in enumerate(op.results)}
  edges = [Edge(*defined[value], i, n) for i, op in enumerate(ops) for n, value in enumerate(op.operands)]
  return edges + [Edge(pair["argument"], 0, pair["return"], 0) for pair in aliases]


def joins(ops, edge):
  """Pairs of factors that an edge joins (A1-A3)."""
  a, b = ops[edge.definition].rule, ops[edge.user].rule
  pairs = []
  # A scalar and one dim of size 1 without factors print alike, so the numbers of dims may differ.
  for left, right in zip(a.tensors[edge.source], b.tensors[edge.target]):
    left, right = a.without_ones(left), b.without_ones(right)
    if not left or not right:
      continue
    alike = [a.sizes[x] for x in left] == [b.sizes[y] for y in right]
    both = list(zip(left, right)) if alike else [(left[0], right[0])]
    pairs += [(x, y) for x, y in both if a.splittable(x) and b.splittable(y)]
  return pairs


@dataclasses.dataclass(frozen=True)
class Reference:
  colors: dict  # (op, factor) -> number of its colour.
  conflicts: list  # (op, first, second) with first < second, ties too, in program order.
  sides: dict  # Conflict -> (number of its set, whether it is on the other side of the set's first).
  odd_cycles: int
  ties: set  # Conflicts that are not listed.

  def color_of(self, conflict):
    return self.colors[conflict[:2]]


def analyse(rules):
  """From the parsed output of `analyze --rules --json`."""
  ops = read_ops(rules)
  edges = find_edges(ops, rules["aliases"])
  colors = find_colors(ops, edges)
  conflicts = find_conflicts(ops, colors)
  sides, odd_cycles = find_sets(ops, edges, conflicts)
  ties = {conflict for conflict in conflicts if ops[conflict[0]].name in TIES}
  return Reference(colors, conflicts, sides, odd_cycles, ties)


def find_colors(ops, edges):
  """Connected components, by walking. Numbered in order of first appearance."""
  neighbours = collections.defaultdict(list)
  for edge in edges:
    for x, y in joins(ops, edge):
      neighbours[edge.definition, x].append((edge.user, y))
      neighbours[edge.user, y].append((edge.definition, x))
  colors = {}
  for i, op in enumerate(ops):
    for factor in range(len(op.rule.sizes)):
      if op.rule.splittable(factor) and (i, factor) not in colors:
        spread(colors, neighbours, (i, factor), len(set(colors.values())))
  return colors


def spread(colors, neighbours, start, color):
  waiting = [start]
  while waiting:
    name = waiting.pop()
    if name not in colors:
      colors[name] = color
      waiting += neighbours[name]


def find_conflicts(ops, colors):
  """A5: pairs of factors of one op, of one colour, that both could be split."""
  conflicts = []
  for i, op in enumerate(ops):
    factors = [f for f in range(len(op.rule.sizes)) if op.rule.can_split(f)]
    conflicts += [(i, a, b) for a in factors for b in factors if a < b and colors[i, a] == colors[i, b]]
  return conflicts


def find_sets(ops, edges, conflicts):
  """A6: joins in order of the edges; one that contradicts those accepted before is left out and counted."""
  accepted = collections.defaultdict(list)
  odd_cycles = 0
  of_op = collections.defaultdict(list)
  for conflict in conflicts:
    of_op[conflict[0]].append(conflict)
  for edge in edges:
    for a, b, swapped in meetings(ops, edge, of_op):
      side = side_of(accepted, a).get(b)
      if side is None:
        accepted[a].append((b, swapped))
        accepted[b].append((a, swapped))
      elif side != swapped:
        odd_cycles += 1
  return number_sets(accepted, conflicts), odd_cycles


def meetings(ops, edge, of_op):
  """Conflicts at both ends of an edge whose two pairs of factors it joins, and whether crosswise."""
  carried = dict(joins(ops, edge))
  for a in of_op[edge.definition]:
    pair = carried.get(a[1]), carried.get(a[2])
    for b in of_op[edge.user]:
      if pair == b[1:]:
        yield a, b, False
      elif pair == b[:0:-1]:
        yield a, b, True


def side_of(accepted, start):
  """All conflicts that accepted joins reach from `start`, and whether each is on its other side."""
  sides = {start: False}
  waiting = [start]
  while waiting:
    conflict = waiting.pop()
    for other, swapped in accepted[conflict]:
      if other not in sides:
        sides[other] = sides[conflict] != swapped
        waiting.append(other)
  return sides


def number_sets(accepted, conflicts):
  result, count = {}, 0
  for conflict in conflicts:
    if conflict in result:
      continue
    for other, swapped in side_of(accepted, conflict).items():
      result[other] = count, swapped
    count += 1
  return result


def profile(reference, keys, color):
  """What copies of a colour have in common (A7): how often each (key, factor) occurs. `keys` has one key per op."""
  return collections.Counter((keys[op], factor) for (op, factor), c in reference.colors.items() if c == color)
