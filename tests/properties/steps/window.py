"""Convolutions, windows, and the batch norms that come with them."""

from ..block import LARGEST_TENSOR, Block, Value, array_text, elements, list_text, region_text


def convolution(block):
  r = block.random
  spatial = r.choice([1, 2])
  sizes = [r.choice([4, 6, 8]) for _ in range(spatial)]
  kernel = [r.choice([1, 2, 3]) for _ in range(spatial)]
  strides, lhs_dilation = ([r.choice([1, 1, 2]) for _ in range(spatial)] for _ in range(2))
  # A dilated kernel must still fit into the smallest input.
  rhs_dilation = [1 if size > 2 else r.choice([1, 1, 2]) for size in kernel]
  padding = [[r.choice([0, 1]), r.choice([0, 1, 2])] for _ in range(spatial)]
  batch, features = r.choice([2, 4]), r.choice([2, 4])
  groups, batch_groups = r.choice([(1, 1), (1, 1), (2, 1), (features, 1), (1, 2)])
  outputs = max(groups, batch_groups) * r.choice([1, 2])
  window = lambda: list(zip(sizes, kernel, strides, lhs_dilation, rhs_dilation, padding))
  if batch * outputs * elements(output_size(*w) for w in window()) > LARGEST_TENSOR:
    strides = [2] * spatial
  lhs_order, rhs_order, out_order = (shuffled(r, spatial) for _ in range(3))
  lhs = block.tensor(arrange(lhs_order, batch * batch_groups, features, sizes))
  rhs = block.tensor(arrange(rhs_order, outputs, features // groups, kernel))
  shape = arrange(out_order, batch, outputs, [output_size(*w) for w in window()])
  numbers = "x".join([order_text(lhs_order, "bf"), order_text(rhs_order, "oi")]) + f"->{order_text(out_order, 'bf')}"
  attrs = ", ".join([
    f"dimension_numbers = #stablehlo.conv<{numbers}>", f"window_strides = {array_text(strides)}",
    f"padding = dense<{padding}> : tensor<{spatial}x2xi64>", f"lhs_dilation = {array_text(lhs_dilation)}",
    f"rhs_dilation = {array_text(rhs_dilation)}", f"feature_group_count = {groups} : i64",
    f"batch_group_count = {batch_groups} : i64",
  ])
  bound = lhs.bound * rhs.bound * features * elements(kernel)
  return block.keep(block.op("convolution", [lhs, rhs], (shape, "f32"), attrs, bound=bound))


def shuffled(random, spatial):
  """Where the two special dims (0, 1) and the spatial ones (2, …) stand: as models write them, or anyhow."""
  usual = [[0, *range(2, 2 + spatial), 1], [0, 1, *range(2, 2 + spatial)]]
  order = random.choice(usual)
  if random.random() < 0.3:
    random.shuffle(order)
  return order


def arrange(order, first, second, spatial):
  return tuple([first, second, *spatial][d] for d in order)


def order_text(order, letters):
  return list_text(letters[d] if d < 2 else d - 2 for d in order)


def output_size(size, kernel, stride, lhs_dilation, rhs_dilation, padding):
  padded = (size - 1) * lhs_dilation + 1 + sum(padding)
  return (padded - (kernel - 1) * rhs_dilation - 1) // stride + 1


def random_window(block, shape, tiling=False):
  """Per dim: window, stride, dilation, padding. Some dims are untouched; `tiling` windows only cut the dim up."""
  r = block.random
  rows = []
  for size in shape:
    kind = r.choice(["untouched", "tiles", "overlap"])
    even = [n for n in (2, 4) if size % n == 0]
    if kind == "tiles" and even:
      window = r.choice(even)
      rows.append((window, window, 1, 0, 0))
    elif kind == "overlap" and size >= 4 and not tiling:
      dilation = 1 if size < 6 else r.choice([1, 1, 2])
      rows.append((r.choice([2, 3]), r.choice([1, 2]), dilation, r.choice([0, 1]), r.choice([0, 1])))
    else:
      rows.append((1, 1, 1, 0, 0))
  return [list(column) for column in zip(*rows)]


def window_text(window, stride, dilation, low, high, dilated):
  text = f"window_dimensions = {array_text(window)}, window_strides = {array_text(stride)}, "
  text += f"padding = dense<{[list(p) for p in zip(low, high)]}> : tensor<{len(window)}x2xi64>"
  return text + (f", window_dilations = {array_text(dilation)}" if dilated else "")


def window_shape(shape, window, stride, dilation, low, high):
  return [output_size(s, w, st, 1, d, (l, h)) for s, w, st, d, l, h in zip(shape, window, stride, dilation, low, high)]


def reduce_window(block):
  x = block.pick(block.random.choice(["f32", "f32", "i32"]))
  columns = random_window(block, x.shape)
  name = block.random.choice(["add", "maximum", "minimum"])
  number = {"add": 0, "maximum": -(2**31), "minimum": 2**31 - 1}[name]
  initial = block.splat((), x.dtype, 1e30 * (number > 0) - 1e30 * (number < 0) if x.is_float else number)
  bound = x.bound * elements(columns[0]) if name == "add" else x.bound
  attrs = window_text(*columns, dilated=True)
  shape = window_shape(x.shape, *columns)
  body = block.body(name, x.dtype)
  known = dict(bound=bound, exact=x.exact and name != "add")
  return block.keep(block.op("reduce_window", [x, initial], (shape, x.dtype), attrs, [body], **known))


def without_ties(block):
  """Floats no two of which are equal: which of equal ones a window selects is up to the backend."""
  if block.isolated:
    shape = block.shape()
    return block.reshape(block.iota((elements(shape),), 0, "f32"), shape)
  names = {a.value.name for a in block.maker.arguments if a.kind == "float"}
  found = block.find(lambda v: v.rank > 0 and v.name in names)
  return found or block.maker.argument(block.shape(), "f32", "float", -1, 1)


def select_and_scatter(block):
  """The gradient of a max pooling."""
  x = without_ties(block)
  window, stride, dilation, low, high = random_window(block, x.shape, tiling=block.random.random() < 0.5)
  dilation = [1] * x.rank
  source = block.tensor(window_shape(x.shape, window, stride, dilation, low, high))
  parameters = [Value(block.maker.name("r"), (), "f32") for _ in range(2)]
  inner = Block(block.maker, isolated=True)
  larger = inner.compare("GE", *parameters)
  select = region_text(parameters, inner.statements, [larger])
  attrs = window_text(window, stride, dilation, low, high, dilated=False)
  operands = [x, source, block.splat((), "f32", 0.0)]
  bodies = [select, block.body("add", "f32")]
  bound = source.bound * elements(window)
  return block.keep(block.op("select_and_scatter", operands, (x.shape, "f32"), attrs, bodies, bound=bound))


def batch_norm(block):
  x = block.pick(accepts=lambda v: v.rank > 1)
  dim = block.random.randrange(x.rank)
  vector = ((x.shape[dim],), "f32")
  gain, offset = block.tensor(vector[0]), block.tensor(vector[0])
  attrs = f"epsilon = 1.000000e+00 : f32, feature_index = {dim} : i64"
  bound = 8 * (gain.bound * max(x.bound, 1) + offset.bound)
  if block.random.random() < 0.5:
    types = [(x.shape, "f32"), vector, vector]
    results = block.op("batch_norm_training", [x, gain, offset], types, attrs, bound=max(bound, x.bound**2))
    return [block.keep(v) for v in results]
  mean, spread = block.tensor(vector[0]), block.tensor(vector[0])
  operands = [x, gain, offset, mean, block.multiply(spread, spread)]
  return block.keep(block.op("batch_norm_inference", operands, (x.shape, "f32"), attrs, bound=bound * (1 + mean.bound)))


FAMILIES = {
  "convolution": (1.5, convolution),
  "reduce_window": (1.5, reduce_window),
  "select_and_scatter": (1, select_and_scatter),
  "batch_norm": (0.7, batch_norm),
}
