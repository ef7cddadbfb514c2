"""Micro-benchmarks of collectives, and the fit of latency and bandwidth to them."""

import dataclasses
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .kernels import on_all_devices, random_array
from .timing import per_iteration


@dataclasses.dataclass(frozen=True)
class Sample:
  kind: str
  devices: int  # That take part in one collective.
  bytes: int  # Of the larger of operand and result on one device.
  seconds: float


# Each takes and gives an array of one shape per device, so that they can be chained. What stands around the collective
# keeps the compiler from seeing that two of them in a row do nothing new.
def _all_reduce(x, n):
  return lax.psum(x, "group") / n + lax.axis_index("group").astype(x.dtype)


def _all_gather(x, n):
  return lax.all_gather(x[: x.size // n], "group", tiled=True) + lax.axis_index("group").astype(x.dtype)


def _reduce_scatter(x, n):
  return jnp.tile(lax.psum_scatter(x, "group", tiled=True), n) / n


def _all_to_all(x, n):
  return lax.all_to_all(x, "group", 0, 0, tiled=True)


def _collective_permute(x, n):
  return lax.ppermute(x, "group", [(i, (i + 1) % n) for i in range(n)])


KINDS = {
  "all_reduce": _all_reduce,
  "all_gather": _all_gather,
  "reduce_scatter": _reduce_scatter,
  "all_to_all": _all_to_all,
  "collective_permute": _collective_permute,
}


def measure(devices, count, kind, size, settings):
  """One Sample: `kind` among each `count` neighbours of `devices` at once, with about `size` bytes."""
  elements = max(1, size // 4 // count) * count

  def make(times):
    def chain(x):
      for _ in range(times):
        x = KINDS[kind](x, count)
      return x

    function, sharding = on_all_devices(devices, chain, group=count)
    return function, [random_array(sharding, (elements,), jnp.float32)]

  time = per_iteration(make, few=2, many=2 + settings.collectives, repeats=settings.repeats)
  return Sample(kind, count, 4 * elements, time)


def group_sizes(total):
  """2, 4, 8, … of `total` devices, and all of them."""
  return sorted({2**i for i in range(1, total.bit_length()) if 2**i <= total} | {total} - {1})


def sweep(devices, settings):
  return [
    measure(devices[: len(devices) // count * count], count, kind, size, settings)
    for count, kind, size in itertools.product(group_sizes(len(devices)), KINDS, settings.collective_bytes)
  ]


def coefficients(sample):
  """(overhead, latency, seconds per byte) of a sample by rules C2 to C6 on a switched link."""
  n = sample.devices
  hops = min(n - 1, 2 * math.ceil(math.log2(n)))
  moved = sample.bytes * (n - 1) / n
  if sample.kind == "all_reduce":
    return (1, 2 * hops, 2 * moved)
  if sample.kind == "collective_permute":
    return (1, 1, sample.bytes)
  return (1, hops, moved)


def fit(samples):
  """(overhead seconds, latency seconds, bytes per second), none negative, least squares of the relative error."""
  weights = np.array([1 / s.seconds for s in samples])
  matrix = np.array([coefficients(s) for s in samples], dtype=float) * weights[:, None]
  scale = np.abs(matrix).max(axis=0)
  best, smallest = None, float("inf")
  # Three unknowns: try which of overhead and latency are zero.
  for keep in ([0, 1, 2], [0, 2], [1, 2], [2]):
    part, *_ = np.linalg.lstsq(matrix[:, keep] / scale[keep], np.ones(len(samples)), rcond=None)
    error = np.linalg.norm(matrix[:, keep] / scale[keep] @ part - 1)
    if (part >= 0).all() and part[-1] > 0 and error < smallest:
      solution = np.zeros(3)
      solution[keep] = part / scale[keep]
      best, smallest = solution, error
  if best is None:
    raise ValueError("no bandwidth fits the measured collectives; measure larger sizes")
  return best[0], best[1], 1 / best[2]


def relative_errors(samples, fitted):
  """Predicted over measured, less one."""
  overhead, latency, bandwidth = fitted
  times = [np.dot(coefficients(s), (overhead, latency, 1 / bandwidth)) for s in samples]
  return [time / s.seconds - 1 for time, s in zip(times, samples)]
