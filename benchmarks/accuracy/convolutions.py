"""How long convolutions take on a GPU: in groups, with strides, of many images and few. Needs JAX alone.

    python convolutions.py > benchmarks/results/h200-convolutions.md          on a machine with a GPU
"""

import statistics
import time

import jax
import jax.numpy as jnp
from jax import lax

ROUNDS, CALLS = 6, 5
# Images, kernel, groups, and where it is not 1 the stride.
CASES = [
  ((16, 400, 512), (31, 1, 512), 512),
  ((64, 1024, 1024), (4, 1, 1024), 1024),
  ((64, 56, 56, 96), (7, 7, 1, 96), 96),
  ((64, 28, 28, 192), (7, 7, 1, 192), 192),
  ((64, 112, 112, 64), (3, 3, 1, 64), 64),
  ((64, 56, 56, 128), (3, 3, 4, 128), 32),
  ((64, 56, 56, 128), (3, 3, 128, 128), 1),
  ((16, 400, 512), (31, 512, 512), 1),
  *(
    ((batch, size, size, features), (3, 3, features, features), 1, stride)
    for features, size in ((64, 256), (256, 64), (512, 32))
    for batch in (8, 64)
    for stride in (1, 2)
  ),
]


def milliseconds(function, *arguments):
  compiled = jax.jit(function)
  jax.block_until_ready(compiled(*arguments))
  times = []
  for _ in range(ROUNDS):
    begin = time.perf_counter()
    jax.block_until_ready([compiled(*arguments) for _ in range(CALLS)])
    times.append((time.perf_counter() - begin) / CALLS)
  return 1e3 * statistics.median(times)


def convolution(images, groups, stride):
  spatial = "HW" if len(images) == 4 else "W"
  layouts = (f"N{spatial}C", f"{spatial}IO", f"N{spatial}C")
  return lambda x, k: lax.conv_general_dilated(x, k, (stride,) * len(spatial), "SAME", dimension_numbers=layouts, feature_group_count=groups)


def line(dtype, images, kernel, groups, stride=1):
  x, k = (jax.random.normal(jax.random.key(0), shape).astype(dtype) for shape in (images, kernel))
  conv = convolution(images, groups, stride)
  y = conv(x, k)
  taps = k.size // k.shape[-1]
  times = [milliseconds(conv, x, k), milliseconds(lambda x, k, y: jax.vjp(lambda x: conv(x, k), x)[1](y), x, k, y),
           milliseconds(lambda x, k, y: jax.vjp(lambda k: conv(x, k), k)[1](y), x, k, y)]  # fmt: skip
  return [str(list(images)), str(list(kernel)), str(groups), str(stride), jnp.dtype(dtype).name, f"{2e-9 * y.size * taps:.2f}"] + [f"{t:.3f}" for t in times]


def main():
  print(f"# Convolutions\n\n{jax.devices()[0].device_kind}, JAX {jax.__version__}. Made by `python convolutions.py` (benchmarks/accuracy).\n")
  head = ["images", "kernel", "groups", "stride", "dtype", "GFLOP", "ms", "gradient of the images, ms", "gradient of the kernel, ms"]
  print("| " + " | ".join(head) + " |\n|---|---|---:|---|" + "---:|" * 4)
  for dtype in (jnp.float32, jnp.bfloat16):
    for case in CASES:
      print("| " + " | ".join(line(dtype, *case)) + " |", flush=True)


if __name__ == "__main__":
  main()
