"""Ops that find elements by number, and sort. All indices are in range."""

import math

from ..block import Block, Value, array_text, elements, list_text, region_text

FLOAT_OR_INT = ["f32", "f32", "i32"]


def index(block, shape, limit):
  """Numbers in [0, limit): an argument, a constant, or computed from integers at hand."""
  kind = block.random.choice(["argument", "argument", "constant", "computed"])
  if kind == "computed" or (kind == "argument" and block.isolated):
    numbers = block.tensor(shape, "i32")
    # The remainder of a negative number is negative.
    small = block.binary("remainder", numbers, block.splat(shape, "i32", limit))
    return block.unary("abs", small, float(limit))
  if kind == "constant":
    return numbers_constant(block, shape, [block.random.randrange(limit) for _ in range(elements(shape))], limit)
  return block.maker.argument(shape, "i32", "int", 0, limit)


def distinct_index(block, shape, limit):
  if block.isolated or block.random.random() < 0.5:
    return numbers_constant(block, shape, block.random.sample(range(limit), elements(shape)), limit)
  return block.maker.argument(shape, "i32", "unique", 0, limit)


def numbers_constant(block, shape, numbers, limit):
  text = str(list(numbers)) if shape else str(numbers[0])
  flat = block.dense((len(numbers),) if shape else (), "i32", text, float(limit))
  return block.reshape(flat, shape) if len(shape) > 1 else flat


def starts(block, shape, sizes):
  return [index(block, (), size - part + 1) for size, part in zip(shape, sizes)]


def part_sizes(block, shape):
  """Some dims whole, some halved, some one."""
  return [block.random.choice([size, size, max(size // 2, 1), 1]) for size in shape]


def dynamic_slice(block):
  x = block.pick(block.random.choice(FLOAT_OR_INT))
  sizes = part_sizes(block, x.shape)
  operands = [x, *starts(block, x.shape, sizes)]
  attrs = f"slice_sizes = {array_text(sizes)}"
  return block.keep(block.op("dynamic_slice", operands, (sizes, x.dtype), attrs, bound=x.bound))


def dynamic_update_slice(block):
  x = block.pick(block.random.choice(FLOAT_OR_INT))
  sizes = part_sizes(block, x.shape)
  update = block.tensor(sizes, x.dtype)
  operands = [x, update, *starts(block, x.shape, sizes)]
  return block.keep(block.op("dynamic_update_slice", operands, (x.shape, x.dtype), bound=max(x.bound, update.bound)))


def numbers_text(pairs):
  text = lambda dims: dims if isinstance(dims, int) else list_text(dims)
  return ", ".join(f"{name} = {text(dims)}" for name, dims in pairs.items() if dims != [])


def write_gather(block, x, indices, shape, numbers, sizes):
  attrs = f"dimension_numbers = #stablehlo.gather<{numbers_text(numbers)}>, "
  attrs += f"slice_sizes = {array_text(sizes)}, indices_are_sorted = false"
  return block.op("gather", [x, indices], (shape, x.dtype), attrs, bound=x.bound)


def gather(block):
  make = block.random.choice([gather_rows, gather_rows, gather_batched, gather_windows, gather_points])
  return block.keep(make(block))


def gather_rows(block):
  """An embedding: whole rows along one dim."""
  x = block.pick(block.random.choice(FLOAT_OR_INT), lambda v: 0 < v.rank < 4)
  dim = block.random.randrange(x.rank)
  batch = small_shape(block, elements(x.shape) // x.shape[dim])
  implicit = block.random.random() < 0.3
  indices = index(block, batch if implicit else (*batch, 1), x.shape[dim])
  rest = [size for d, size in enumerate(x.shape) if d != dim]
  front = block.random.random() < 0.3
  offsets = list(range(len(rest))) if front else list(range(len(batch), len(batch) + len(rest)))
  shape = [*rest, *batch] if front else [*batch, *rest]
  numbers = {
    "offset_dims": offsets, "collapsed_slice_dims": [dim], "start_index_map": [dim], "index_vector_dim": len(batch),
  }
  return write_gather(block, x, indices, shape, numbers, [1 if d == dim else size for d, size in enumerate(x.shape)])


def small_shape(block, per_element):
  """One or two dims, so that as many slices of `per_element` still make a small tensor."""
  shape = tuple(block.size() for _ in range(block.random.choice([1, 1, 2])))
  return shape if elements(shape) * per_element <= 2048 else (2,)


def gather_batched(block):
  """take_along_axis: row b of the indices looks into row b of the operand."""
  x = block.pick(block.random.choice(FLOAT_OR_INT), lambda v: v.rank in (2, 3), rank=2)
  count = block.size()
  if elements(x.shape) // x.shape[1] * count > 4096:
    count = 1
  indices = index(block, (x.shape[0], count, 1), x.shape[1])
  rest = list(x.shape[2:])
  numbers = {
    "offset_dims": [2 + d for d in range(len(rest))], "collapsed_slice_dims": [1], "operand_batching_dims": [0],
    "start_indices_batching_dims": [0], "start_index_map": [1], "index_vector_dim": 2,
  }
  return write_gather(block, x, indices, [x.shape[0], count, *rest], numbers, [1, 1, *rest])


def gather_windows(block):
  """Slices of half the dim, each from its own place."""
  x = block.pick(block.random.choice(FLOAT_OR_INT), lambda v: 0 < v.rank < 4 and elements(v.shape) <= 512)
  dim = block.random.randrange(x.rank)
  sizes = list(x.shape)
  sizes[dim] = max(sizes[dim] // 2, 1)
  count = block.size()
  if elements(sizes) * count > 4096:
    count = 2
  indices = index(block, (count, 1), x.shape[dim] - sizes[dim] + 1)
  numbers = {"offset_dims": [1 + d for d in range(x.rank)], "start_index_map": [dim], "index_vector_dim": 1}
  return write_gather(block, x, indices, [count, *sizes], numbers, sizes)


def gather_points(block):
  """Two indices for each element: x[i, j]."""
  x = block.pick(block.random.choice(FLOAT_OR_INT), lambda v: v.rank in (2, 3), rank=2)
  count = block.size()
  if elements(x.shape[2:]) * count > 4096:
    count = 1
  indices = index(block, (count, 2), min(x.shape[:2]))
  rest = list(x.shape[2:])
  numbers = {
    "offset_dims": [1 + d for d in range(len(rest))], "collapsed_slice_dims": [0, 1], "start_index_map": [0, 1],
    "index_vector_dim": 1,
  }
  return write_gather(block, x, indices, [count, *rest], numbers, [1, 1, *rest])


def scatter(block):
  make = block.random.choice([scatter_rows, scatter_rows, scatter_rows, scatter_batched, scatter_windows])
  return make(block)


def combiner(block, x):
  if x.is_float:
    return block.random.choice(["add", "add", "maximum", "minimum", "multiply"])
  return block.random.choice(["add", "maximum", "minimum", "or", "and"])


def updates_for(block, shape, dtype, name):
  updates = block.tensor(shape, dtype)
  if name == "multiply":
    return block.shift(block.scale(block.unary("tanh", updates, 1.0), 0.0625), 1.0)
  return updates


def write_scatter(block, inputs, indices, updates, numbers, name, unique=False):
  attrs = f"scatter_dimension_numbers = #stablehlo.scatter<{numbers_text(numbers)}>, "
  attrs += f"indices_are_sorted = false, unique_indices = {str(unique).lower()}"
  body = replace_body(block, inputs) if name == "replace" else block.body(name, *(x.dtype for x in inputs))
  bound = max(x.bound for x in inputs) + max(u.bound for u in updates) * elements(updates[0].shape)
  if name == "multiply":
    bound = inputs[0].bound * math.exp(min(elements(updates[0].shape) / 16, 60))
  if name in ("maximum", "minimum", "replace"):
    bound = max(v.bound for v in (*inputs, *updates))
  known = dict(bound=bound, exact=name in ("maximum", "minimum", "replace") and all(v.exact for v in (*inputs, *updates)))
  types = [(x.shape, x.dtype) for x in inputs]
  return [block.keep(v) for v in block.op("scatter", [*inputs, indices, *updates], types, attrs, [body], **known)]


def replace_body(block, inputs):
  olds, news = ([Value(block.maker.name("r"), (), x.dtype) for x in inputs] for _ in range(2))
  return region_text(olds + news, [], news)


def scatter_rows(block):
  """The gradient of an embedding; with several inputs now and then, or rows replaced at distinct places."""
  x = block.pick(block.random.choice(FLOAT_OR_INT), lambda v: 0 < v.rank < 4)
  dim = block.random.randrange(x.rank)
  rest = [size for d, size in enumerate(x.shape) if d != dim]
  unique = block.random.random() < 0.35
  if unique:
    count = block.random.choice([n for n in (1, 2, 4, 8) if n <= x.shape[dim]])
    name, batch, indices = "replace", (count,), distinct_index(block, (count, 1), x.shape[dim])
  else:
    name, batch = combiner(block, x), small_shape(block, elements(rest))
    indices = index(block, (*batch, 1), x.shape[dim])
  inputs, updates = [x], [updates_for(block, (*batch, *rest), x.dtype, name)]
  if block.random.random() < 0.2:
    # Not the same value twice: XLA's CPU backend cannot compile that.
    other = block.tensor(x.shape, x.dtype)
    inputs.append(block.unary("negate", other, other.bound))
    updates.append(block.unary("negate", updates[0], updates[0].bound))
  numbers = {
    "update_window_dims": list(range(len(batch), len(batch) + len(rest))), "inserted_window_dims": [dim],
    "scatter_dims_to_operand_dims": [dim], "index_vector_dim": len(batch),
  }
  return write_scatter(block, inputs, indices, updates, numbers, name, unique)


def scatter_batched(block):
  x = block.pick(block.random.choice(FLOAT_OR_INT), lambda v: v.rank in (2, 3), rank=2)
  count = block.random.choice([1, 2, 4])
  name = combiner(block, x)
  rest = list(x.shape[2:])
  updates = updates_for(block, (x.shape[0], count, *rest), x.dtype, name)
  numbers = {
    "update_window_dims": [2 + d for d in range(len(rest))], "inserted_window_dims": [1], "input_batching_dims": [0],
    "scatter_indices_batching_dims": [0], "scatter_dims_to_operand_dims": [1], "index_vector_dim": 2,
  }
  return write_scatter(block, [x], index(block, (x.shape[0], count, 1), x.shape[1]), [updates], numbers, name)


def scatter_windows(block):
  x = block.pick(block.random.choice(FLOAT_OR_INT), lambda v: 0 < v.rank < 4 and elements(v.shape) <= 512)
  dim = block.random.randrange(x.rank)
  sizes = list(x.shape)
  sizes[dim] = max(sizes[dim] // 2, 1)
  count = block.random.choice([1, 2, 4])
  name = combiner(block, x)
  updates = updates_for(block, (count, *sizes), x.dtype, name)
  numbers = {
    "update_window_dims": [1 + d for d in range(x.rank)], "scatter_dims_to_operand_dims": [dim], "index_vector_dim": 1,
  }
  return write_scatter(block, [x], index(block, (count, 1), x.shape[dim] - sizes[dim] + 1), [updates], numbers, name)


def sort(block):
  """One operand, or keys with others that follow them. Such keys are exact: their order must not hang on rounding."""
  several = block.random.random() < 0.5
  accepts = lambda v: v.rank > 0 and v.dtype in ("f32", "i32") and (v.exact or not several)
  keys = block.find(accepts) or block.pick("i32")
  count = block.random.choice([1, 1, 2]) if several else 0
  others = [block.tensor(keys.shape, block.random.choice(FLOAT_OR_INT)) for _ in range(count)]
  operands = [keys, *others]
  parameters = [Value(block.maker.name("r"), (), v.dtype) for v in operands for _ in range(2)]
  inner = Block(block.maker, isolated=True)
  before = inner.compare(block.random.choice(["LT", "GT"]), *parameters[:2])
  body = region_text(parameters, inner.statements, [before])
  attrs = f"dimension = {block.random.randrange(keys.rank)} : i64, is_stable = true"
  types = [(v.shape, v.dtype) for v in operands]
  bound, exact = max(v.bound for v in operands), all(v.exact for v in operands)
  return [block.keep(v) for v in block.op("sort", operands, types, attrs, [body], bound=bound, exact=exact)]


def top_k(block):
  x = block.find(lambda v: v.rank > 0 and v.exact and v.dtype == "f32") or block.pick("i32")
  k = block.random.choice([n for n in (1, 2, 4) if n <= x.shape[-1]])
  shape = (*x.shape[:-1], k)
  types = [(shape, x.dtype), (shape, "i32")]
  results = block.op("chlo.top_k", [x], types, f"k = {k} : i64", bound=max(x.bound, x.shape[-1]), exact=True)
  return [block.keep(v) for v in results]


FAMILIES = {
  "dynamic_slice": (1.5, dynamic_slice),
  "dynamic_update_slice": (1.5, dynamic_update_slice),
  "gather": (2.5, gather),
  "scatter": (2.5, scatter),
  "sort": (1.5, sort),
  "top_k": (0.7, top_k),
}
