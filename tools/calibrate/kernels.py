"""Micro-benchmarks of one device's arithmetic and memory. All devices run them at once, as in an SPMD program: host
devices share cores and memory, and a profile is about what each of them gets."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from .timing import per_iteration

# MatmulClass of the profile -> (dtype, precision).
MATMULS = {
  "f64": ("float64", None),
  "f32": ("float32", None),
  "f32_highest": ("float32", "highest"),
  "f16": ("float16", None),
  "bf16": ("bfloat16", None),
  "f8": ("float8_e4m3fn", None),
  "i8": ("int8", None),
}


def on_all_devices(devices, function, group=1):
  """`function` of one device's arrays, run on all devices at once; arrays have a leading dim of one per device. So many
  neighbours are the mesh axis `group`."""
  mesh = Mesh(np.array(devices).reshape(-1, group), ("groups", "group"))
  spec = PartitionSpec(("groups", "group"))
  local = lambda *arrays: jax.tree.map(lambda a: a[None], function(*(a[0] for a in arrays)))
  return jax.jit(jax.shard_map(local, mesh=mesh, in_specs=spec, out_specs=spec)), NamedSharding(mesh, spec)


@functools.lru_cache
def _random(sharding, shape, dtype):
  """Compiled once per shape; a benchmark needs several arrays of it."""
  shape = (len(sharding.device_set), *shape)

  def make(key):
    if jnp.issubdtype(dtype, jnp.floating):
      return jax.random.normal(key, shape, jnp.float32).astype(dtype)
    return jax.random.randint(key, shape, -100, 100, jnp.int32).astype(dtype)

  return jax.jit(make, out_shardings=sharding)


def random_array(sharding, shape, dtype):
  """Random numbers, one block per device: hardware is faster on zeros and on patterns."""
  return _random(sharding, shape, jnp.dtype(dtype))(jax.random.key(0))


def matmul(devices, dtype, precision, size, settings):
  """FLOP/s of square matmuls of this size on one device."""
  dtype = jnp.dtype(dtype)
  out = jnp.int32 if dtype == jnp.int8 else None

  def make(count):
    # Each multiplies another left side, so that nothing can be computed once for all.
    product = lambda w, *xs: [jnp.matmul(x, w, precision=precision, preferred_element_type=out) for x in xs]
    function, sharding = on_all_devices(devices, product)
    return function, [random_array(sharding, (size, size), dtype) for _ in range(count + 1)]

  return 2 * size**3 / per_iteration(make, few=1, many=settings.matmuls, repeats=settings.repeats)


ADDITION_BYTES = 12  # Read and written for each element of `a + b`.


def memory(devices, elements, settings):
  """Bytes read and written per second by `a + b` on one device."""

  def make(count):
    function, sharding = on_all_devices(devices, lambda b, *xs: [x + b for x in xs])
    return function, [random_array(sharding, (elements,), jnp.float32) for _ in range(count + 1)]

  return ADDITION_BYTES * elements / per_iteration(make, few=1, many=5, repeats=settings.repeats)


def vector(devices, elements, settings):
  """FLOP/s of multiply-adds in one fused loop on one device."""

  def make(count):
    def chain(x):
      for _ in range(count):
        x = x * 0.999 + 0.001
      return x

    function, sharding = on_all_devices(devices, chain)
    return function, [random_array(sharding, (elements,), jnp.float32)]

  return 2 * elements / per_iteration(make, few=256, many=1024, repeats=settings.repeats)


def launch(devices, settings):
  """Seconds from one small kernel to the next that needs its result."""

  def make(count):
    def chain(x, w):
      for _ in range(count):
        x = jnp.matmul(x, w)
      return x

    function, sharding = on_all_devices(devices, chain)
    return function, [random_array(sharding, (32, 32), jnp.float32) for _ in range(2)]

  return per_iteration(make, few=10, many=10 + settings.launches, repeats=settings.repeats)
