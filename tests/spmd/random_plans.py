"""Random plans for a program: anything that a plan may say, sensible or not.

    plan = random_plan(tool.analyze(text), random.Random(3), taken_over=[2])
    plan.mesh, plan.file(tool.program_key(text))

A plan has decisions (whole classes, single colours, mixtures), resolutions, turns at random ops, pins of arguments,
results and values inside, and a gap at which gathered copies are made again.
"""

import dataclasses
import math
import re

MESHES = [(8,), (2, 4), (4, 2), (2, 2, 2), (2, 2, 2), (1, 8), (2, 1, 4), (4,), (2, 2)]
NAMES = ("x", "y", "z")


@dataclasses.dataclass(frozen=True)
class RandomPlan:
  mesh: list  # [(name, size)]
  decisions: list  # [(axis, colours)]
  resolutions: list  # [(axis, compatibility sets)]
  turns: list  # [(axis, winner, ops)]
  pins: list  # [(op, result, axes of each dim)]
  remake_gap: int | None

  def file(self, program):
    """As a plan file holds it; `program` says which program it is for."""
    content = {
      "version": 1,
      "mesh": [{"axis": name, "size": size} for name, size in self.mesh],
      "program": program,
      "tactics": [],
      "decisions": [{"axis": axis, "colors": ids(colors)} for axis, colors in self.decisions],
      "resolutions": [{"axis": axis, "sets": ids(sets)} for axis, sets in self.resolutions],
      "turns": [{"axis": axis, "winner": {"id": winner}, "ops": ops} for axis, winner, ops in self.turns],
      "pins": [{"op": op, "value": result, "spec": spec_text(dims)} for op, result, dims in self.pins],
    }
    return content if self.remake_gap is None else {**content, "remake_gap": self.remake_gap}


def ids(numbers):
  return [{"id": number} for number in numbers]


def spec_text(dims):
  """`[x, -, y+z]`."""
  return f"[{', '.join('+'.join(axes) or '-' for axes in dims)}]"


def random_plan(analysis, rng, taken_over=()):
  """`taken_over` are the results that take over an argument's buffer: they lie as it does and have no pins."""
  mesh = [(name, size) for name, size in zip(NAMES, rng.choice(MESHES))]
  decisions = random_decisions(analysis, mesh, rng)
  return RandomPlan(
    mesh,
    decisions,
    random_resolutions(analysis, mesh, rng),
    random_turns(analysis, decisions, rng),
    random_pins(analysis, mesh, rng, taken_over),
    rng.choice([None, None, 0, 1, 5, 40]),
  )


def random_decisions(analysis, mesh, rng):
  """A colour may be on several axes, but once on each."""
  every = [color["id"] for color in analysis["colors"]]
  classes = [group["colors"] for group in analysis["classes"]]
  decisions, taken = [], {name: set() for name, _ in mesh}
  for _ in range(rng.randint(1, 8) if every else 0):
    axis = rng.choice(mesh)[0]
    some = rng.sample(every, rng.randint(1, len(every)))
    wanted = rng.choice([rng.choice(classes or [every]), [rng.choice(every)], some])
    colors = [color for color in wanted if color not in taken[axis]]
    taken[axis].update(colors)
    if colors:
      decisions.append((axis, colors))
  return decisions


def random_resolutions(analysis, mesh, rng):
  sets = [s["id"] for s in analysis["compatibility_sets"]]
  chosen = [(name, [s for s in sets if rng.random() < 0.5]) for name, _ in mesh]
  return [(axis, some) for axis, some in chosen if some]


def random_turns(analysis, decisions, rng):
  """At some ops where two colours of one axis meet, another than the first wins."""
  turns = []
  for axis in dict.fromkeys(axis for axis, _ in decisions):
    colors = {color for a, some in decisions if a == axis for color in some}
    meeting = [op for op in analysis["ops"] if len(colors & set(op["colors"])) > 1]
    turned = {}
    for op in meeting:
      if rng.random() < 0.3:
        turned.setdefault(rng.choice(sorted(colors & set(op["colors"]) - {None})), []).append(op["id"])
    turns += [(axis, winner, ops) for winner, ops in sorted(turned.items()) if rng.random() < 0.5]
  return turns


def random_pins(analysis, mesh, rng, taken_over):
  share = rng.choice([0, 0, 0.1, 0.3])
  returns = [op["id"] for op in analysis["ops"] if op["op"] == "return"]
  fixed = {returns[result] for result in taken_over}
  pins = []
  for op in analysis["ops"]:
    if op["id"] in fixed:
      continue
    for number, shape in enumerate(pinned_shapes(op)):
      if shape and rng.random() < share:
        pins.append((op["id"], number, random_axes(shape, mesh, rng)))
  return pins


def pinned_shapes(op):
  """Shapes of the values that a pin can name: an op's results, of a `return` its operand. The results of a carry are
  one value, and so are those of a merge."""
  operands, results, sizes = read_rule(op["rule"])
  if op["op"] in ("while", "case"):
    return []
  tensors = operands[:1] if op["op"] == "return" else results
  shapes = [[math.prod(sizes[f] for f in dim) for dim in tensor] for tensor in tensors]
  return shapes[:1] if op["op"] in ("carry", "merge") else shapes


def read_rule(text):
  """`([i, jk])->([i, j, k]) {i=4, …}`: operands, results (each dim a list of factors), sizes of factors."""
  operands, results = text.split("->")
  results, _, rest = results.partition(")")
  sizes = {name: int(size) for name, size in re.findall(r"(\w+)=(\d+)", rest)}
  return read_tensors(operands), read_tensors(results), sizes


def read_tensors(text):
  tensors = re.findall(r"\[([^\]]*)\]", text)
  return [[re.findall(r"[a-z](?:_\d+)?", dim) for dim in tensor.split(",")] if tensor else [] for tensor in tensors]


def random_axes(shape, mesh, rng):
  """A legal layout: axes in any order on any dim whose size they divide."""
  dims = [[] for _ in shape]
  left = list(shape)
  for name, size in rng.sample(mesh, len(mesh)):
    fitting = [d for d, rest in enumerate(left) if rest % size == 0 and rest > 0]
    if fitting and rng.random() < 0.7:
      d = rng.choice(fitting)
      dims[d].append(name)
      left[d] //= size
  return dims
