"""Small pieces of real models, chosen because their colours meet themselves."""

import math

from ..block import LARGEST_TENSOR, elements
from .linear import contract


def matrix(block):
  return block.pick(accepts=lambda v: v.rank == 2 and max(v.shape) <= 32, rank=2)


def residual(block):
  """x + f(x W) with a square W: the model dim meets itself in W."""
  x = block.pick(accepts=lambda v: v.rank > 0 and v.shape[-1] <= 32)
  size = x.shape[-1]
  y = contract(block, x, block.tensor((size, size)), ([x.rank - 1], [block.random.choice([0, 1])]))
  if block.random.random() < 0.6:
    y = block.unary("tanh", block.scale(y, 1 / math.sqrt(size)), 1.0)
  return block.keep(block.add(x, y))


def symmetric(block):
  """s + transpose(s): an odd cycle."""
  s = block.find(lambda v: v.dtype == "f32" and v.rank == 2 and v.shape[0] == v.shape[1])
  if s is None:
    size = block.size()
    s = block.fresh((size, size), "f32")
  combine = block.random.choice([block.add, block.multiply])
  return block.keep(combine(s, block.transpose(s, [1, 0])))


def softmax(block, x):
  dim = x.rank - 1
  rest = list(range(dim))
  largest = block.reduce(x, [dim], "maximum", block.splat((), "f32", -1e30), bound=x.bound)
  shifted = block.binary("subtract", x, block.broadcast(largest, x.shape, rest), bound=2 * x.bound)
  weights = block.unary("exponential", shifted, 1.0)
  total = block.reduce(weights, [dim])
  return block.binary("divide", weights, block.broadcast(total, x.shape, rest), bound=1.0)


def attention(block):
  x = matrix(block)
  sequence, width = x.shape
  head = block.size()
  if sequence * sequence > LARGEST_TENSOR:
    return block.keep(block.unary("tanh", x, 1.0))
  project = lambda: block.tame(contract(block, x, block.tensor((width, head)), ([1], [0])))
  query, key, value = project(), project(), project()
  scores = softmax(block, block.tame(contract(block, query, key, ([1], [1]))))
  return block.keep(contract(block, scores, value, ([1], [0])))


def normalise(block):
  x = block.pick(accepts=lambda v: v.rank > 1)
  if block.random.random() < 0.5:
    return block.keep(softmax(block, x))
  dim = x.rank - 1
  mean = block.scale(block.reduce(block.multiply(x, x), [dim]), 1.0 / x.shape[dim])
  root = block.unary("rsqrt", block.shift(mean, 1.0), 1.0)
  scaled = block.multiply(x, block.broadcast(root, x.shape, list(range(dim))))
  gain = block.broadcast(block.tensor((x.shape[dim],)), x.shape, [dim])
  return block.keep(block.multiply(scaled, gain))


def outer_difference(block):
  """x[i] - x[j]: one value broadcast along both dims."""
  x = block.pick(accepts=lambda v: v.rank in (1, 2) and v.shape[0] * elements(v.shape) <= LARGEST_TENSOR)
  size, rest = x.shape[0], x.shape[1:]
  shape = (size, size, *rest)
  tail = [d + 1 for d in range(1, x.rank)]
  rows, columns = block.broadcast(x, shape, [0, *tail]), block.broadcast(x, shape, [1, *tail])
  return block.keep(block.binary("subtract", rows, columns, bound=2 * x.bound))


FAMILIES = {
  "residual": (3, residual),
  "symmetric": (2, symmetric),
  "attention": (1, attention),
  "normalise": (1.5, normalise),
  "outer_difference": (1, outer_difference),
}
