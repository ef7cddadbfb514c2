"""Reductions over dims: known combiners, several inputs at once, and bodies nobody recognises."""

import math

from ..block import Block, Value, array_text, region_text


def some_dims(block, x):
  return sorted(block.random.sample(range(x.rank), block.random.randrange(1, x.rank + 1)))


def reduce(block):
  dtype = block.random.choice(["f32", "f32", "f32", "i32", "i1"])
  x = block.pick(dtype)
  make = {"f32": reduce_float, "i32": reduce_int, "i1": reduce_bool}[dtype]
  return block.keep(make(block, x, some_dims(block, x)))


def reduce_float(block, x, dims):
  name = block.random.choice(["add", "add", "add", "maximum", "minimum", "multiply"])
  if name == "add":
    return block.reduce(x, dims)
  if name == "multiply":
    # Factors near 1, so that the product of many is still a normal number.
    near_one = block.shift(block.scale(block.unary("tanh", x, 1.0), 0.0625), 1.0)
    return block.reduce(near_one, dims, name, block.splat((), "f32", 1.0), math.exp(min(math.prod(x.shape) / 16, 60)))
  sign = -1 if name == "maximum" else 1
  return block.reduce(x, dims, name, block.splat((), "f32", sign * 1e30), x.bound)


def reduce_int(block, x, dims):
  neutral = {"add": 0, "multiply": 1, "maximum": -(2**31), "minimum": 2**31 - 1, "and": -1, "or": 0}
  name = block.random.choice(list(neutral))
  bound = x.bound if name in ("maximum", "minimum") else math.inf
  return block.reduce(x, dims, name, block.splat((), "i32", neutral[name]), bound)


def reduce_bool(block, x, dims):
  name, neutral = block.random.choice([("and", "true"), ("or", "false")])
  return block.reduce(x, dims, name, block.dense((), "i1", neutral, 1.0), 1.0)


def reduce_several(block):
  """Two inputs summed (or maxed) side by side by one op."""
  x = block.pick()
  y = block.tensor(x.shape, block.random.choice(["f32", "i32"]))
  name = block.random.choice(["add", "maximum"])
  # XLA takes it for granted that the initial value is neutral: a reduction of one element leaves it out.
  least = {"f32": -1e30, "i32": -(2**31)}
  initial = [block.splat((), v.dtype, least[v.dtype] if name == "maximum" else type(least[v.dtype])(0)) for v in (x, y)]
  dims = some_dims(block, x)
  shape = [size for d, size in enumerate(x.shape) if d not in dims]
  body = block.body(name, x.dtype, y.dtype)
  types = [(shape, x.dtype), (shape, y.dtype)]
  attrs = f"dimensions = {array_text(dims)}"
  bound = max(x.bound, y.bound) * math.prod(x.shape)
  return [block.keep(v) for v in block.op("reduce", [x, y, *initial], types, attrs, [body], bound=bound)]


def argmax(block):
  """The largest and where it is; ties go to the lower index."""
  x = block.find(lambda v: v.rank > 0 and v.exact and v.dtype == "f32") or block.pick("i32")
  dim = block.random.randrange(x.rank)
  initial = block.splat((), x.dtype, -1e30 if x.is_float else -(2**31))
  zero = block.splat((), "i32", 0)
  shape = x.shape[:dim] + x.shape[dim + 1 :]
  operands = [x, block.iota(x.shape, dim), initial, zero]
  types = [(shape, x.dtype), (shape, "i32")]
  attrs = f"dimensions = {array_text([dim])}"
  known = dict(bound=max(x.bound, x.shape[dim]), exact=True)
  return [block.keep(v) for v in block.op("reduce", operands, types, attrs, [argmax_body(block, x.dtype)], **known)]


def argmax_body(block, dtype):
  a, i, b, j = (Value(block.maker.name("r"), (), t) for t in (dtype, "i32", dtype, "i32"))
  inner = Block(block.maker, isolated=True)
  higher, same = inner.compare("GT", a, b), inner.compare("EQ", a, b)
  first = inner.binary("and", same, inner.compare("LT", i, j))
  left = inner.binary("or", higher, first)
  results = [inner.op("select", [left, p, q], ((), p.dtype)) for p, q in ((a, b), (i, j))]
  return region_text([a, i, b, j], inner.statements, results)


def reduce_other(block):
  """a + b + ab: associative, commutative, with neutral element 0, and on no list of known combiners."""
  x = block.pick(block.random.choice(["f32", "i32"]))
  if x.is_float:
    x = block.scale(block.unary("tanh", x, 1.0), 0.0625)
  a, b = (Value(block.maker.name("r"), (), x.dtype) for _ in range(2))
  inner = Block(block.maker, isolated=True)
  result = inner.add(inner.add(a, b), inner.multiply(a, b))
  dims = some_dims(block, x)
  shape = [size for d, size in enumerate(x.shape) if d not in dims]
  zero = block.splat((), x.dtype, 0.0 if x.is_float else 0)
  body = region_text([a, b], inner.statements, [result])
  attrs = f"dimensions = {array_text(dims)}"
  bound = math.exp(min(math.prod(x.shape) / 16, 60))
  return block.keep(block.op("reduce", [x, zero], (shape, x.dtype), attrs, [body], bound=bound))


FAMILIES = {
  "reduce": (4, reduce),
  "reduce_several": (1, reduce_several),
  "argmax": (1, argmax),
  "reduce_other": (0.7, reduce_other),
}
