"""Runs module texts through XLA on host devices. What the tests here need of JAX's private interface is in this file.

    program = Program(text)
    compiled = program.compile()
    compiled(*arrays)       results as numpy arrays
    compiled.hlo            what XLA made of it

A text without `sdy.mesh` runs on one device. One with a mesh runs on as many host devices as the mesh has, its
arguments and results placed as their `sdy.sharding` says.
"""

import contextlib
import dataclasses
import functools
import os

DEVICES = 8
DEVICE_FLAG = f"--xla_force_host_platform_device_count={DEVICES}"


def want_host_devices():
  """Asks for several host devices; must come before the first use of a device."""
  flags = os.environ.get("XLA_FLAGS", "")
  if "xla_force_host_platform_device_count" not in flags:
    os.environ["XLA_FLAGS"] = f"{flags} {DEVICE_FLAG}".strip()
  os.environ.setdefault("JAX_PLATFORMS", "cpu")


want_host_devices()

import jax  # noqa: E402
import jax.export  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax._src.export import _export  # noqa: E402
from jax._src.interpreters import mlir as jax_mlir  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.dialects import sdy  # noqa: E402

DTYPES = {
  "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i1": np.bool_, "i8": np.int8, "i16": np.int16,
  "i32": np.int32, "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32,
}  # fmt: skip

# Compiling is what takes the time, not running: the least that LLVM can do.
QUICK = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


class Refused(Exception):
  """XLA would not compile or run a module."""


@dataclasses.dataclass(frozen=True)
class Tensor:
  """An argument or a result of @main: shape, dtype and the mesh axes of each dim (None where nothing is said)."""

  shape: tuple
  dtype: type
  axes: tuple | None


@contextlib.contextmanager
def parsed(text):
  """The module, parsed and verified by jaxlib."""
  with jax_mlir.make_ir_context():
    module = ir.Module.parse(text)
    module.operation.verify()
    yield module


class Program:
  """A module text that jaxlib has parsed and verified."""

  def __init__(self, text):
    with parsed(text) as module:
      self.mesh = read_mesh(module)
      self.arguments, self.results = read_signature(module)
      self.bytecode = _export._module_to_bytecode(module)

  def compile(self, options=QUICK):
    return Compiled(self, options)

  def function(self):
    """The program as a function that JAX can compile."""
    exported = exported_like(tuple(map(key, self.arguments)), tuple(map(key, self.results)))
    call = dataclasses.replace(exported, mlir_module_serialized=self.bytecode).call
    if self.mesh is None:
      return jax.jit(call)
    return jax.jit(call, in_shardings=self.shardings(self.arguments), out_shardings=self.shardings(self.results))

  def shardings(self, tensors):
    size = self.mesh_size()
    devices = jax.devices()[:size]
    if len(devices) < size:
      raise RuntimeError(f"the mesh has {size} devices, JAX has {len(devices)}; set XLA_FLAGS={DEVICE_FLAG}")
    mesh = Mesh(np.array(devices).reshape([size for _, size in self.mesh]), [name for name, _ in self.mesh])
    return tuple(NamedSharding(mesh, partition_spec(tensor)) for tensor in tensors)

  def mesh_size(self):
    return int(np.prod([size for _, size in self.mesh], dtype=int))


class Compiled:
  def __init__(self, program, options):
    self.program = program
    types = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in program.arguments]
    try:
      self.executable = program.function().lower(*types).compile(compiler_options=options)
    except Exception as error:  # JAX raises many kinds for what XLA refuses.
      raise Refused(first_line(error)) from error

  def __call__(self, *arrays):
    if self.program.mesh is None:
      placed = [jnp.asarray(a) for a in arrays]
    else:
      shardings = self.program.shardings(self.program.arguments)
      placed = [jax.device_put(a, s) for a, s in zip(arrays, shardings, strict=True)]
    try:
      return [np.asarray(v) for v in self.executable(*placed)]
    except Exception as error:
      raise Refused(first_line(error)) from error

  @functools.cached_property
  def hlo(self):
    return self.executable.as_text()

  def placements(self):
    """Of every result: the index that each device holds, in device order."""
    tensors = zip(self.program.results, self.executable.output_shardings, strict=True)
    return [[s.devices_indices_map(t.shape)[d] for d in jax.devices()] for t, s in tensors]


def first_line(error):
  lines = [line for line in str(error).splitlines() if line.strip()]
  return f"{type(error).__name__}: {lines[0] if lines else ''}"[:400]


def key(tensor):
  return tensor.shape, np.dtype(tensor.dtype).name


@functools.lru_cache(maxsize=256)
def exported_like(arguments, results):
  """Something exported with these types, as a vessel for a module."""

  def same_signature(*_):
    return tuple(jnp.zeros(shape, dtype) for shape, dtype in results)

  types = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in arguments]
  return jax.export.export(jax.jit(same_signature, keep_unused=True))(*types)


def partition_spec(tensor):
  if tensor.axes is None:
    return PartitionSpec()
  return PartitionSpec(*[tuple(axes) or None for axes in tensor.axes])


def read_mesh(module):
  """[(name, size)] of the module's mesh, None without one."""
  meshes = [op for op in module.body.operations if op.operation.name == "sdy.mesh"]
  if not meshes:
    return None
  attribute = sdy.MeshAttr(meshes[0].operation.attributes["mesh"])
  axes = [sdy.MeshAxisAttr(axis) for axis in attribute.axes]
  return [(axis.name, axis.size) for axis in axes]


def read_signature(module):
  """Tensors of @main's arguments and results."""
  functions = [op for op in module.body.operations if op.operation.name == "func.func"]
  main = next(op for op in functions if op.name.value == "main")
  kind = main.type
  attributes = main.operation.attributes
  arguments = read_tensors(kind.inputs, attributes, "arg_attrs")
  return arguments, read_tensors(kind.results, attributes, "res_attrs")


def read_tensors(types, attributes, name):
  dicts = list(attributes[name]) if name in attributes else [{}] * len(types)
  return [read_tensor(t, d) for t, d in zip(types, dicts, strict=True)]


def read_tensor(kind, attributes):
  kind = ir.RankedTensorType(kind)
  axes = None
  if "sdy.sharding" in attributes:
    sharding = sdy.TensorShardingAttr(attributes["sdy.sharding"])
    axes = tuple(read_axes(dim) for dim in sharding.dimension_shardings)
  return Tensor(tuple(kind.shape), DTYPES[str(kind.element_type)], axes)


def read_axes(dim):
  axes = [sdy.AxisRefAttr(axis) for axis in sdy.DimensionShardingAttr(dim).axes]
  assert all(axis.sub_axis_info is None for axis in axes), "a part of an axis has no name in JAX"
  return tuple(axis.name for axis in axes)
