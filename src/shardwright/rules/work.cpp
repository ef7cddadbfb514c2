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
    {fusedAttention, kAttention},
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
    {scan, kOpaque},
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
  uint8_t effort;
};

// Cycles of an H100, float32: what XLA's GPU backend weighs recomputation by (its op profiles for
// sm_90). XLA has no entry for what it writes out in other ops; for those, the sum of these ops,
// and for polynomials 7 a term. The effort is what was measured on an H200
// (benchmarks/results/h200-kernels.md), and for what was not that of the nearest. Sorted by name.
constexpr Expense kExpensive[] = {
    {"acos", 400, 35},      {"acosh", 400, 35},      {"asin", 400, 35},
    {"asinh", 400, 35},     {"atan", 400, 35},       {"atan2", 400, 35},
    {"atanh", 400, 35},     {"bessel_i1e", 400, 35}, {"cbrt", 178, 20},
    {"cosh", 160, 20},      {"cosine", 978, 20},     {"digamma", 700, 60},
    {"divide", 43, 5},      {"erf", 250, 17},        {"erf_inv", 400, 35},
    {"erfc", 330, 25},      {"exponential", 79, 6},  {"exponential_minus_one", 190, 20},
    {"lgamma", 700, 60},    {"log", 166, 18},        {"log_plus_one", 229, 19},
    {"logistic", 130, 13},  {"polygamma", 700, 60},  {"power", 500, 51},
    {"remainder", 100, 13}, {"rsqrt", 75, 5},        {"sine", 958, 20},
    {"sinh", 160, 20},      {"sqrt", 75, 5},         {"tan", 1000, 20},
    {"tanh", 467, 16},      {"zeta", 700, 60},
};
static_assert(std::is_sorted(std::begin(kExpensive), std::end(kExpensive),
                             [](const Expense& a, const Expense& b) { return a.name < b.name; }));

// Null for what is cheap.
const Expense* expenseOf(std::string_view plain) {
  const Expense* found = std::lower_bound(
      std::begin(kExpensive), std::end(kExpensive), plain,
      [](const Expense& entry, std::string_view name) { return entry.name < name; });
  return found != std::end(kExpensive) && found->name == plain ? found : nullptr;
}

// Of what is read or written where indices say, and of one comparison of a sorting network; from
// the same measurements.
constexpr uint8_t kEffortOfIndexing = 28, kEffortOfScattering = 45, kEffortOfSorting = 18;

uint8_t effortOf(const Work& work) {
  if (work.scatters) return kEffortOfScattering;
  if (work.kind == kIndexing) return kEffortOfIndexing;
  return work.kind == kOrdering ? kEffortOfSorting : uint8_t{1};
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

bool repeats(WorkKind kind, const program::Attributes& attributes) {
  switch (kind) {
    case kReduce: {
      const auto* reduce = std::get_if<program::ReduceAttrs>(&attributes);
      return reduce != nullptr && reduce->combiner != program::Combiner::kOther;
    }
    case kWindow:  // Other windows have a function inside.
      return std::holds_alternative<program::ConvolutionAttrs>(attributes);
    case kSource:
    case kElementwise:
    case kView:
    case kBroadcast:
    case kTranspose:
    case kMovement:
    case kReverse:
    case kIndexing:
    case kContraction:
      return true;
    default:
      return false;
  }
}

bool varies(std::string_view plain) {
  return plain == "compare" || plain == "broadcast_compare" || plain == "reduce_precision";
}

bool adds(WorkKind kind, std::string_view plain, const program::Attributes& attributes) {
  if (kind == kElementwise) return plain == "add";
  const auto* scatter = std::get_if<program::ScatterAttrs>(&attributes);
  return scatter != nullptr && scatter->combiner == program::Combiner::kAdd;
}

bool spreads(const program::Attributes& attributes) {
  const auto* pad = std::get_if<program::PadAttrs>(&attributes);
  return pad != nullptr && std::ranges::any_of(pad->interior, [](int64_t n) { return n > 0; });
}

}  // namespace

const char* workKindName(WorkKind kind) {
  static constexpr std::array<const char*, 18> kNames = {
      "none",      "view",        "barrier",  "source",    "constant", "elementwise",
      "broadcast", "transpose",   "movement", "reverse",   "indexing", "reduce",
      "update",    "contraction", "window",   "attention", "ordering", "opaque"};
  return kNames[static_cast<size_t>(kind)];
}

Work workOf(std::string_view opName, const program::Attributes& attributes) {
  if (const auto* constant = std::get_if<program::ConstantAttrs>(&attributes)) {
    return {.kind = constant->splat ? kSource : kConstant, .repeats = true, .varies = true};
  }
  if (std::holds_alternative<program::ExplicitRuleAttrs>(attributes)) return {.kind = kOpaque};
  const OpWork* found = std::lower_bound(
      std::begin(kOpWork), std::end(kOpWork), opName,
      [](const OpWork& entry, std::string_view name) { return entry.name < name; });
  if (found != std::end(kOpWork) && found->name == opName) return {.kind = found->kind};
  const std::string_view plain = withoutDialect(opName);
  Work work{.kind = familyWork(findRule(opName))};
  work.repeats = repeats(work.kind, attributes);
  work.varies = varies(plain);
  const Expense* expense = work.kind == kElementwise ? expenseOf(plain) : nullptr;
  work.expensive = expense != nullptr;
  work.cycles = expense != nullptr ? expense->cycles : uint16_t{0};
  work.converts = plain == "convert";
  work.adds = adds(work.kind, plain, attributes);
  work.seeks = findRule(opName) == selectAndScatter;
  work.scatters = std::holds_alternative<program::ScatterAttrs>(attributes);
  work.spreads = spreads(attributes);
  work.effort = expense != nullptr ? expense->effort : effortOf(work);
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
