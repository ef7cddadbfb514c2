#include "shardwright/rules/work.h"

#include <algorithm>
#include <array>

#include "shardwright/rules/families.h"

namespace shardwright::rules {
namespace {

using enum WorkKind;

struct FamilyWork {
  RuleFunction family;
  WorkKind kind;
};

// Most families do one kind of work. Those missing here (identity, …) are in kOpWork, name by name,
// or opaque.
constexpr FamilyWork kFamilyWork[] = {
    {elementwise, kElementwise},
    {select, kElementwise},
    {clamp, kElementwise},
    {broadcastingElementwise, kElementwise},
    {identity, kElementwise},
    {bitcastConvert, kView},
    {reshape, kView},
    {transpose, kTranspose},
    {broadcastInDim, kBroadcast},
    {broadcast, kBroadcast},
    {dotGeneral, kContraction},
    {raggedDot, kContraction},
    {reduce, kReduce},
    {slice, kMovement},
    {realDynamicSlice, kMovement},
    {dynamicSlice, kMovement},
    {dynamicUpdateSlice, kUpdate},
    {concatenate, kMovement},
    {pad, kMovement},
    {reverse, kReverse},
    {gather, kIndexing},
    {scatter, kUpdate},
    {convolution, kWindow},
    {reduceWindow, kWindow},
    {selectAndScatter, kWindow},
    {sort, kOrdering},
    {topK, kOrdering},
    {approxTopK, kOrdering},
    {iota, kSource},
    {source, kOpaque},  // Random numbers; constants are below.
};

struct OpWork {
  std::string_view name;
  WorkKind kind;
};

// Sorted by name.
constexpr OpWork kOpWork[] = {
    {"argument", kNone},
    {"barrier", kBarrier},
    {"carry", kNone},
    {"case", kNone},
    {"merge", kNone},
    {"return", kNone},
    {"sdy.all_gather", kView},
    {"sdy.all_reduce", kView},
    {"sdy.all_slice", kView},
    {"sdy.all_to_all", kView},
    {"sdy.collective_permute", kView},
    {"sdy.data_flow_edge", kView},
    {"sdy.func_data_flow_edge", kView},
    {"sdy.propagation_barrier", kView},
    {"sdy.reduce_scatter", kView},
    {"sdy.replicated_to_unreduced", kView},
    {"sdy.reshard", kView},
    {"sdy.sharded_to_unreduced", kView},
    {"sdy.sharding_constraint", kView},
    {"sdy.sharding_group", kView},
    {"stablehlo.after_all", kNone},
    {"stablehlo.create_token", kNone},
    {"stablehlo.custom_call:InspectSharding", kView},
    {"stablehlo.custom_call:LayoutConstraint", kView},
    {"stablehlo.custom_call:MoveToDevice", kOpaque},
    {"stablehlo.custom_call:MoveToHost", kOpaque},
    {"stablehlo.custom_call:Sharding", kView},
    {"stablehlo.custom_call:annotate_device_placement", kView},
    {"stablehlo.custom_call:cu_threefry2x32", kOpaque},
    {"stablehlo.custom_call:cu_threefry2x32_ffi", kOpaque},
    {"stablehlo.map", kOpaque},
    {"while", kNone},
};
static_assert(std::is_sorted(std::begin(kOpWork), std::end(kOpWork),
                             [](const OpWork& a, const OpWork& b) { return a.name < b.name; }));

struct Expense {
  std::string_view name;  // Without the dialect.
  uint16_t cycles;
};

// Cycles of an H100, float32: what XLA's GPU backend weighs recomputation by (its op profiles for
// sm_90). XLA has no entry for what it writes out in other ops; for those, the sum of these ops,
// and for polynomials 7 a term. Sorted by name.
constexpr Expense kExpensive[] = {
    {"acos", 400},      {"acosh", 400},      {"asin", 400},
    {"asinh", 400},     {"atan", 400},       {"atan2", 400},
    {"atanh", 400},     {"bessel_i1e", 400}, {"cbrt", 178},
    {"cosh", 160},      {"cosine", 978},     {"digamma", 700},
    {"divide", 43},     {"erf", 250},        {"erf_inv", 400},
    {"erfc", 330},      {"exponential", 79}, {"exponential_minus_one", 190},
    {"lgamma", 700},    {"log", 166},        {"log_plus_one", 229},
    {"logistic", 130},  {"polygamma", 700},  {"power", 500},
    {"remainder", 100}, {"rsqrt", 75},       {"sine", 958},
    {"sinh", 160},      {"sqrt", 75},        {"tan", 1000},
    {"tanh", 467},      {"zeta", 700},
};
static_assert(std::is_sorted(std::begin(kExpensive), std::end(kExpensive),
                             [](const Expense& a, const Expense& b) { return a.name < b.name; }));

uint16_t cyclesOf(std::string_view plain) {
  const Expense* found = std::lower_bound(
      std::begin(kExpensive), std::end(kExpensive), plain,
      [](const Expense& entry, std::string_view name) { return entry.name < name; });
  return found != std::end(kExpensive) && found->name == plain ? found->cycles : uint16_t{0};
}

std::string_view withoutDialect(std::string_view opName) {
  const size_t end = opName.find_last_of('.');
  return end == std::string_view::npos ? opName : opName.substr(end + 1);
}

WorkKind familyWork(RuleFunction function) {
  const FamilyWork* found = std::find_if(std::begin(kFamilyWork), std::end(kFamilyWork),
                                         [&](const FamilyWork& f) { return f.family == function; });
  return found == std::end(kFamilyWork) ? kOpaque : found->kind;
}

bool saysAll(WorkKind kind, std::string_view plain, const program::Attributes& attributes) {
  switch (kind) {
    case kElementwise:
      return plain != "compare" && plain != "broadcast_compare" && plain != "reduce_precision";
    case kReduce: {
      const auto* reduce = std::get_if<program::ReduceAttrs>(&attributes);
      return reduce != nullptr && reduce->combiner != program::Combiner::kOther;
    }
    case kView:
    case kBroadcast:
    case kTranspose:
    case kMovement:
    case kReverse:
    case kContraction:
      return true;
    default:
      return false;
  }
}

bool adds(WorkKind kind, std::string_view plain, const program::Attributes& attributes) {
  if (kind == kElementwise) return plain == "add";
  const auto* scatter = std::get_if<program::ScatterAttrs>(&attributes);
  return scatter != nullptr && scatter->combiner == program::Combiner::kAdd;
}

}  // namespace

const char* workKindName(WorkKind kind) {
  static constexpr std::array<const char*, 17> kNames = {
      "none",      "view",        "barrier",  "source",   "constant", "elementwise",
      "broadcast", "transpose",   "movement", "reverse",  "indexing", "reduce",
      "update",    "contraction", "window",   "ordering", "opaque"};
  return kNames[static_cast<size_t>(kind)];
}

Work workOf(std::string_view opName, const program::Attributes& attributes) {
  if (const auto* constant = std::get_if<program::ConstantAttrs>(&attributes)) {
    return {.kind = constant->splat ? kSource : kConstant};
  }
  if (std::holds_alternative<program::ExplicitRuleAttrs>(attributes)) return {.kind = kOpaque};
  const OpWork* found = std::lower_bound(
      std::begin(kOpWork), std::end(kOpWork), opName,
      [](const OpWork& entry, std::string_view name) { return entry.name < name; });
  if (found != std::end(kOpWork) && found->name == opName) return {.kind = found->kind};
  const std::string_view plain = withoutDialect(opName);
  Work work{.kind = familyWork(findRule(opName))};
  work.saysAll = saysAll(work.kind, plain, attributes);
  work.cycles = work.kind == kElementwise ? cyclesOf(plain) : uint16_t{0};
  work.expensive = work.cycles > 0;
  work.adds = adds(work.kind, plain, attributes);
  work.seeks = findRule(opName) == selectAndScatter;
  work.scatters = std::holds_alternative<program::ScatterAttrs>(attributes);
  return work;
}

IdVector<program::SignatureId, Work> workTable(const program::Program& program) {
  IdVector<program::SignatureId, Work> table;
  table.reserve(program.signatureCount());
  for (size_t n = 0; n < program.signatureCount(); ++n) {
    const program::SignatureId id(n);
    table.push(workOf(program.name(id), program.attributes(id)));
  }
  return table;
}

}  // namespace shardwright::rules
