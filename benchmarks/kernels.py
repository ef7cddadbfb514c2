"""How long single kernels take on a GPU, and what is estimated.

    python benchmarks/kernels.py --measure benchmarks/results/h200-kernels.json     # on the GPU; needs nothing but JAX
    python benchmarks/kernels.py --compare benchmarks/results/h200-kernels.json     # anywhere: benchmarks/results/h200-kernels.md

What the file has already is not measured again. Measured are the kernels themselves, as JAX's profiler sees them, without what lies between them; each is the mean of several runs.
"""

import collections
import concurrent.futures
import functools
import glob
import json
import pathlib
import tempfile

import against_gpu
import jax
import jax.numpy as jnp
from jax import lax

RUNS = 5
THREADS = 16
F32, BF16 = "float32", "bfloat16"

Case = collections.namedtuple("Case", "kind shapes dtype function indices", defaults=((),))


def product(left, right):
  return lambda a, b: lax.dot_general(a, b, ((left, right), ((), ())))


def batched(left, right):
  return lambda a, b: lax.dot_general(a, b, ((left, right), ((0,), (0,))))


def products():
  """x @ w, its two gradients, and what attention multiplies."""
  sizes = [(n, n, n) for n in (256, 512, 1024, 1536, 2048, 3072, 4096, 8192)]
  sizes += [(2048, 2048, 6144), (2048, 6144, 2048), (2048, 1024, 2048), (4096, 1024, 1024), (4096, 4096, 1024), (4096, 1024, 4096)]
  sizes += [(16384, 1024, 1024), (16384, 4096, 1024), (16384, 1024, 4096), (16384, 768, 768), (16384, 3072, 768), (16384, 50257, 768)]
  sizes += [(16384, n, 1024) for n in (16, 64, 128, 256)] + [(16384, 1024, k) for k in (16, 64, 128, 256)]
  sizes += [(m, 4096, 4096) for m in (1, 8, 64, 128, 256, 512)] + [(1024, 1024, 65536), (256, 256, 65536), (128, 4096, 16384)]
  for dtype in (F32, BF16):
    for m, n, k in sizes:
      yield Case("product", ((m, k), (k, n)), dtype, product((1,), (0,)))
    for m, n, k in sizes[2:20]:
      yield Case("product, gradient of the weights", ((k, m), (k, n)), dtype, product((0,), (0,)))
      yield Case("product, gradient of the input", ((m, k), (n, k)), dtype, product((1,), (1,)))
    for m, n, k in [(8192, n, 1024) for n in (5000, 5001, 5002, 5004, 5008)] + [(8192, 1024, k) for k in (1001, 1002, 1004, 1008)] + [(8191, 1024, 1024), (8190, 1024, 1024)]:
      yield Case("product", ((m, k), (k, n)), dtype, product((1,), (0,)))
      yield Case("product, gradient of the weights", ((k, m), (k, n)), dtype, product((0,), (0,)))
      yield Case("product, gradient of the input", ((m, k), (n, k)), dtype, product((1,), (1,)))
    for b, m, n, k in [(256, 128, 128, 64), (256, 128, 64, 128), (256, 512, 512, 64), (256, 512, 64, 512), (64, 2048, 2048, 128),
                       (64, 2048, 128, 2048), (16, 128, 128, 128), (8, 2048, 4096, 1024), (4096, 16, 64, 64), (2048, 1, 512, 64)]:  # fmt: skip
      yield Case("batched product", ((b, m, k), (b, n, k)), dtype, batched((2,), (2,)))
      yield Case("batched product", ((b, m, k), (b, k, n)), dtype, batched((2,), (1,)))


def mixed_products():
  """Operands of two element types, of which one is converted, as those of an output layer; and gradients of stacked weights."""
  for m, n, k in [(4096, 1024, 4096), (16384, 2048, 8192)]:
    across = product((0,), (0,))
    yield Case("product of a converted operand, gradient of the weights", ((k, m), (k, n)), BF16, lambda a, b, f=across: f((a * 2 + 1).astype(F32), b.astype(F32)))
    yield Case("product of a computed operand, gradient of the weights", ((k, m), (k, n)), F32, lambda a, b, f=across: f(jnp.exp(a), b))
    yield Case("product of a computed and a converted operand, gradient of the weights", ((k, m), (k, n)), BF16, lambda a, b, f=across: f(jnp.exp(a.astype(F32)), b.astype(F32)))
  for b, m, n, k in [(8, 1024, 4096, 2048), (64, 2048, 128, 2048), (256, 512, 64, 512)]:
    yield Case("batched product, gradient of the weights", ((b, k, m), (b, k, n)), F32, batched((1,), (1,)))
  yield Case("product, gradient of the weights", ((16, 1024, 4096), (16, 1024, 1024)), F32, product((0, 1), (0, 1)))


def attention():
  """In one call into cuDNN."""
  for batch, length, heads, keys, width in [(8, 2048, 16, 16, 128), (8, 2048, 16, 16, 64), (4, 4096, 32, 8, 128), (32, 512, 16, 16, 64),
                                            (16, 1024, 12, 12, 64), (2, 8192, 32, 4, 128), (8, 2048, 16, 1, 128)]:  # fmt: skip
    shapes = ((batch, length, heads, width), (batch, length, keys, width), (batch, length, keys, width))
    for causal in (False, True):
      inner = functools.partial(jax.nn.dot_product_attention, is_causal=causal, implementation="cudnn")
      gradient = jax.grad(lambda q, k, v, inner=inner: inner(q, k, v).astype(F32).sum(), argnums=(0, 1, 2))
      yield Case(f"attention{', causal' * causal}", shapes, BF16, inner)
      yield Case(f"attention{', causal' * causal}, and its gradient", shapes, BF16, gradient)


def scatter_add(table, rows, updates):
  return table.at[rows].add(updates)


def lookups():
  for table, rows in [((100_000, 64), 1_000_000), ((10_000, 1), 1_000_000), ((10_000, 8), 1_000_000), ((50_000, 1024), 16_384),
                      ((1_000_000, 128), 65_536), ((4096, 64, 4), 262_144), ((128, 512), 262_144)]:  # fmt: skip
    updates = (rows, *table[1:])
    for dtype in (F32, BF16):
      yield Case("scatter-add", (table, (rows,), updates), dtype, scatter_add, (1,))
      yield Case("gather", (table, (rows,)), dtype, lambda table, rows: table[rows], (1,))
    yield Case("scatter", (table, (rows,), updates), F32, lambda t, i, u: t.at[i].set(u), (1,))
    yield Case("segment sum", (updates, (rows,)), F32, lambda u, i, n=table[0]: jax.ops.segment_sum(u, i % n, n), (1,))
    yield Case("scatter-max", (table, (rows,), updates), F32, lambda t, i, u: t.at[i].max(u), (1,))


def transforms():
  for shape in [(4096, 1024), (4096, 4096), (262_144, 64), (64, 8192), (512, 65_536), (8, 1 << 20), (64, 1000), (16, 512, 512)]:
    yield Case("real FFT of the last dim", (shape,), F32, jnp.fft.rfft)
    yield Case("FFT there and back", (shape,), F32, lambda x: jnp.fft.irfft(jnp.fft.rfft(x)))
  yield Case("FFT of two dims", ((16, 512, 512),), F32, jnp.fft.rfft2)


def moves():
  for dtype in (F32, BF16):
    for shape, order in [((8192, 8192), (1, 0)), ((32, 1024, 16, 64), (0, 2, 1, 3)), ((32, 16, 1024, 64), (0, 2, 1, 3)),
                         ((64, 512, 512), (0, 2, 1)), ((64, 512, 512), (2, 1, 0)), ((64, 56, 56, 128), (0, 3, 1, 2))]:  # fmt: skip
      yield Case(f"transpose {order}", (shape,), dtype, lambda x, order=order: x.transpose(order) + 1)
    yield Case("concatenate", ((4096, 4096), (4096, 4096)), dtype, lambda a, b: jnp.concatenate([a, b]))
    yield Case("concatenate, last dim", ((16384, 1024), (16384, 1024)), dtype, lambda a, b: jnp.concatenate([a, b], 1))
    yield Case("pad", ((64, 512, 512),), dtype, lambda a: jnp.pad(a, ((0, 0), (1, 1), (1, 1))))
    yield Case("reverse", ((8192, 8192),), dtype, lambda a: a[:, ::-1])


def reductions():
  for dtype in (F32, BF16):
    for shape in [(8192, 8192), (1 << 20, 64), (64, 1 << 20), (1 << 16, 1024), (1 << 22, 8)]:
      yield Case("sum of rows", (shape,), dtype, lambda x: x.sum(1))
      yield Case("sum of columns", (shape,), dtype, lambda x: x.sum(0))
      yield Case("softmax", (shape,), dtype, lambda x: jax.nn.softmax(x))
    yield Case("sum of all", ((1 << 28,),), dtype, lambda x: x.sum())
  for shape in [(1 << 16, 1024), (64, 1 << 16), (1 << 24,)]:
    yield Case("cumsum", (shape,), F32, lambda x: jnp.cumsum(x, -1))
    yield Case("cummax", (shape,), F32, lambda x: lax.cummax(x, x.ndim - 1))
    yield Case("sort", (shape,), F32, lambda x: jnp.sort(x))
    yield Case("argsort", (shape,), F32, lambda x: jnp.argsort(x))
  yield Case("cumsum of columns", ((1024, 1 << 16),), F32, lambda x: jnp.cumsum(x, 0))
  for shape in [(1024, 1 << 16), (1 << 16, 64), (1 << 14, 1024)]:
    yield Case("top 8", (shape,), F32, lambda x: lax.top_k(x, 8))
    yield Case("argmax", (shape,), F32, lambda x: jnp.argmax(x, -1))
    yield Case("layer norm", (shape,), F32, jax.nn.standardize)
    yield Case("logsumexp", (shape,), F32, lambda x: jax.nn.logsumexp(x, -1))
    yield Case("masked softmax", (shape,), F32, lambda x: jax.nn.softmax(jnp.where(x > 0.5, x * 0.125, -1e9)))
    yield Case("gradient of softmax", (shape, shape), F32, lambda x, y: jax.vjp(jax.nn.softmax, x)[1](y))
  yield Case("max-pool", ((64, 112, 112, 64),), F32, lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"))


def elementwise():
  for power in range(10, 29, 2):
    yield Case("a + b", ((1 << power,), (1 << power,)), F32, lambda a, b: a + b)
  for name, function in {"exp": jnp.exp, "tanh": jnp.tanh, "erf": jax.scipy.special.erf, "log1p": jnp.log1p, "sin": jnp.sin, "cos": jnp.cos, "logistic": jax.nn.sigmoid, "log": jnp.log, "expm1": jnp.expm1, "sqrt": jnp.sqrt, "gelu": jax.nn.gelu, "atan2": lambda x: lax.atan2(x, x + 2), "divide": lambda x: 1 / x,
                         "power": lambda x: x**1.7, "rsqrt": lax.rsqrt}.items():  # fmt: skip
    yield Case(f"16 times {name}", ((1 << 26,),), F32, lambda x, function=function: repeated(function, x))
  yield Case("random bits", ((1 << 27,),), F32, lambda x: jax.random.bits(jax.random.key(0), x.shape))
  yield Case("random normals", ((1 << 27,),), F32, lambda x: jax.random.normal(jax.random.key(0), x.shape))
  yield Case("bfloat16 a + b", ((1 << 27,), (1 << 27,)), BF16, lambda a, b: a + b)


def repeated(function, x):
  for _ in range(16):
    x = function(x) + 0.5
  return x


def cases():
  for part in (products, mixed_products, attention, lookups, transforms, moves, reductions, elementwise):
    yield from part()


def name_of(case):
  return f"{case.kind} {' '.join('x'.join(map(str, shape)) for shape in case.shapes)} {case.dtype}"


def types_of(case):
  return [jax.ShapeDtypeStruct(shape, "int32" if n in case.indices else case.dtype) for n, shape in enumerate(case.shapes)]


def arguments_of(case):
  """Numbers that differ, as zeros make products look fast."""

  def one(seed, type):
    key = jax.random.key(seed)
    if type.dtype == jnp.int32:
      return jax.random.randint(key, type.shape, 0, case.shapes[0][0])
    return jax.random.uniform(key, type.shape, dtype=type.dtype)

  return [one(seed, type) for seed, type in enumerate(types_of(case))]


def compiled(case):
  """What makes the arguments, and what is measured."""
  return jax.jit(lambda: arguments_of(case)).lower().compile(), jax.jit(case.function).lower(*types_of(case)).compile()


def kernel_seconds(folder):
  """Of all kernels in the one trace that is there."""
  (path,) = glob.glob(f"{folder}/**/*.xplane.pb", recursive=True)
  planes = [plane for plane in jax.profiler.ProfileData.from_file(path).planes if "GPU:0" in plane.name]
  streams = [line for plane in planes for line in plane.lines if line.name.startswith("Stream")]
  return 1e-9 * sum(event.duration_ns for line in streams for event in line.events)


def measured(make, run):
  arguments = make()
  jax.block_until_ready([run(*arguments) for _ in range(2)])
  with tempfile.TemporaryDirectory() as folder:
    with jax.profiler.trace(folder):
      for _ in range(RUNS):
        jax.block_until_ready(run(*arguments))
    return kernel_seconds(folder) / RUNS


def measure(path):
  about = {"gpu": jax.devices()[0].device_kind, "jax": jax.__version__, "seconds": {}}
  if pathlib.Path(path).exists():
    about["seconds"] = json.loads(pathlib.Path(path).read_text())["seconds"]
  listed = {name_of(case): case for case in cases() if name_of(case) not in about["seconds"]}
  with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
    ready = dict(zip(listed, pool.map(compiled, listed.values())))
  for name in listed:
    about["seconds"][name] = measured(*ready[name])
    print(f"{1e6 * about['seconds'][name]:10.1f} us  {name}", flush=True)
    pathlib.Path(path).write_text(json.dumps(about, indent=1) + "\n")


def estimated(case, device):
  """Seconds, with the time between kernels."""
  return against_gpu.estimate(case.function, types_of(case), device)["compute_seconds"]


def pretend_cudnn():
  """JAX asks the GPU and cuDNN what they can do when it traces attention; to lower it, none need be there."""
  from jax._src.cudnn import fused_attention_stablehlo

  fused_attention_stablehlo.check_cudnn_version = lambda: 91200
  fused_attention_stablehlo.check_compute_capability = lambda capability: True


def compare(path, device):
  pretend_cudnn()
  about = json.loads(pathlib.Path(path).read_text())
  lines = ["# Single kernels", "", f"Microseconds on one {about['gpu']}, JAX {about['jax']}, and as estimated for {device}, which has the time between kernels in it. Made by benchmarks/kernels.py.",
           "", "| kernel | measured | estimated | error |", "|---|---:|---:|---:|"]  # fmt: skip
  for case in cases():
    found = about["seconds"].get(name_of(case))
    if found:
      guess = estimated(case, device)
      lines.append(f"| {name_of(case)} | {1e6 * found:.1f} | {1e6 * guess:.1f} | {100 * (guess / found - 1):+.0f} % |")
  pathlib.Path(path).with_suffix(".md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
  against_gpu.main(__doc__, measure, compare)
