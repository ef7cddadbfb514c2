"""Unary and binary arithmetic, comparisons, choices and conversions."""

import dataclasses
import math

from ..block import elements


def unary(block):
  kind = block.random.choice(["float", "float", "float", "exact", "int"])
  if kind == "int":
    return block.keep(int_unary(block, block.pick("i32")))
  if kind == "exact":
    exact = block.find(lambda v: v.dtype == "f32" and v.exact and v.rank > 0)
    if exact is not None:
      return block.keep(jumping_unary(block, exact))
  return block.keep(float_unary(block, block.pick()))


def float_unary(block, x):
  makers = {
    "tanh": lambda: block.unary("tanh", x, 1.0),
    "sine": lambda: block.unary("sine", x, 1.0),
    "cosine": lambda: block.unary("cosine", x, 1.0),
    "logistic": lambda: block.unary("logistic", x, 1.0),
    "erf": lambda: block.unary("chlo.erf", x, 1.0),
    "negate": lambda: block.unary("negate", x, x.bound),
    "abs": lambda: block.unary("abs", x, x.bound),
    "exponential": lambda: grow(block, "exponential", x, math.exp),
    "exponential_minus_one": lambda: grow(block, "exponential_minus_one", x, math.exp),
    "log": lambda: block.unary("log", positive(block, x), 5.0),
    "log_plus_one": lambda: block.unary("log_plus_one", block.unary("abs", x, x.bound), 5.0),
    "sqrt": lambda: block.unary("sqrt", positive(block, x), x.bound + 1),
    "rsqrt": lambda: block.unary("rsqrt", positive(block, x), 1.0),
    "cbrt": lambda: block.unary("cbrt", positive(block, x), x.bound + 1),
    "tan": lambda: block.unary("tan", block.unary("tanh", x, 1.0), math.tan(1.0)),
  }
  return makers[block.random.choice(list(makers))]()


def grow(block, name, x, bound):
  x = x if x.bound <= 2 else block.scale(x, 2.0 ** -math.ceil(math.log2(x.bound / 2)))
  return block.unary(name, x, bound(x.bound))


def positive(block, x):
  """At least 1, and smooth: roots and logarithms of small numbers would blow up rounding differences."""
  return block.shift(block.multiply(x, x), 1.0)


JUMPING = ["floor", "ceil", "round_nearest_even", "round_nearest_afz", "sign", "is_finite", "reduce_precision"]


def jumping_unary(block, x):
  name = block.random.choice(JUMPING)
  if name == "is_finite":
    return block.op(name, [x], (x.shape, "i1"), bound=1.0)
  attrs = "exponent_bits = 8 : i32, mantissa_bits = 7 : i32" if name == "reduce_precision" else ""
  return block.op(name, [x], (x.shape, "f32"), attrs, bound=x.bound + 1, exact=True)


def int_unary(block, x):
  name = block.random.choice(["negate", "abs", "sign", "not", "popcnt", "count_leading_zeros"])
  bounds = {"negate": x.bound, "abs": x.bound, "sign": 1.0, "popcnt": 32.0, "count_leading_zeros": 32.0}
  return block.unary(name, x, bounds.get(name, math.inf))


def binary(block):
  dtype = block.random.choice(["f32", "f32", "f32", "i32", "i1"])
  make = {"f32": float_binary, "i32": int_binary, "i1": bool_binary}[dtype]
  return block.keep(make(block, block.pick(dtype)))


FLOAT_BINARY = ["add"] * 2 + ["multiply"] * 2 + ["subtract", "maximum", "minimum", "divide", "atan2", "power"]
SHIFTS = ["shift_left", "shift_right_arithmetic", "shift_right_logical"]
BY_CONSTANT = ["remainder", "divide", *SHIFTS]
INT_BINARY = ["add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor", *BY_CONSTANT]


def float_binary(block, x):
  y = block.tensor(x.shape)
  name = block.random.choice(FLOAT_BINARY)
  if name == "multiply":
    return block.multiply(x, y)
  if name in ("divide", "atan2"):
    return block.binary(name, x, positive(block, y), x.bound + 2)
  if name == "power":
    return block.binary(name, positive(block, block.unary("tanh", x, 1.0)), block.unary("tanh", y, 1.0), 2.0)
  if name in ("add", "subtract"):
    return block.binary(name, x, y, x.bound + y.bound)
  return block.binary(name, x, y, max(x.bound, y.bound))


def int_binary(block, x):
  name = block.random.choice(INT_BINARY)
  constant = lambda: block.splat(x.shape, "i32", block.random.choice([2, 3, 5]))
  y = constant() if name in BY_CONSTANT else block.tensor(x.shape, "i32")
  bound = {"add": x.bound + y.bound, "multiply": x.bound * y.bound, "remainder": 5.0, "maximum": max(x.bound, y.bound)}
  return block.binary(name, x, y, bound.get(name, math.inf))


def bool_binary(block, x):
  return block.binary(block.random.choice(["and", "or", "xor"]), x, block.tensor(x.shape, "i1"), 1.0)


def comparable(block):
  """Two values of one type whose order does not hang on rounding."""
  left = block.find(lambda v: v.rank > 0 and v.exact and v.dtype != "i1") or block.pick("i32")
  return left, block.tensor(left.shape, left.dtype, exact=True)


def compare(block):
  left, right = comparable(block)
  return block.keep(block.compare(block.random.choice(["EQ", "NE", "LT", "LE", "GT", "GE"]), left, right))


def select(block):
  left = block.pick(block.random.choice(["f32", "f32", "i32"]))
  right = block.tensor(left.shape, left.dtype)
  shape = () if block.random.random() < 0.3 else left.shape
  predicate = block.find(lambda v: v.dtype == "i1" and v.shape == shape)
  if predicate is None:
    numbers = block.tensor(shape, "i32")
    predicate = block.compare("LT", numbers, block.splat(shape, "i32", 1))
  return block.keep(block.op("select", [predicate, left, right], (left.shape, left.dtype)))


def clamp(block):
  x = block.pick(block.random.choice(["f32", "f32", "i32"]))
  shape = () if block.random.random() < 0.5 else x.shape
  one = -1.0 if x.is_float else -1
  if shape and block.random.random() < 0.5:
    low = block.tensor(shape, x.dtype)
    high = block.binary("maximum", low, block.tensor(shape, x.dtype))
  else:
    low, high = block.splat(shape, x.dtype, one), block.splat(shape, x.dtype, -2 * one)
  return block.keep(block.op("clamp", [low, x, high], (x.shape, x.dtype), bound=max(x.bound, 2.0)))


def convert(block):
  kind = block.random.choice(["narrow", "to_int", "to_float", "to_float", "to_bool", "unsigned"])
  exact = block.find(lambda v: v.dtype == "f32" and v.exact and v.rank > 0)
  if kind == "narrow" and exact is not None:
    known = dict(bound=exact.bound + 1, exact=True)
    small = block.op("convert", [exact], (exact.shape, block.random.choice(["bf16", "f16"])), **known)
    return block.keep(block.op("convert", [small], (exact.shape, "f32"), **known))
  if kind == "to_int" and exact is not None:
    return block.keep(block.op("convert", [exact], (exact.shape, "i32"), bound=exact.bound))
  if kind == "to_bool":
    x = block.pick("i32")
    return block.keep(block.op("convert", [x], (x.shape, "i1"), bound=1.0))
  if kind == "unsigned":
    x = block.pick("i32")
    unsigned = block.op("convert", [x], (x.shape, "ui32"))
    return block.keep(block.op("convert", [unsigned], (x.shape, "i32")))
  return block.keep(block.to_float(block.pick(block.random.choice(["i32", "i1"]))))


def bitcast(block):
  """The four bytes of an integer as a new dim, and back again now and then."""
  x = block.pick("i32", lambda v: 0 < v.rank < 4 and elements(v.shape) <= 1024)
  parts = block.op("bitcast_convert", [x], ((*x.shape, 4), "i8"))
  if block.random.random() < 0.4:
    return block.keep(block.op("bitcast_convert", [parts], (x.shape, "i32")))
  return block.keep(block.op("convert", [parts], (parts.shape, "i32"), bound=128.0))


def map_(block):
  x = block.pick()
  y = block.tensor(x.shape)
  name = block.random.choice(["add", "maximum", "multiply"])
  bound = x.bound * y.bound if name == "multiply" else x.bound + y.bound
  attrs = f"dimensions = array<i64: {', '.join(map(str, range(x.rank)))}>"
  return block.keep(block.op("map", [x, y], (x.shape, "f32"), attrs, [block.body(name, "f32")], bound=bound))


def activation(block):
  """x logistic(x), as many models have it."""
  x = block.pick()
  gate = block.unary("logistic", x, 1.0)
  return block.keep(dataclasses.replace(block.multiply(x, gate), bound=x.bound))


FAMILIES = {
  "unary": (4, unary),
  "binary": (6, binary),
  "compare": (2, compare),
  "select": (2, select),
  "clamp": (1, clamp),
  "convert": (2, convert),
  "bitcast": (0.5, bitcast),
  "map": (0.5, map_),
  "activation": (1, activation),
}
