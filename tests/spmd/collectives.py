"""Which collectives there are in a program, and what they move.

    in_hlo(text)         collectives of XLA's compiled HLO
    in_stablehlo(text)   collectives written out in a module, as our explicit form
    total(found)         {"all_reduce": Total(count=3, bytes=..., moved=...), ...}

A collective in a loop counts as often as the loop runs where that is known; elsewhere once, and `known` is False.
"""

import collections
import dataclasses
import math
import re

from .mlir_walk import tensor_bytes, weighted_ops
from .xla import parsed

KINDS = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "collective_permute")


@dataclasses.dataclass(frozen=True)
class Collective:
  kind: str
  operand_bytes: int  # What one device puts in.
  devices: int  # In a group; 2 or more for a permute.
  times: int = 1  # How often it runs.
  known: bool = True  # False when it stands in a loop of unknown length.
  tensors: int = 1  # XLA combines several into one.

  @property
  def bytes(self):
    """Of the larger end on one device: what is reduced, what comes out of a gather, what goes into a scatter."""
    return self.operand_bytes * (self.devices if self.kind == "all_gather" else 1)

  @property
  def moved(self):
    """Bytes that leave one device, by the ring algorithms."""
    if self.devices <= 1:
      return 0
    if self.kind == "collective_permute":
      return self.operand_bytes
    share = (self.devices - 1) / self.devices
    return share * self.bytes * (2 if self.kind == "all_reduce" else 1)


@dataclasses.dataclass
class Total:
  count: int = 0
  tensors: int = 0
  bytes: int = 0
  moved: float = 0.0


def total(found):
  """Sums by kind; kinds that do not occur are there with zeros. Groups of one device move nothing and do not count."""
  totals = {kind: Total() for kind in KINDS}
  for collective in found:
    if collective.devices > 1:
      sum_ = totals[collective.kind]
      sum_.count += collective.times
      sum_.tensors += collective.times * collective.tensors
      sum_.bytes += collective.times * collective.bytes
      sum_.moved += collective.times * collective.moved
  return totals


def counts(found):
  return {kind: t.count for kind, t in total(found).items() if t.count}


def moved(found):
  return sum(t.moved for t in total(found).values())


# --- XLA's HLO ---

BITS = {"pred": 8, "bf16": 16, "f16": 16, "f32": 32, "f64": 64, "c64": 64, "c128": 128}
SHAPE = re.compile(r"\b([a-z]+\d*[a-z0-9]*)\[([\d,]*)\]")
COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.-]+) .*\{$")
INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?([\w.-]+) = (\(.*?\)|\S+) ([\w-]+)\((.*)$")
CALLED = re.compile(r"(?:calls|to_apply|body|condition|true_computation|false_computation)=%?([\w.-]+)")
BRANCHES = re.compile(r"branch_computations=\{([^}]*)\}")
TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"\}')


@dataclasses.dataclass(frozen=True)
class Instruction:
  name: str
  shape: str
  opcode: str
  rest: str  # Operands and attributes.


def in_hlo(text):
  computations, entry = parse_hlo(text)
  found = []
  visit(computations, entry, 1, True, found)
  return found


def parse_hlo(text):
  """{computation name: {instruction name: instruction}}, and the name of the entry."""
  computations, entry, current = {}, None, None
  # Tuples of many shapes hold comments with commas in them.
  for line in re.sub(r"/\*.*?\*/", "", text).splitlines():
    if head := COMPUTATION.match(line):
      current = computations.setdefault(head[2], {})
      entry = head[2] if head[1] else entry
    elif current is not None and (found := INSTRUCTION.match(line)):
      current[found[1]] = Instruction(*found.groups())
  return computations, entry


def visit(computations, name, times, known, found):
  for instruction in computations[name].values():
    kind = collective_kind(instruction.opcode)
    if kind:
      found.append(hlo_collective(kind, instruction, computations[name], times, known))
      continue
    runs, runs_known = times, known
    if instruction.opcode == "while":
      trips = TRIPS.search(instruction.rest)
      runs, runs_known = times * int(trips[1] if trips else 1), known and trips is not None
    for called in called_by(instruction):
      visit(computations, called, runs, runs_known, found)


def called_by(instruction):
  names = CALLED.findall(instruction.rest)
  for branches in BRANCHES.findall(instruction.rest):
    names += re.findall(r"[\w.-]+", branches)
  return names


def collective_kind(opcode):
  """A collective or the first half of one; second halves (`-done`) and all else give None."""
  if opcode.endswith("-done"):
    return None
  kind = opcode.removesuffix("-start").replace("-", "_")
  return kind if kind in KINDS else None


def hlo_collective(kind, instruction, computation, times, known):
  operands = re.findall(r"%([\w.-]+)", instruction.rest[: closing(instruction.rest)])
  size = sum(shape_bytes(computation[name].shape) for name in operands)
  # An all-to-all may have its operand in pieces, one for each device.
  tensors = 1 if kind == "all_to_all" else len(operands)
  return Collective(kind, size, group_size(kind, instruction.rest), times, known, tensors)


def closing(rest):
  """Where the list of operands ends."""
  depth = 1
  for position, letter in enumerate(rest):
    depth += {"(": 1, ")": -1}.get(letter, 0)
    if depth == 0:
      return position
  raise ValueError(f"no end of operands in: {rest[:200]}")


def shape_bytes(shape):
  return sum(math.prod(int(s) for s in dims.split(",") if s) * bits(dtype) // 8 for dtype, dims in SHAPE.findall(shape))


def bits(dtype):
  if dtype in BITS:
    return BITS[dtype]
  if dtype == "token":
    return 0
  return max(8, int(re.search(r"\d+", dtype)[0]))


def group_size(kind, rest):
  if kind == "collective_permute":
    pairs = re.search(r"source_target_pairs=\{((?:\{\d+,\d+\},?)*)\}", rest)[1]
    sources = re.findall(r"\{(\d+),(\d+)\}", pairs)
    return 2 if any(a != b for a, b in sources) else 1
  if listed := re.search(r"replica_groups=\{\{([\d,]*)\}", rest):
    return len(listed[1].split(","))
  if iota := re.search(r"replica_groups=\[(\d+),(\d+)\]<=", rest):
    return int(iota[2])
  if named := re.search(r"replica_groups=mesh\[([^\]]*)\].*? \{([^}]*)\}", rest):
    return named_group(*named.groups())
  raise ValueError(f"no groups in: {rest[:300]}")


def named_group(mesh, axes):
  """Groups along mesh axes: `'a'=2,'b'=4` and `'b'`, or a part of an axis: `'b':(1)2`."""
  sizes = {name: int(size) for name, size in re.findall(r"'(\w+)'=(\d+)", mesh)}
  return math.prod(int(part) if part else sizes[name] for name, part in re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", axes))


# --- StableHLO ---


def in_stablehlo(text):
  """Collectives that are written out in @main and the functions that it calls."""
  with parsed(text) as module:
    ops = [(op, op.name.removeprefix("stablehlo."), *often) for op, *often in weighted_ops(module)]
    return [
      Collective(kind, sum(tensor_bytes(v.type) for v in op.operands), stablehlo_group(op), times, known)
      for op, kind, times, known in ops
      if kind in KINDS
    ]


def stablehlo_group(op):
  """Devices in a group: its second dim in `dense<...> : tensor<4x2xi64>`."""
  if op.name == "stablehlo.collective_permute":
    return 2
  return int(re.search(r": tensor<\d+x(\d+)xi64>", str(op.attributes["replica_groups"]))[1])
