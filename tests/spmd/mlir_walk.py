"""Walks over parsed modules: every op with how often it runs."""

import math
import re

from jaxlib.mlir import ir


def functions(module):
  found = [op for op in module.body.operations if op.operation.name == "func.func"]
  return {op.name.value: op.operation for op in found}


def weighted_ops(module):
  """(op, times, known) of each op that @main runs, functions entered at each call, loops weighted by trip count.
  `known` is False inside a loop whose trip count cannot be seen; it counts once."""
  table = functions(module)

  def visit(op, times, known):
    for region in op.regions:
      for block in region:
        for inner in block:
          yield from visit_one(inner.operation, times, known)

  def visit_one(op, times, known):
    yield op, times, known
    if op.name == "func.call":
      yield from visit(table[ir.FlatSymbolRefAttr(op.attributes["callee"]).value], times, known)
    trips = trip_count(op) if op.name == "stablehlo.while" else 1
    yield from visit(op, times * (trips or 1), known and trips is not None)

  yield from visit(table["main"], 1, True)


def trip_count(loop):
  """Of `while (i < n) { ...; i = i + 1 }` with constants, as JAX writes loops; None for any other."""
  condition, body = loop.regions[0].blocks[0], loop.regions[1].blocks[0]
  compare = last_operand(condition, 0)
  if getattr(compare, "name", "") != "stablehlo.compare" or "LT" not in str(compare.attributes["comparison_direction"]):
    return None
  number = argument_number(compare.operands[0])
  first = constant(loop.operands[number]) if number is not None else None
  end = constant(compare.operands[1])
  if first is None or end is None or step(body, number) != 1:
    return None
  return max(0, end - first)


def step(body, number):
  """What is added to carried value `number` in each turn."""
  add = last_operand(body, number)
  if getattr(add, "name", "") != "stablehlo.add" or argument_number(add.operands[0]) != number:
    return None
  return constant(add.operands[1])


def last_operand(block, number):
  """The op that makes an operand of the block's terminator; None when it is an argument."""
  terminator = list(block)[-1].operation
  return owner(terminator.operands[number])


def owner(value):
  return None if isinstance(value.owner, ir.Block) else value.owner.operation


def argument_number(value):
  return ir.BlockArgument(value).arg_number if isinstance(value.owner, ir.Block) else None


def constant(value):
  """An integer scalar constant; None for anything else."""
  op = owner(value)
  if op is None or op.name != "stablehlo.constant":
    return None
  found = re.match(r"dense<(-?\d+)> : tensor<u?i\d+>$", str(op.attributes["value"]))
  return int(found[1]) if found else None


def tensor_bytes(kind):
  """Bytes of a ranked tensor type; 0 for tokens."""
  if not isinstance(kind, ir.RankedTensorType):
    return 0
  kind = ir.RankedTensorType(kind)
  return math.prod(kind.shape) * element_bits(str(kind.element_type)) // 8


def element_bits(name):
  number = int(re.search(r"\d+", name)[0])
  return max(8, number * (2 if name.startswith("complex") else 1))
