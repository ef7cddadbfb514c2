// The table of rules. To add an op, write its function in the file of its family and list it here.
#include "shardwright/rules/table.h"

#include <algorithm>

#include "shardwright/rules/attention.h"
#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

// In which operands an op is linear, where the op's name alone says so. Families whose attributes
// matter (reduce, gather, scatter) say it in their rule functions.
enum class Linear : uint8_t {
  kNo,        // Or as the rule function says.
  kTogether,  // a + b
  kEach,      // a * b
  kFirst,     // a[i]
  kQuotient,  // a / b
  kBranches,  // p ? a : b
  kWidening,  // A conversion that loses nothing.
};

struct Entry {
  std::string_view name;
  RuleFunction function;
  Linear linear = Linear::kNo;
};

// Sorted by name.
constexpr Entry kRules[] = {
    {"argument", identity},
    {"barrier", identity},
    {"carry", identity, Linear::kTogether},
    {"case", whole},
    {"chlo._asin_acos_kernel", elementwise},
    {"chlo.acos", elementwise},
    {"chlo.acosh", elementwise},
    {"chlo.asin", elementwise},
    {"chlo.asinh", elementwise},
    {"chlo.atan", elementwise},
    {"chlo.atanh", elementwise},
    {"chlo.bessel_i1e", elementwise},
    {"chlo.broadcast_add", broadcastingElementwise, Linear::kTogether},
    {"chlo.broadcast_and", broadcastingElementwise},
    {"chlo.broadcast_atan2", broadcastingElementwise},
    {"chlo.broadcast_compare", broadcastingElementwise},
    {"chlo.broadcast_complex", broadcastingElementwise},
    {"chlo.broadcast_divide", broadcastingElementwise, Linear::kQuotient},
    {"chlo.broadcast_maximum", broadcastingElementwise},
    {"chlo.broadcast_minimum", broadcastingElementwise},
    {"chlo.broadcast_multiply", broadcastingElementwise, Linear::kEach},
    {"chlo.broadcast_next_after", broadcastingElementwise},
    {"chlo.broadcast_or", broadcastingElementwise},
    {"chlo.broadcast_polygamma", broadcastingElementwise},
    {"chlo.broadcast_power", broadcastingElementwise},
    {"chlo.broadcast_remainder", broadcastingElementwise},
    {"chlo.broadcast_select", broadcastingElementwise},
    {"chlo.broadcast_shift_left", broadcastingElementwise},
    {"chlo.broadcast_shift_right_arithmetic", broadcastingElementwise},
    {"chlo.broadcast_shift_right_logical", broadcastingElementwise},
    {"chlo.broadcast_subtract", broadcastingElementwise, Linear::kTogether},
    {"chlo.broadcast_xor", broadcastingElementwise},
    {"chlo.broadcast_zeta", broadcastingElementwise},
    {"chlo.conj", elementwise},
    {"chlo.constant", source},
    {"chlo.constant_like", identity},
    {"chlo.cosh", elementwise},
    {"chlo.digamma", elementwise},
    {"chlo.erf", elementwise},
    {"chlo.erf_inv", elementwise},
    {"chlo.erfc", elementwise},
    {"chlo.is_inf", elementwise},
    {"chlo.is_neg_inf", elementwise},
    {"chlo.is_pos_inf", elementwise},
    {"chlo.lgamma", elementwise},
    {"chlo.mulhi", elementwise},
    {"chlo.next_after", elementwise},
    {"chlo.polygamma", elementwise},
    {"chlo.ragged_dot", raggedDot},
    {"chlo.scan", scan},
    {"chlo.sinh", elementwise},
    {"chlo.square", elementwise},
    {"chlo.tan", elementwise},
    {"chlo.top_k", topK},
    {"chlo.zeta", elementwise},
    {"merge", identity},
    {"return", identity},
    {"sdy.all_gather", identity},
    {"sdy.all_reduce", identity},
    {"sdy.all_slice", identity},
    {"sdy.all_to_all", identity},
    {"sdy.collective_permute", identity},
    {"sdy.constant", source},
    {"sdy.data_flow_edge", identity},
    {"sdy.func_data_flow_edge", identity},
    {"sdy.propagation_barrier", identity},
    {"sdy.reduce_scatter", identity},
    {"sdy.replicated_to_unreduced", identity},
    {"sdy.reshard", identity},
    {"sdy.sharded_to_unreduced", identity},
    {"sdy.sharding_constraint", identity},
    {"sdy.sharding_group", identity},
    {"stablehlo.abs", elementwise},
    {"stablehlo.add", elementwise, Linear::kTogether},
    {"stablehlo.after_all", identity},
    {"stablehlo.all_gather", dimCollective},
    {"stablehlo.all_reduce", passingBy},
    {"stablehlo.all_to_all", allToAll},
    {"stablehlo.and", elementwise},
    {"stablehlo.atan2", elementwise},
    {"stablehlo.batch_norm_grad", batchNormGrad},
    {"stablehlo.batch_norm_inference", batchNormInference},
    {"stablehlo.batch_norm_training", batchNormTraining},
    {"stablehlo.bitcast_convert", bitcastConvert},
    {"stablehlo.broadcast", broadcast, Linear::kTogether},
    {"stablehlo.broadcast_in_dim", broadcastInDim, Linear::kTogether},
    {"stablehlo.cbrt", elementwise},
    {"stablehlo.ceil", elementwise},
    {"stablehlo.cholesky", cholesky},
    {"stablehlo.clamp", clamp},
    {"stablehlo.collective_broadcast", passingBy},
    {"stablehlo.collective_permute", passingBy},
    {"stablehlo.compare", elementwise},
    {"stablehlo.complex", identity, Linear::kTogether},
    {"stablehlo.concatenate", concatenate, Linear::kTogether},
    {"stablehlo.constant", source},
    {"stablehlo.convert", elementwise, Linear::kWidening},
    {"stablehlo.convolution", convolution, Linear::kEach},
    {"stablehlo.cosine", elementwise},
    {"stablehlo.count_leading_zeros", elementwise},
    {"stablehlo.create_token", identity},
    {"stablehlo.cross-replica-sum", passingBy},
    {"stablehlo.custom_call:ApproxTopK", approxTopK},
    {"stablehlo.custom_call:Cholesky", matrixDecomposition},
    {"stablehlo.custom_call:CompactWyHelper", matrixDecomposition},
    {"stablehlo.custom_call:Eigh", matrixDecomposition},
    {"stablehlo.custom_call:InspectSharding", identity},
    {"stablehlo.custom_call:LayoutConstraint", identity},
    {"stablehlo.custom_call:LuDecomposition", matrixDecomposition},
    {"stablehlo.custom_call:MoveToDevice", identity},
    {"stablehlo.custom_call:MoveToHost", identity},
    {"stablehlo.custom_call:PartialReduce", approxTopK},
    {"stablehlo.custom_call:ProductOfElementaryHouseholderReflectors", matrixDecomposition},
    {"stablehlo.custom_call:Qr", matrixDecomposition},
    {"stablehlo.custom_call:Sharding", identity},
    {"stablehlo.custom_call:TopK", topK},
    {"stablehlo.custom_call:X64Combine", identity},
    {"stablehlo.custom_call:X64SplitHigh", identity},
    {"stablehlo.custom_call:X64SplitLow", identity},
    {"stablehlo.custom_call:__cudnn$fmhaScaleBiasSoftmax", fusedAttention},
    {"stablehlo.custom_call:__cudnn$fmhaScaleBiasSoftmaxBackward", fusedAttention},
    {"stablehlo.custom_call:__cudnn$fmhaSoftmax", fusedAttention},
    {"stablehlo.custom_call:__cudnn$fmhaSoftmaxBackward", fusedAttention},
    {"stablehlo.custom_call:annotate_device_placement", identity},
    {"stablehlo.custom_call:cu_threefry2x32", elementwise},
    {"stablehlo.custom_call:cu_threefry2x32_ffi", elementwise},
    {"stablehlo.custom_call:mhlo.acos", elementwise},
    {"stablehlo.custom_call:mhlo.acosh", elementwise},
    {"stablehlo.custom_call:mhlo.asin", elementwise},
    {"stablehlo.custom_call:mhlo.asinh", elementwise},
    {"stablehlo.custom_call:mhlo.atanh", elementwise},
    {"stablehlo.custom_call:mhlo.bessel_i1e", elementwise},
    {"stablehlo.custom_call:mhlo.cosh", elementwise},
    {"stablehlo.custom_call:mhlo.erf", elementwise},
    {"stablehlo.custom_call:mhlo.erf_inv", elementwise},
    {"stablehlo.custom_call:mhlo.sinh", elementwise},
    {"stablehlo.custom_call:mhlo.tan", elementwise},
    {"stablehlo.custom_call:mhlo.topk", topK},
    {"stablehlo.divide", elementwise, Linear::kQuotient},
    {"stablehlo.dot", dotGeneral, Linear::kEach},
    {"stablehlo.dot_general", dotGeneral, Linear::kEach},
    {"stablehlo.dynamic_broadcast_in_dim", broadcastInDim, Linear::kFirst},
    {"stablehlo.dynamic_gather", gather},
    {"stablehlo.dynamic_iota", iota},
    {"stablehlo.dynamic_reshape", reshape, Linear::kFirst},
    {"stablehlo.dynamic_slice", dynamicSlice, Linear::kFirst},
    {"stablehlo.dynamic_update_slice", dynamicUpdateSlice},
    {"stablehlo.exponential", elementwise},
    {"stablehlo.exponential_minus_one", elementwise},
    {"stablehlo.fft", fft},
    {"stablehlo.floor", elementwise},
    {"stablehlo.gather", gather},
    {"stablehlo.get_dimension_size", getDimensionSize},
    {"stablehlo.imag", identity, Linear::kTogether},
    {"stablehlo.iota", iota},
    {"stablehlo.is_finite", elementwise},
    {"stablehlo.log", elementwise},
    {"stablehlo.log_plus_one", elementwise},
    {"stablehlo.logistic", elementwise},
    {"stablehlo.map", elementwise},
    {"stablehlo.maximum", elementwise},
    {"stablehlo.minimum", elementwise},
    {"stablehlo.multiply", elementwise, Linear::kEach},
    {"stablehlo.negate", elementwise, Linear::kTogether},
    {"stablehlo.not", elementwise},
    {"stablehlo.or", elementwise},
    {"stablehlo.pad", pad, Linear::kTogether},
    {"stablehlo.partition_id", identity},
    {"stablehlo.popcnt", elementwise},
    {"stablehlo.power", elementwise},
    {"stablehlo.real", identity, Linear::kTogether},
    {"stablehlo.real_dynamic_slice", realDynamicSlice},
    {"stablehlo.reduce", reduce},
    {"stablehlo.reduce_precision", elementwise},
    {"stablehlo.reduce_scatter", dimCollective},
    {"stablehlo.reduce_window", reduceWindow},
    {"stablehlo.remainder", elementwise},
    {"stablehlo.replica_id", identity},
    {"stablehlo.reshape", reshape, Linear::kTogether},
    {"stablehlo.reverse", reverse, Linear::kTogether},
    {"stablehlo.rng", source},
    {"stablehlo.rng_bit_generator", rngBitGenerator},
    {"stablehlo.round_nearest_afz", elementwise},
    {"stablehlo.round_nearest_even", elementwise},
    {"stablehlo.rsqrt", elementwise},
    {"stablehlo.scatter", scatter},
    {"stablehlo.select", select, Linear::kBranches},
    {"stablehlo.select_and_scatter", selectAndScatter},
    {"stablehlo.shift_left", elementwise},
    {"stablehlo.shift_right_arithmetic", elementwise},
    {"stablehlo.shift_right_logical", elementwise},
    {"stablehlo.sign", elementwise},
    {"stablehlo.sine", elementwise},
    {"stablehlo.slice", slice, Linear::kTogether},
    {"stablehlo.sort", sort},
    {"stablehlo.sqrt", elementwise},
    {"stablehlo.subtract", elementwise, Linear::kTogether},
    {"stablehlo.tan", elementwise},
    {"stablehlo.tanh", elementwise},
    {"stablehlo.transpose", transpose, Linear::kTogether},
    {"stablehlo.triangular_solve", triangularSolve},
    {"stablehlo.xor", elementwise},
    {"while", whole},
};

static_assert(std::is_sorted(std::begin(kRules), std::end(kRules),
                             [](const Entry& a, const Entry& b) { return a.name < b.name; }));

const Entry* findEntry(std::string_view opName) {
  const Entry* found =
      std::lower_bound(std::begin(kRules), std::end(kRules), opName,
                       [](const Entry& entry, std::string_view name) { return entry.name < name; });
  return found != std::end(kRules) && found->name == opName ? found : nullptr;
}

// A conversion to the same type, or of floats that keeps every value: rounding the terms of a sum
// is not rounding it.
bool widens(const OpView& view) {
  if (view.tensorCount() != 2) return false;
  const program::DType from = view.dtype(0), to = view.dtype(1);
  const bool wider = program::bitWidth(to) > program::bitWidth(from);
  return from == to || (program::isFloat(from) && program::isFloat(to) && wider);
}

// Integer division rounds.
bool dividesExactly(const OpView& view) {
  using enum program::DType;
  const program::DType dtype = view.dtype(0);
  return program::isFloat(dtype) || dtype == kC64 || dtype == kC128;
}

std::vector<uint8_t> linearGroups(const OpView& view, Linear linear) {
  std::vector<uint8_t> groups(view.operandCount(), 0);
  for (size_t i = 0; i < groups.size(); ++i) {
    if (linear == Linear::kTogether) groups[i] = 1;
    if (linear == Linear::kEach) groups[i] = static_cast<uint8_t>(i + 1);
    if (linear == Linear::kFirst) groups[i] = i == 0 ? 1 : 0;
    if (linear == Linear::kQuotient) groups[i] = i == 0 && dividesExactly(view) ? 1 : 0;
    if (linear == Linear::kBranches) groups[i] = i == 0 ? 0 : 1;
    if (linear == Linear::kWidening) groups[i] = widens(view) ? 1 : 0;
  }
  return groups;
}

// Where the first op with this signature stands.
SourceLocation firstUse(const program::Program& program, program::SignatureId signature) {
  for (size_t n = 0; n < program.opCount(); ++n) {
    const program::OpId op(n);
    if (program.op(op).signature == signature) return program.source(op);
  }
  return {};
}

// Nothing is known of the op, or of the body that says what it does.
bool isUnknown(const OpView& view, RuleFunction function) {
  return function == nullptr || (function == fusedAttention && !isKnownAttention(view)) ||
         (function == scan && view.attributes<program::DimAttrs>() == nullptr);
}

}  // namespace

RuleFunction findRule(std::string_view opName) {
  const Entry* entry = findEntry(opName);
  return entry != nullptr ? entry->function : nullptr;
}

std::vector<std::string_view> opsWithRules() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kRules) names.push_back(entry.name);
  return names;
}

Result<OpRule> makeRule(const program::Program& program, program::SignatureId signature) {
  const OpView view(program, signature);
  RuleSource ruleSource = RuleSource::kFamily;
  const Entry* entry = findEntry(view.name());
  RuleFunction function = entry != nullptr ? entry->function : nullptr;
  if (view.attributes<program::ExplicitRuleAttrs>() != nullptr) {
    function = explicitRule;
    ruleSource = RuleSource::kExplicit;
  } else if (isUnknown(view, function)) {
    function = whole;
    ruleSource = RuleSource::kWhole;
  }
  Result<Rule> rule = function(view);
  if (!rule) return rule.error();
  if (ruleSource == RuleSource::kFamily && entry->linear != Linear::kNo) {
    return OpRule{(*std::move(rule)).withLinearGroups(linearGroups(view, entry->linear)),
                  ruleSource};
  }
  // What a call does not say of itself, its name may.
  if (ruleSource != RuleSource::kFamily) {
    if (const double flops = decompositionFlops(view); flops > 0) {
      return OpRule{(*std::move(rule)).withFlops(flops), ruleSource};
    }
  }
  return OpRule{*std::move(rule), ruleSource};
}

Result<RuleTable> RuleTable::make(const program::Program& program) {
  RuleTable table;
  table.rules_.reserve(program.signatureCount());
  for (size_t n = 0; n < program.signatureCount(); ++n) {
    const program::SignatureId signature(n);
    Result<OpRule> rule = makeRule(program, signature);
    if (!rule) {
      Diagnostic error = rule.error();
      error.location = firstUse(program, signature);
      return error;
    }
    table.rules_.push(*std::move(rule));
  }
  return table;
}

}  // namespace shardwright::rules
