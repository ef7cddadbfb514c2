"""Ops that move elements, and those that make them from nothing."""

from ..block import LARGEST_TENSOR, array_text, elements

ANY = ["f32", "f32", "f32", "i32", "i1"]


def transpose(block):
  x = block.pick(block.random.choice(ANY), lambda v: v.rank > 1)
  permutation = list(range(x.rank))
  while permutation == sorted(permutation):
    block.random.shuffle(permutation)
  y = block.transpose(x, permutation)
  if y.shape == x.shape and x.dtype == "f32" and block.random.random() < 0.5:
    y = block.add(x, y)
  return block.keep(y)


def broadcast(block):
  x = block.pick(block.random.choice(ANY), lambda v: v.rank < 4 and elements(v.shape) <= 512)
  if block.random.random() < 0.4:
    x = with_one(block, x)
  shape = [block.size() if size == 1 and block.random.random() < 0.7 else size for size in x.shape]
  dims = list(range(len(shape)))
  for _ in range(block.random.choice([0, 1, 1, 2])):
    size = block.size()
    if len(shape) < 4 and elements(shape) * size <= LARGEST_TENSOR // 2:
      position = block.random.randrange(len(shape) + 1)
      shape.insert(position, size)
      dims = [d + (d >= position) for d in dims]
  if elements(shape) > LARGEST_TENSOR:
    return block.keep(x)
  return block.keep(block.broadcast(x, shape, dims))


def with_one(block, x):
  """A value with a dim of size 1 that a broadcast can expand: made by a reshape, or the rest of a sum."""
  position = block.random.randrange(x.rank + 1)
  if x.is_float and 0 < position and block.random.random() < 0.5:
    dim = position - 1
    total = block.tame(block.reduce(x, [dim]))
    return block.reshape(total, [1 if d == dim else size for d, size in enumerate(x.shape)])
  return block.reshape(x, [*x.shape[:position], 1, *x.shape[position:]])


def reshape(block):
  x = block.pick(block.random.choice(ANY), lambda v: v.rank > 0)
  shape = list(x.shape)
  for _ in range(block.random.choice([1, 1, 2, 3])):
    change = block.random.choice([merge, merge, split, split, toggle_one, refactor])
    shape = change(block.random, shape)
  if len(shape) > 5 or shape == list(x.shape):
    shape = [elements(shape)]
  return block.keep(block.reshape(x, shape))


def merge(random, shape):
  if len(shape) < 2:
    return shape
  at = random.randrange(len(shape) - 1)
  return [*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :]]


def split(random, shape):
  places = [(d, n) for d, size in enumerate(shape) for n in range(2, size) if size % n == 0]
  if not places:
    return shape
  dim, major = random.choice(places)
  return [*shape[:dim], major, shape[dim] // major, *shape[dim + 1 :]]


def toggle_one(random, shape):
  if 1 in shape and random.random() < 0.5:
    at = shape.index(1)
    return shape[:at] + shape[at + 1 :]
  at = random.randrange(len(shape) + 1)
  return [*shape[:at], 1, *shape[at:]]


def refactor(random, shape):
  """Any other shape of as many elements: cuts fall anywhere, also inside dims."""
  primes, rest = [], elements(shape)
  for p in (2, 3, 5, 7):
    while rest % p == 0:
      primes.append(p)
      rest //= p
  random.shuffle(primes)
  result = [1] * random.randrange(1, 4)
  for p in primes:
    result[random.randrange(len(result))] *= p
  result[-1] *= rest
  return result


def regroup(block):
  """Two reshapes in a row with nothing between: the dim that joins them is compound on both sides."""
  x = block.pick(block.random.choice(ANY), lambda v: v.rank > 1)
  merged = block.reshape(x, merge(block.random, list(x.shape)))
  if block.random.random() < 0.3:
    block.keep(merged)
  if block.random.random() < 0.7:
    return block.keep(block.reshape(merged, x.shape))
  return block.keep(block.reshape(merged, split(block.random, list(merged.shape))))


def concatenate(block):
  x = block.pick(block.random.choice(ANY), lambda v: v.rank > 0 and elements(v.shape) <= 1024)
  dim = block.random.randrange(x.rank)
  parts = [x] + [concatenable(block, x, dim) for _ in range(block.random.choice([1, 1, 2]))]
  block.random.shuffle(parts)
  shape = list(x.shape)
  shape[dim] = sum(part.shape[dim] for part in parts)
  return block.keep(block.op("concatenate", parts, (shape, x.dtype), f"dimension = {dim} : i64"))


def concatenable(block, x, dim):
  rest = lambda v: (v.dtype, v.rank, v.shape[:dim], v.shape[dim + 1 :])
  return block.find(lambda v: rest(v) == rest(x) and v.shape[dim] <= 32) or x


def pad(block):
  x = block.pick(block.random.choice(["f32", "f32", "i32"]), lambda v: v.rank > 0 and elements(v.shape) <= 256)
  low, high, interior = [0] * x.rank, [0] * x.rank, [0] * x.rank
  for d in range(x.rank):
    if block.random.random() < 0.6:
      low[d], high[d], interior[d] = (block.random.choice(c) for c in ([-1, 0, 1, 2], [-1, 0, 1, 2], [0, 0, 1]))
  shape = [size + (size - 1) * i + l + h for size, l, h, i in zip(x.shape, low, high, interior)]
  if min(shape) < 1 or elements(shape) > LARGEST_TENSOR:
    low, high, interior, shape = [0] * x.rank, [1] * x.rank, [0] * x.rank, [size + 1 for size in x.shape]
  value = block.splat((), x.dtype, 0.5 if x.is_float else 1)
  attrs = f"edge_padding_low = {array_text(low)}, edge_padding_high = {array_text(high)}, "
  attrs += f"interior_padding = {array_text(interior)}"
  return block.keep(block.op("pad", [x, value], (shape, x.dtype), attrs))


def slice_(block):
  x = block.pick(block.random.choice(ANY), lambda v: v.rank > 0)
  starts, limits, strides = [0] * x.rank, list(x.shape), [1] * x.rank
  for d, size in enumerate(x.shape):
    if size > 1 and block.random.random() < 0.6:
      starts[d] = block.random.choice([0, 0, 1, size // 2])
      limits[d] = block.random.choice([n for n in (size // 2, size - 1, size) if n > starts[d]])
      # XLA's own partitioner gets strides wrong that step beyond the end, and it is to be compared with.
      strides[d] = block.random.choice([n for n in (1, 1, 2, 3) if n <= limits[d] - starts[d]])
  shape = [-(-(limit - start) // stride) for start, limit, stride in zip(starts, limits, strides)]
  attrs = f"start_indices = {array_text(starts)}, limit_indices = {array_text(limits)}, strides = {array_text(strides)}"
  return block.keep(block.op("slice", [x], (shape, x.dtype), attrs))


def reverse(block):
  x = block.pick(block.random.choice(ANY), lambda v: v.rank > 0)
  dims = sorted(block.random.sample(range(x.rank), block.random.randrange(1, x.rank + 1)))
  return block.keep(block.op("reverse", [x], (x.shape, x.dtype), f"dimensions = {array_text(dims)}"))


def iota(block):
  x = block.pick(block.random.choice(["f32", "i32"]), lambda v: v.rank > 0)
  numbers = block.iota(x.shape, block.random.randrange(x.rank), x.dtype)
  if not x.is_float:
    return block.keep(block.add(x, numbers))
  return block.keep(block.add(x, block.scale(numbers, 0.125)))


def constant(block):
  x = block.pick(block.random.choice(["f32", "i32"]))
  name = block.random.choice(["add", "multiply"])
  return block.keep(getattr(block, name)(x, block.constant(x.shape, x.dtype)))


FAMILIES = {
  "transpose": (3, transpose),
  "broadcast": (3, broadcast),
  "reshape": (4, reshape),
  "regroup": (1.5, regroup),
  "concatenate": (1.5, concatenate),
  "pad": (1.5, pad),
  "slice": (1.5, slice_),
  "reverse": (1, reverse),
  "iota": (1, iota),
  "constant": (1, constant),
}
