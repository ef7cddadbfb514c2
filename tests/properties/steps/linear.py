"""Matrix products and what is built of them."""

from ..block import LARGEST_TENSOR, TAME, array_text, elements, list_text


def contract(block, left, right, contracting, batching=((), ())):
  """dot_general; `contracting` and `batching` are a list of dims for each side."""
  bound = left.bound * right.bound
  for d in contracting[0]:
    bound *= left.shape[d]
  taken = [set(contracting[side]) | set(batching[side]) for side in (0, 1)]
  shape = [left.shape[d] for d in batching[0]]
  for value, dims in zip((left, right), taken):
    shape += [size for d, size in enumerate(value.shape) if d not in dims]
  numbers = ", ".join(
    f"{side}_{kind}_dimensions = {list_text(dims)}"
    for kind, pair in (("batching", batching), ("contracting", contracting))
    for side, dims in zip(("lhs", "rhs"), pair)
  )
  attrs = f"dot_dimension_numbers = #stablehlo.dot<{numbers}>"
  return block.op("dot_general", [left, right], (shape, left.dtype), attrs, bound=bound)


def dot(block):
  dtype = block.random.choice(["f32", "f32", "f32", "i32"])
  left = block.pick(dtype, lambda v: v.rank > 0)
  dims = list(range(left.rank))
  block.random.shuffle(dims)
  contracted = block.random.choice([1, 1, 1, 2, 0]) if left.rank > 1 else 1
  contracting, rest = dims[:contracted], dims[contracted:]
  batching = rest[: block.random.choice([0, 0, 1, 2])]
  sizes = [("c", d, left.shape[d]) for d in contracting] + [("b", d, left.shape[d]) for d in batching]
  kept = elements(left.shape[d] for d in rest)
  for _ in range(block.random.choice([0, 1, 1, 2])):
    size = block.size()
    if kept * size <= LARGEST_TENSOR // 4 and elements(s for _, _, s in sizes) * size <= LARGEST_TENSOR // 4:
      kept *= size
      sizes.append(("f", -1, size))
  block.random.shuffle(sizes)
  right = block.tensor([size for _, _, size in sizes], dtype)
  place = {d: position for position, (_, d, _) in enumerate(sizes) if d >= 0}
  pair = lambda dims: (dims, [place[d] for d in dims])
  return block.keep(contract(block, left, right, pair(contracting), pair(batching)))


def gram(block):
  """x xT: both sides of the product are one value, so its dims meet themselves."""
  x = block.pick(accepts=lambda v: v.rank in (2, 3) and elements(v.shape) <= 512)
  batching = [0] if x.rank == 3 and block.random.random() < 0.5 else []
  free = [d for d in range(x.rank) if d not in batching]
  contracting = [block.random.choice(free)]
  kept = elements(x.shape[d] for d in free if d not in contracting)
  if elements(x.shape[d] for d in batching) * kept * kept > LARGEST_TENSOR:
    contracting = free
  return block.keep(contract(block, x, x, (contracting, contracting), (batching, batching)))


def positive_definite(block):
  """M MT / n + 2: its eigenvalues are at least 2, so factorisations are well conditioned."""
  m = block.pick(accepts=lambda v: v.rank in (2, 3) and v.shape[-2] <= 16 and elements(v.shape) <= 1024)
  m = block.unary("tanh", m, 1.0)
  last, batching = m.rank - 1, list(range(m.rank - 2))
  product = contract(block, m, m, ([last], [last]), (batching, batching))
  product = block.scale(product, 1.0 / m.shape[-1])
  return block.add(product, block.scale(eye(block, product.shape), 2.0))


def triangle(block, shape, direction):
  """Where row and column of the last two dims compare so."""
  rank = len(shape)
  return block.compare(direction, block.iota(shape, rank - 2), block.iota(shape, rank - 1))


def eye(block, shape):
  return block.op("convert", [triangle(block, shape, "EQ")], (shape, "f32"), bound=1.0, exact=True)


def cholesky(block):
  a = positive_definite(block)
  lower = block.random.random() < 0.7
  factor = block.op("cholesky", [a], (a.shape, "f32"), f"lower = {str(lower).lower()}", bound=2.0)
  # The other triangle is whatever the implementation leaves there.
  zero = block.splat(a.shape, "f32", 0.0)
  mask = triangle(block, a.shape, "GE" if lower else "LE")
  return block.keep(block.op("select", [mask, factor, zero], (a.shape, "f32"), bound=2.0))


def triangular_solve(block):
  b = block.pick(accepts=lambda v: v.rank in (2, 3) and max(v.shape[-2:]) <= 16)
  left = block.random.random() < 0.6
  size = b.shape[-2] if left else b.shape[-1]
  shape = (*b.shape[:-2], size, size)
  # Small beside the diagonal: solutions stay within the size of b.
  a = block.scale(block.unary("tanh", block.tensor(shape), 1.0), 0.5 / size)
  a = block.add(a, block.scale(eye(block, shape), 1.5))
  transpose = block.random.choice(["NO_TRANSPOSE", "TRANSPOSE"])
  flags = {"left_side": left, "lower": block.random.random() < 0.5, "unit_diagonal": block.random.random() < 0.3}
  attrs = ", ".join(f"{name} = {str(flag).lower()}" for name, flag in flags.items())
  attrs += f", transpose_a = #stablehlo<transpose {transpose}>"
  return block.keep(block.op("triangular_solve", [a, b], (b.shape, "f32"), attrs, bound=4 * b.bound))


def fft(block):
  x = block.pick(accepts=lambda v: v.rank > 0 and elements(v.shape[-2:]) <= 256)
  dims = block.random.choice([1, 2]) if x.rank > 1 else 1
  lengths = x.shape[x.rank - dims :]
  if block.random.random() < 0.5:
    kind, shape, operand = "RFFT", (*x.shape[:-1], x.shape[-1] // 2 + 1), x
  else:
    kind, shape = block.random.choice(["FFT", "IFFT"]), x.shape
    operand = block.op("complex", [x, block.tensor(x.shape)], (x.shape, "complex<f32>"), exact=False)
  attrs = f"fft_type = #stablehlo<fft_type {kind}>, fft_length = {array_text(lengths)}"
  spectrum = block.op("fft", [operand], (shape, "complex<f32>"), attrs)
  bound = 2 * TAME * elements(lengths)
  for part in ("real", "imag"):
    block.keep(block.op(part, [spectrum], (shape, "f32"), bound=bound, exact=False))


FAMILIES = {
  "dot": (6, dot),
  "gram": (2, gram),
  "cholesky": (0.7, cholesky),
  "triangular_solve": (0.7, triangular_solve),
  "fft": (0.7, fft),
}
