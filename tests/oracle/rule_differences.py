"""Where our rules differ from Shardy's on purpose, each with the reason. docs/rules.md explains them at length.

test_rules.py keeps both tables exact: a difference without a row fails, and so does a row that no module shows.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Difference:
  reason: str
  since: tuple = (0,)  # The JAX version that shows it first,
  before: tuple = (1000,)  # and the first that does not any more.


# (op, theirs>ours) -> why. What the second part can be: see sharding_rule.differences; also `missing`, where Shardy has
# no rule. In the rows below `@Qr` is the custom call to Qr, and a convolution's spatial dims are told apart.
DIFFERENCES = {}

NEWER = {"since": (0, 12)}
OLDER = {"before": (0, 12)}


def _differ(reason, kinds, ops, **versions):
  for op in ops.split():
    for kind in kinds.split("; "):
      key = (op.replace("@", "stablehlo.custom_call:").replace("_spatial", " (spatial)"), kind)
      assert key not in DIFFERENCES, key
      DIFFERENCES[key] = Difference(reason, **versions)


# --- hints become blocked ---

_HINT = "a permutation factor is a hint for propagation; split, the op cannot run on local data, so the dim is blocked"
_differ(_HINT, "permutation>need_replication", "stablehlo.reverse")
_differ(_HINT, "permutation>need_replication", "stablehlo.dynamic_update_slice", since=(0, 11))
_differ(_HINT, "permutation>need_replication", "stablehlo.convolution_spatial", **NEWER)
_differ(_HINT, "misfit, permutation>need_replication", "stablehlo.pad stablehlo.convolution_spatial", **NEWER)

# --- sizes fit ---

_SIZES = "one factor ties dims of different sizes there; R1 wants sizes to fit, so each dim has a factor of its own"
_differ(
    _SIZES,
    "permutation misfit",
    "stablehlo.slice stablehlo.pad stablehlo.reduce_window stablehlo.convolution_spatial",
)
_differ(_SIZES, "permutation misfit", "stablehlo.reshape", **NEWER)
_differ(
    _SIZES,
    "need_replication misfit",
    "stablehlo.concatenate stablehlo.dynamic_slice stablehlo.gather stablehlo.fft @mhlo.topk",
)
_differ(_SIZES, "need_replication misfit", "@TopK", **NEWER)
_differ(_SIZES, "reduction misfit; misfit, permutation>permutation", "stablehlo.convolution_spatial")

_STUCK = (
    "shapes without a common product: we cut off what they share on the major side and on the minor side, and block "
    "the middle"
)
_differ(
    _STUCK,
    "misfit, parallel>parallel; misfit, parallel>need_replication; "
    "misfit, need_replication>parallel; misfit, need_replication>need_replication",
    "stablehlo.reshape",
    **NEWER,
)
_differ(_STUCK, "parallel>parallel; parallel>need_replication", "stablehlo.reshape", **OLDER)

# --- windows that do not overlap ---

_TILES = "the windows do not overlap, so each device makes its outputs from its own part of the input"
_differ(_TILES, "permutation>parallel", "stablehlo.convolution_spatial stablehlo.select_and_scatter")
_differ(_TILES, "permutation>need_replication; need_replication>parallel", "stablehlo.select_and_scatter")

_ORDER = (
    "an input dim made of windows and kernel has the windows outside when the stride is the kernel's size; Shardy "
    "puts the larger one outside"
)
_differ(_ORDER, "permutation>reduction; reduction>parallel; reduction>reduction", "stablehlo.convolution_spatial")

# --- the gradient of a kernel ---

_GRADIENT = (
    "with padding or stride, the parts of image and gradient that meet lie on different devices, so splitting both "
    "is no plain sum"
)
_differ(_GRADIENT, "reduction>permutation; reduction>need_replication", "stablehlo.convolution_spatial", **NEWER)
_differ(_GRADIENT, "misfit, reduction>permutation", "stablehlo.convolution_spatial", **OLDER)
_differ(_GRADIENT, "misfit, reduction>need_replication", "stablehlo.convolution_spatial")

# --- rules that would not be true ---

_BODY = (
    "devices can combine partial results with add, mul, min, max, and, or; not with argmax pairs, xor or an unknown "
    "body"
)
_differ(_BODY, "reduction>need_replication", "stablehlo.reduce")

_MIXES = "the op mixes all of the dim: a part of the result needs more than a part of the operand"
_differ(_MIXES, "parallel>need_replication", "@ApproxTopK @PartialReduce @Eigh @CompactWyHelper @Cholesky")

_BITS = "which bits an element gets depends on the whole shape, so a part made alone would have other bits"
_differ(_BITS, "parallel>need_replication", "stablehlo.rng_bit_generator")

_LAST = "the dimension -1 is the last, which is sorted and so must be whole"
_differ(_LAST, "parallel>need_replication", "stablehlo.sort")

_UPDATED = "the update may lie in any part of the dim, and the device that has it is known only when the program runs"
_differ(_UPDATED, "parallel>need_replication", "stablehlo.dynamic_update_slice", before=(0, 11))

_SHIFTED = "padding by -1 and 1 keeps the size and moves every element"
_differ(_SHIFTED, "misfit, parallel>need_replication", "stablehlo.pad", **OLDER)

_SIDES = "each right-hand side is solved by itself; only the equations and the matrix must be whole"
_differ(_SIDES, "need_replication>parallel", "stablehlo.triangular_solve")

# --- ties ---

_PAIRS = "the operands only travel together; each has factors of its own, so that they do not compete for an axis"
_differ(_PAIRS, "parallel>parallel", "stablehlo.all_reduce stablehlo.all_gather")
_differ(_PAIRS, "need_replication>need_replication", "stablehlo.all_gather")

_OWN = "blocked dims are never split, so it has no meaning which of them share a factor"
_differ(
    _OWN,
    "need_replication>need_replication",
    "stablehlo.triangular_solve @Qr @ProductOfElementaryHouseholderReflectors",
)

# --- rules where Shardy has none ---

_SOURCE = "Shardy splits it by what uses it; any part of it can be made where it is needed"
_differ(
    _SOURCE,
    "missing",
    "stablehlo.constant stablehlo.iota stablehlo.dynamic_iota stablehlo.rng chlo.constant sdy.constant",
)

_SAME = "its result is its operand, or it has no dims at all; Shardy ties such ops outside of rules"
_differ(
    _SAME,
    "missing",
    "barrier sdy.all_gather sdy.all_reduce sdy.all_slice sdy.propagation_barrier sdy.reshard stablehlo.after_all "
    "stablehlo.create_token stablehlo.partition_id stablehlo.replica_id chlo.constant_like @Sharding",
)

_LOWERED = "by the time Shardy's pass runs, CHLO has been lowered; it works on each element by itself"
_differ(
    _LOWERED,
    "missing",
    "chlo._asin_acos_kernel chlo.acos chlo.acosh chlo.asin chlo.asinh chlo.atan chlo.atanh chlo.bessel_i1e chlo.conj "
    "chlo.cosh chlo.digamma chlo.erf chlo.erf_inv chlo.erfc chlo.is_inf chlo.is_neg_inf chlo.is_pos_inf chlo.lgamma "
    "chlo.mulhi chlo.next_after chlo.polygamma chlo.sinh chlo.square chlo.tan chlo.zeta "
    "chlo.broadcast_add chlo.broadcast_multiply chlo.broadcast_subtract",
)
_differ("the last dim is searched and must be whole, the others are parallel", "missing", "chlo.top_k")
_differ("a dot whose groups must be whole", "missing", "chlo.ragged_dot")

_DYNAMIC = (
    "the shapes are known all the same, so the rule of the op without `dynamic` holds; the operand with the shape "
    "is whole"
)
_differ(
    _DYNAMIC,
    "missing",
    "stablehlo.dynamic_broadcast_in_dim stablehlo.dynamic_gather stablehlo.dynamic_reshape stablehlo.real_dynamic_slice",
)

_differ("an old name of broadcast_in_dim", "missing", "stablehlo.broadcast")
_differ("its body works on each element by itself", "missing", "stablehlo.map @cu_threefry2x32_ffi")
_differ(
    "mean and variance need all dims but the feature, which is parallel",
    "missing",
    "stablehlo.batch_norm_training stablehlo.batch_norm_grad",
)
_differ(
    "the result is a size and needs no data: how the other dims are split does not matter",
    "missing",
    "stablehlo.get_dimension_size",
)
_differ("the batch dims are parallel, the matrices whole", "missing", "@LuDecomposition")
_differ("a tensor without elements, which we leave whole", "missing", "stablehlo.reshape")
_differ("the last dim is searched and must be whole, the others are parallel", "missing", "@TopK", **OLDER)

# Ops of jaxlib's dialects that have no entry in the table of rules, with the reason. If they occur in a program at all,
# they are whole: every dim blocked.
NO_RULE = {}


def _no_rule(reason, ops, **versions):
  for op in ops.split():
    NO_RULE[op] = Difference(reason, **versions)


_no_rule(
    "the importer turns it into little ops of the flat program: carry, merge, barrier",
    "stablehlo.while stablehlo.case stablehlo.if stablehlo.optimization_barrier",
)
_no_rule("the importer puts its body in its place", "stablehlo.composite sdy.named_computation")
_no_rule("ends a region; what it returns is tied by the op around it", "stablehlo.return sdy.return")
_no_rule("declares a mesh and has no values", "sdy.mesh")
_no_rule("its body is written for one device already", "sdy.manual_computation")
_no_rule("the importer names it after its target: `stablehlo.custom_call:Qr`", "stablehlo.custom_call")
_no_rule("tuples are not values of the flat program", "stablehlo.tuple stablehlo.get_tuple_element")
_no_rule(
    "talks to the host or to another program, which expects whole tensors",
    "stablehlo.infeed stablehlo.outfeed stablehlo.send stablehlo.recv",
)
_no_rule("holds another op as its body and gives its results later", "stablehlo.async_start stablehlo.async_done")
_no_rule(
    "reduces to one device of a group, which a program over all devices does not have",
    "stablehlo.collective_reduce",
    since=(0,
    12),
)
_no_rule("what it does is in a string that JAX never writes", "stablehlo.einsum stablehlo.unary_einsum")
_no_rule("an old form of gather that JAX never writes", "stablehlo.torch_index_select")
_no_rule(
    "by how much it pads is known only when the program runs, so no dim is known to pass untouched",
    "stablehlo.dynamic_pad stablehlo.dynamic_conv",
)
_no_rule("makes a dim dynamic, which the importer refuses", "stablehlo.set_dimension_size")
_no_rule(
    "scales may belong to one dim and be part of the type, which cannot be split with it",
    "stablehlo.uniform_quantize stablehlo.uniform_dequantize",
)
