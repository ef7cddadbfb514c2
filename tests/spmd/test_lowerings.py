"""XLA runs the explicit form of single ops that need more than local shapes, split where it hurts: the same numbers.

Each case names arguments, a body, what is split, and a piece of the explicit text that shows that the split happened.
"""

import dataclasses

import jax
import numpy as np
import pytest

from . import collectives, harness, tool, xla

pytestmark = pytest.mark.usefixtures("shardwright")

NAMES = {"f32": np.float32, "i32": np.int32, "i1": np.bool_, "ui8": np.uint8, "i8": np.int8, "ui32": np.uint32}


@dataclasses.dataclass(frozen=True)
class Case:
  arguments: list  # numpy arrays.
  results: str  # Their types, with commas.
  body: str  # Ends in a return.
  tactics: tuple
  expect: tuple  # In the explicit text.
  mesh: tuple = (("a", 4), ("b", 2))
  reference: str = ""  # A body with the same meaning, where XLA cannot run this one on one device.

  def text(self, body=None):
    types = [f"%arg{i}: {type_of(a)}" for i, a in enumerate(self.arguments)]
    return f"func.func public @main({', '.join(types)}) -> ({self.results}) {{\n{body or self.body}\n}}"


def type_of(array):
  dims = "".join(f"{size}x" for size in array.shape)
  return f"tensor<{dims}{next(name for name, dtype in NAMES.items() if array.dtype == dtype)}>"


def element_of(array):
  return type_of(array)[:-1].rsplit("x", 1)[-1].removeprefix("tensor<")


def floats(*shape, low=-2.0, high=2.0):
  return np.random.default_rng(sum(shape)).uniform(low, high, shape).astype(np.float32)


def ints(values, dtype=np.int32):
  return np.array(values, dtype)


def shard(*splits):
  return tuple(f"shard(arg{argument}:{dim}, {axis})" for argument, dim, axis in splits)


def body_of(op, element):
  """The region of a reduction or scatter; `replace` takes the second."""
  combine = "" if op == "replace" else f"%z = stablehlo.{op} %x, %y : tensor<{element}>"
  return f"""({{
    ^bb0(%x: tensor<{element}>, %y: tensor<{element}>):
      {combine}
      stablehlo.return {"%z" if combine else "%y"} : tensor<{element}>
    }})"""


# --- gather: indices reach out of bounds on both sides ---

BEYOND = ints([-3, 0, 5, 7, 9, 100])
ROW = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1"


def gather(operand, indices, dims, sizes, result, split, expect, index_type=""):
  """`index_type` is what the indices are converted to first."""
  given, used = type_of(indices), index_type or type_of(indices)
  result = f"tensor<{result}x{element_of(operand)}>"
  body = f"""%i = stablehlo.convert %arg1 : ({given}) -> {used}
  %0 = "stablehlo.gather"(%arg0, %i) <{{dimension_numbers = #stablehlo.gather<{dims}>, indices_are_sorted = false,
    slice_sizes = array<i64: {sizes}>}}> : ({type_of(operand)}, {used}) -> {result}
  return %0 : {result}"""
  return Case([operand, indices], result, body, shard(*split), expect)


def lookup(indices, dtype, index_type=""):
  indices = ints(indices, dtype)[:, None]
  expect = ("partition_id", "(tensor<2x4xf32>")
  return gather(floats(8, 4), indices, ROW, "1, 4", f"{len(indices)}x4", [(0, 0, "a")], expect, index_type)


GATHERS = {
  "gather": lookup(BEYOND, np.int32),
  "gather by i8": lookup(BEYOND, np.int8),
  "gather by ui8": lookup([0, 7, 8, 128, 255], np.uint8),
  "gather by ui32": lookup([0, 7, 8, 2**31, 2**32 - 1], np.uint32),
  "gather by i64": lookup(BEYOND, np.int32, "tensor<6x1xi64>"),
  "gather in two dims": gather(
    floats(8, 4, 6), ints([[-1, 0, 3, 1, 9], [0, 7, 3, -5, 12]]),
    "offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [1, 0]", "1, 1, 6", "5x6",
    [(0, 0, "a"), (0, 1, "b")], ("(tensor<2x2x6xf32>",),
  ),
  "gather by plain numbers": gather(
    floats(8, 4), BEYOND, ROW, "1, 4", "6x4", [(0, 0, "a"), (0, 1, "b")],
    ("(tensor<2x2xf32>", "slice_sizes = array<i64: 1, 2>"),
  ),
  "gather that keeps the dim": gather(
    floats(8, 4), BEYOND[:, None], "offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1", "1, 4", "6x1x4",
    [(0, 0, "a")], ("(tensor<2x4xf32>",),
  ),
  "gather of a dim without an index": gather(
    floats(8, 4), BEYOND[:, None], "collapsed_slice_dims = [0, 1], start_index_map = [1], index_vector_dim = 1", "1, 1",
    "6", [(0, 0, "a")], ("(tensor<2x4xf32>",),
  ),
  "gather by batch": gather(
    floats(8, 6, 4), ints(np.arange(8 * 3).reshape(8, 3, 1) % 7 - 1),
    "offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], "
    "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2",
    "1, 1, 4", "8x3x4", [(0, 0, "a"), (0, 1, "b")], ("(tensor<2x3x4xf32>",),
  ),
  "gather of booleans": gather(
    floats(8, 4) > 0, BEYOND[:, None], ROW, "1, 4", "6x4", [(0, 0, "a")], ("(tensor<2x4xi1>", "stablehlo.or"),
  ),
}  # fmt: skip

# --- scatter ---


def scatter(operand, indices, updates, dims, combine, split, expect):
  o, i, u = type_of(operand), type_of(indices), type_of(updates)
  body = f"""%0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{{scatter_dimension_numbers = #stablehlo.scatter<{dims}>,
    indices_are_sorted = false, unique_indices = false}}> {body_of(combine, element_of(operand))}
    : ({o}, {i}, {u}) -> {o}
  return %0 : {o}"""
  return Case([operand, indices, updates], o, body, shard(*split), expect)


ROWS = "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
REPEATED = ints([-3, 0, 5, 7, 9, 100, 5, 0])[:, None]


def into_rows(combine, indices=REPEATED, split=((0, 0, "a"),), expect=("partition_id",)):
  return scatter(floats(8, 4), indices, floats(len(indices), 4), ROWS, combine, split, expect)


SCATTERS = {
  "scatter-add": into_rows("add"),
  "scatter": into_rows("replace", ints([-3, 0, 5, 7, 9, 100, 2, 3])[:, None]),
  "scatter by i8": into_rows("add", REPEATED.astype(np.int8)),
  "scatter by ui8": into_rows("add", ints([0, 7, 8, 128, 255, 0, 254, 3], np.uint8)[:, None]),
  "scatter by ui32": into_rows("add", ints([0, 7, 8, 2**31, 2**32 - 1, 0, 2**32 - 2, 3], np.uint32)[:, None]),
  "scatter of split updates, add": into_rows("add", split=((2, 0, "a"),), expect=("stablehlo.select",)),
  "scatter of split updates, multiply": into_rows("multiply", split=((2, 0, "a"),), expect=("dense<1.000000e+00>",)),
  "scatter of split updates, minimum": into_rows("minimum", split=((2, 0, "a"),), expect=("all_reduce",)),
  "scatter of split updates, maximum": into_rows("maximum", split=((2, 0, "a"),), expect=("all_reduce",)),
  "scatter of both": into_rows("add", split=((0, 0, "a"), (2, 0, "b"), (0, 1, "b"))),
  "scatter of split updates, integers": scatter(
    ints(np.arange(32).reshape(8, 4) % 5), REPEATED, ints(np.arange(32).reshape(8, 4) % 7 - 3), ROWS, "maximum",
    ((2, 0, "a"),), ("all_reduce",),
  ),
  "scatter in two dims": scatter(
    floats(8, 4, 6), ints([[-1, 0, 3, 1, 4], [0, 7, 3, -5, 12]]), floats(5, 6),
    "update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0]", "add",
    ((0, 0, "a"), (0, 1, "b")), ("(tensor<2x2x6xf32>",),
  ),
  "scatter of a dim without an index": scatter(
    floats(8, 4), ints([0, 1, 3, 5, -1])[:, None], floats(5),
    "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1", "replace",
    ((0, 0, "a"),), ("(tensor<2x4xf32>",),
  ),
  "scatter of windows": scatter(
    floats(8, 6), ints([[0, 4], [3, 5], [7, -1], [8, 0], [5, 2]]), floats(5, 2),
    "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1",
    "add", ((0, 0, "a"),), ("(tensor<2x6xf32>",),
  ),
}  # fmt: skip

# --- values from nothing ---


def iota(element, size):
  body = f"""%0 = stablehlo.iota dim = 0 : tensor<{size}x2x{element}>
  %1 = stablehlo.convert %0 : (tensor<{size}x2x{element}>) -> tensor<{size}x2xf32>
  %2 = stablehlo.add %1, %arg0 : tensor<{size}x2xf32>
  return %2 : tensor<{size}x2xf32>"""
  expect = (f"tensor<{size // 4}x1x",)
  return Case([floats(size, 2)], f"tensor<{size}x2xf32>", body, shard((0, 0, "a"), (0, 1, "b")), expect)


THIRDS = str((np.arange(256).reshape(16, 16) % 3 == 0).tolist()).lower()
NUMBERS = np.arange(32, dtype=np.float32).reshape(8, 4) ** 2
SOURCES = {
  **{f"iota of {element}": iota(element, 1024) for element in ("f32", "bf16", "i32", "ui32", "i64", "f64")},
  "iota of ui8": iota("ui8", 16),
  "iota of complex": Case(
    [floats(8)], "tensor<8xf32>",
    """%0 = stablehlo.iota dim = 0 : tensor<8xcomplex<f32>>
    %1 = stablehlo.real %0 : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
    %2 = stablehlo.add %1, %arg0 : tensor<8xf32>
    return %2 : tensor<8xf32>""",
    shard((0, 0, "a")), ("tensor<2xcomplex<f32>>",),
  ),
  "constant": Case(
    [floats(8, 4)], "tensor<8x4xf32>",
    f"""%0 = stablehlo.constant dense<{NUMBERS.tolist()}> : tensor<8x4xf32>
    %1 = stablehlo.add %0, %arg0 : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>""",
    shard((0, 0, "a"), (0, 1, "b")), ("stablehlo.dynamic_slice", "tensor<2x2xf32>"),
  ),
  "constant over two axes": Case(
    [floats(8, 4)], "tensor<8x4xf32>",
    f"""%0 = stablehlo.constant dense<{NUMBERS.tolist()}> : tensor<8x4xf32>
    %1 = stablehlo.add %0, %arg0 : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>""",
    shard((0, 0, "a"), (0, 0, "b")), ("tensor<1x4xf32>",),
  ),
  "constant of booleans": Case(
    [floats(16, 16)], "tensor<16x16xf32>",
    f"""%0 = stablehlo.constant dense<{THIRDS}> : tensor<16x16xi1>
    %1 = stablehlo.negate %arg0 : tensor<16x16xf32>
    %2 = stablehlo.select %0, %arg0, %1 : tensor<16x16xi1>, tensor<16x16xf32>
    return %2 : tensor<16x16xf32>""",
    shard((0, 0, "a"), (0, 1, "b")), ("-> tensor<4x8xi1>",),
  ),
}  # fmt: skip

# --- sizes in attributes ---


def window(op, size, stride, dilation, result, split, expect):
  body = f"""%c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%arg0, %c) <{{window_dimensions = array<i64: {size}, 1>,
    window_strides = array<i64: {stride}, 1>, window_dilations = array<i64: {dilation}, 1>}}> {body_of(op, "f32")}
    : (tensor<32x3xf32>, tensor<f32>) -> tensor<{result}x3xf32>
  return %0 : tensor<{result}x3xf32>"""
  return Case([floats(32, 3)], f"tensor<{result}x3xf32>", body, shard(split), expect)


def convolution(features, kernel_features, outputs, groups, batch_groups, split, expect):
  batch = 8 // batch_groups
  body = f"""%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {{pad = [[1, 1]]}} {{batch_group_count = {batch_groups} : i64, feature_group_count = {groups} : i64}}
    : (tensor<8x6x{features}xf32>, tensor<3x{kernel_features}x{outputs}xf32>) -> tensor<{batch}x6x{outputs}xf32>
  return %0 : tensor<{batch}x6x{outputs}xf32>"""
  arguments = [floats(8, 6, features), floats(3, kernel_features, outputs)]
  return Case(arguments, f"tensor<{batch}x6x{outputs}xf32>", body, shard(*split), expect)


SIZES = {
  "pooling": window("add", 4, 4, 1, 8, (0, 0, "a"), ("array<i64: 4, 1>", "(tensor<8x3xf32>")),
  "pooling of all": window("add", 32, 1, 1, 1, (0, 0, "a"), ("array<i64: 8, 1>", "all_reduce")),
  "windows that interleave": window("add", 8, 1, 4, 4, (0, 0, "a"), ("array<i64: 2, 1>", "all_reduce")),
  "feature groups": convolution(16, 4, 8, 4, 1, [(0, 2, "a")], ("feature_group_count = 1",)),
  "feature groups, in part": convolution(16, 2, 8, 8, 1, [(0, 2, "a")], ("feature_group_count = 2",)),
  "depthwise": convolution(8, 1, 8, 8, 1, [(0, 2, "a"), (0, 0, "b")], ("feature_group_count = 2",)),
  "batch groups": convolution(4, 4, 8, 1, 4, [(1, 2, "a")], ("batch_group_count = 1",)),
  "slices": Case(
    [floats(8, 8, 6), ints(2)], "tensor<8x4x6xf32>, tensor<8x3x6xf32>, tensor<2x8x8x6xf32>, tensor<8x8x6xf32>",
    """%z = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.slice %arg0 [0:8, 1:8:2, 0:6] : (tensor<8x8x6xf32>) -> tensor<8x4x6xf32>
    %1 = stablehlo.dynamic_slice %arg0, %z, %arg1, %z, sizes = [8, 3, 6]
      : (tensor<8x8x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x3x6xf32>
    %2 = stablehlo.broadcast %arg0, sizes = [2] : (tensor<8x8x6xf32>) -> tensor<2x8x8x6xf32>
    %3 = stablehlo.dynamic_update_slice %arg0, %1, %z, %arg1, %z
      : (tensor<8x8x6xf32>, tensor<8x3x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x8x6xf32>
    return %0, %1, %2, %3 : tensor<8x4x6xf32>, tensor<8x3x6xf32>, tensor<2x8x8x6xf32>, tensor<8x8x6xf32>""",
    shard((0, 0, "a"), (0, 2, "b")), ("[0:2, 1:8:2, 0:3]", "sizes = [2, 3, 3]", "tensor<2x2x8x3xf32>"),
  ),
  "dynamic shapes that are known": Case(
    [floats(8, 4)], "tensor<8x2x2xf32>, tensor<3x8x4xf32>, tensor<8x4xi32>, tensor<8x2xf32>",
    """%s = stablehlo.constant dense<[8, 2, 2]> : tensor<3xi32>
    %t = stablehlo.constant dense<[3, 8, 4]> : tensor<3xi32>
    %u = stablehlo.constant dense<[8, 4]> : tensor<2xi32>
    %v = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
    %w = stablehlo.constant dense<[8, 3]> : tensor<2xi32>
    %x = stablehlo.constant dense<[1, 1]> : tensor<2xi32>
    %0 = stablehlo.dynamic_reshape %arg0, %s : (tensor<8x4xf32>, tensor<3xi32>) -> tensor<8x2x2xf32>
    %1 = stablehlo.dynamic_broadcast_in_dim %arg0, %t, dims = [1, 2]
      : (tensor<8x4xf32>, tensor<3xi32>) -> tensor<3x8x4xf32>
    %2 = stablehlo.dynamic_iota %u, dim = 0 : (tensor<2xi32>) -> tensor<8x4xi32>
    %3 = stablehlo.convert %arg0 : (tensor<8x4xf32>) -> tensor<8x4xi32>
    %4 = stablehlo.add %2, %3 : tensor<8x4xi32>
    %5 = stablehlo.slice %arg0 [0:8, 1:3] : (tensor<8x4xf32>) -> tensor<8x2xf32>
    return %0, %1, %4, %5 : tensor<8x2x2xf32>, tensor<3x8x4xf32>, tensor<8x4xi32>, tensor<8x2xf32>""",
    shard((0, 0, "a")), ("-> tensor<2x2x2xf32>", "-> tensor<3x2x4xf32>"),
    reference="""%0 = stablehlo.reshape %arg0 : (tensor<8x4xf32>) -> tensor<8x2x2xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<8x4xf32>) -> tensor<3x8x4xf32>
    %2 = stablehlo.iota dim = 0 : tensor<8x4xi32>
    %3 = stablehlo.convert %arg0 : (tensor<8x4xf32>) -> tensor<8x4xi32>
    %4 = stablehlo.add %2, %3 : tensor<8x4xi32>
    %5 = stablehlo.slice %arg0 [0:8, 1:3] : (tensor<8x4xf32>) -> tensor<8x2xf32>
    return %0, %1, %4, %5 : tensor<8x2x2xf32>, tensor<3x8x4xf32>, tensor<8x4xi32>, tensor<8x2xf32>""",
  ),
}  # fmt: skip

# --- collectives of many types ---


def reduction(op, array, start):
  kind, element = type_of(array), element_of(array)
  body = f"""%c = stablehlo.constant dense<{start}> : tensor<{element}>
  %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.{op} across dimensions = [0]
    : ({kind}, tensor<{element}>) -> tensor<4x{element}>
  return %0 : tensor<4x{element}>"""
  expect = ("all_reduce", f"(tensor<1x4x{element}>")
  return Case([array], f"tensor<4x{element}>", body, shard((0, 0, "a"), (0, 0, "b")), expect)


SIGNS = floats(8, 4) > -1
COUNTS = ints(np.arange(32).reshape(8, 4) * 7 % 13 - 5)
REDUCTIONS = {
  "sum": reduction("add", floats(8, 4), "0.0"),
  "product": reduction("multiply", floats(8, 4), "1.0"),
  "minimum": reduction("minimum", floats(8, 4), "0x7F800000"),
  "maximum of integers": reduction("maximum", COUNTS, "-2147483648"),
  "minimum of unsigned": reduction("minimum", COUNTS.astype(np.uint32), "4294967295"),
  "and": reduction("and", SIGNS, "true"),
  "or": reduction("or", ~SIGNS, "false"),
  "minimum of booleans": reduction("minimum", SIGNS, "true"),
  "sum of booleans": reduction("add", ~SIGNS, "false"),
  "complex sum": Case(
    [floats(8, 4), floats(8, 4, low=0)], "tensor<4xf32>, tensor<4xf32>",
    """%0 = stablehlo.complex %arg0, %arg1 : tensor<8x4xcomplex<f32>>
    %c = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0]
      : (tensor<8x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %2 = stablehlo.real %1 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %3 = stablehlo.imag %1 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    return %2, %3 : tensor<4xf32>, tensor<4xf32>""",
    shard((0, 0, "a"), (0, 0, "b")), ("tensor<1x4xcomplex<f32>>",),
  ),
}  # fmt: skip


# --- structure ---

STRUCTURE = {
  "branches": Case(
    [floats(8, 6), ints(1)], "tensor<8x6xf32>, tensor<8xf32>",
    """%0:2 = "stablehlo.case"(%arg1) ({
      %1 = stablehlo.tanh %arg0 : tensor<8x6xf32>
      %2 = stablehlo.slice %arg0 [0:8, 0:1] : (tensor<8x6xf32>) -> tensor<8x1xf32>
      %3 = stablehlo.reshape %2 : (tensor<8x1xf32>) -> tensor<8xf32>
      stablehlo.return %1, %3 : tensor<8x6xf32>, tensor<8xf32>
    }, {
      %c = stablehlo.constant dense<0.0> : tensor<f32>
      %1 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [1]
        : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
      stablehlo.return %arg0, %1 : tensor<8x6xf32>, tensor<8xf32>
    }) : (tensor<i32>) -> (tensor<8x6xf32>, tensor<8xf32>)
    return %0#0, %0#1 : tensor<8x6xf32>, tensor<8xf32>""",
    shard((0, 0, "a"), (0, 1, "b")), ('"stablehlo.case"', "-> (tensor<2x3xf32>, tensor<2xf32>)"),
  ),
}  # fmt: skip

# --- solving: right-hand sides are independent, the equations and the matrix are not ---


def solve(b, left, lower, split, expect):
  n = b.shape[-2 if left else -1]
  matrix = floats(*b.shape[:-2], n, n) / n + 3 * np.eye(n, dtype=np.float32)
  body = f"""%0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{{left_side = {str(left).lower()},
    lower = {str(lower).lower()}, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}}>
    : ({type_of(matrix)}, {type_of(b)}) -> {type_of(b)}
  return %0 : {type_of(b)}"""
  return Case([matrix, b], type_of(b), body, shard(*split), (f", tensor<{expect}xf32>) -> tensor<{expect}xf32>",))


SOLVES = {
  "solve with columns split": solve(floats(6, 8), True, True, [(1, 1, "a"), (1, 1, "b")], "6x1"),
  "solve from the right with rows split": solve(floats(8, 6), False, False, [(1, 0, "a")], "2x6"),
  "solve a stack with columns split": solve(floats(4, 6, 8), True, False, [(1, 0, "b"), (1, 2, "a")], "2x6x2"),
  "solve with the equations split": solve(floats(8, 6), True, True, [(1, 0, "a")], "8x6"),
  "solve as many as there are equations": solve(floats(8, 8), True, True, [(1, 1, "a")], "8x8"),
}

CASES = GATHERS | SCATTERS | SOURCES | SIZES | REDUCTIONS | STRUCTURE | SOLVES


@pytest.mark.parametrize("name", CASES)
def test_lowering(name):
  case = CASES[name]
  explicit = tool.apply(case.text(), case.mesh, case.tactics).explicit
  for piece in case.expect:
    assert piece in explicit, explicit
  expected = xla.Program(case.text(case.reference)).compile()(*case.arguments)
  assert harness.differences(expected, xla.Program(explicit).compile()(*case.arguments)) == []


RANDOM = Case(
  [floats(8, 4)], "tensor<8x4xf32>, tensor<8x4xf32>",
  """%z = stablehlo.constant dense<0.0> : tensor<f32>
  %o = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.constant dense<[8, 4]> : tensor<2xi64>
  %0 = stablehlo.rng %z, %o, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<8x4xf32>
  %1 = stablehlo.add %0, %arg0 : tensor<8x4xf32>
  return %1, %0 : tensor<8x4xf32>, tensor<8x4xf32>""",
  shard((0, 0, "a")), (),
)  # fmt: skip


def test_devices_that_share_a_part_draw_the_same_numbers():
  explicit = tool.apply(RANDOM.text(), RANDOM.mesh, RANDOM.tactics).explicit
  program = xla.Program(explicit)
  placed = map(jax.device_put, RANDOM.arguments, program.shardings(program.arguments))
  drawn = program.compile().executable(*placed)[1]
  parts = {}
  for part in drawn.addressable_shards:
    parts.setdefault(str(part.index), []).append(np.asarray(part.data))
  assert len(parts) == 4
  for first, *others in parts.values():
    assert others and all(np.array_equal(first, other) for other in others)


REVERSED = """module {
sdy.mesh @mesh = <["a"=4, "b"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>},
    %arg1: tensor<4x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}) {
  %0 = stablehlo.iota dim = 0 : tensor<8x4xf32>
  %1 = stablehlo.add %0, %arg0 : tensor<8x4xf32>
  %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0]
    : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}}"""


def test_a_mesh_may_have_its_devices_in_another_order(tmp_path):
  module, explicit = tmp_path / "module.mlir", tmp_path / "explicit.mlir"
  module.write_text(REVERSED)
  tactics = ["--tactic", "shard(arg0:0, a)", "--tactic", "shard(arg0:1, b)"]
  tool.run("apply", module, *tactics, "--emit", f"explicit={explicit}")
  text = explicit.read_text()
  assert "device_ids=[7, 6, 5, 4, 3, 2, 1, 0]" in text and "[[7, 5, 3, 1], [6, 4, 2, 0]]" in text
  x, w = floats(8, 4), floats(4, 8)
  expected = [(x + np.arange(8, dtype=np.float32)[:, None]) @ w]
  assert harness.differences(expected, xla.Program(text).compile()(x, w)) == []


THERE_AND_BACK = """
module {
sdy.mesh @mesh = <["a"=8]>
func.func public @main(%arg0: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<8x8x8xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"a"}, {}]> : tensor<8x8x8xf32>
  %3 = stablehlo.negate %2 : tensor<8x8x8xf32>
  return %3 : tensor<8x8x8xf32>
}}"""


def test_single_points_of_a_transposed_value_are_exchanged_there_and_back(tmp_path):
  module, explicit = tmp_path / "module.mlir", tmp_path / "explicit.mlir"
  module.write_text(THERE_AND_BACK)
  tool.run("apply", module, "--tactic", "shard(arg0:0, a)", "--emit", f"explicit={explicit}")
  compiled = xla.Program(explicit.read_text()).compile()
  x = floats(8, 8, 8)
  assert harness.differences([-np.tanh(x).swapaxes(1, 2)], compiled(x)) == []
  assert collectives.counts(collectives.in_hlo(compiled.hlo)) == {"all_to_all": 2}
