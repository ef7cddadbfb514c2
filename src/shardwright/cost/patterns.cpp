#include "shardwright/cost/patterns.h"

#include <algorithm>

namespace shardwright::cost {
namespace {

using rules::FactorId;
using rules::Rule;
using rules::WorkKind;
using spmd::InstructionId;
using spmd::LocalId;

// How far to look up from an instruction. A mean is a sum, a division and a broadcast.
constexpr int kMostSteps = 8;

// The longest row that XLA shifts by its maximum in one kernel.
constexpr int64_t kLongestRow = 16384;

bool shows(const Rule& rule, size_t tensor, FactorId factor) {
  for (size_t d = 0; d < rule.rank(tensor); ++d) {
    const auto factors = rule.dim(tensor, d);
    if (std::find(factors.begin(), factors.end(), factor) != factors.end()) return true;
  }
  return false;
}

// Factors larger than 1 of a tensor, in order.
std::vector<FactorId> factorsOf(const Rule& rule, size_t tensor) {
  std::vector<FactorId> found;
  for (size_t d = 0; d < rule.rank(tensor); ++d) {
    for (const FactorId f : rule.dim(tensor, d)) {
      if (rule.factor(f).size > 1) found.push_back(f);
    }
  }
  return found;
}

// Per dim of the result larger than 1: which operand it comes from, 2 for both.
std::vector<int> sidesOfResult(const Rule& product) {
  std::vector<int> sides;
  for (const FactorId f : factorsOf(product, product.operandCount())) {
    const bool left = shows(product, 0, f), right = shows(product, 1, f);
    sides.push_back(left && right ? 2 : right ? 1 : 0);
  }
  return sides;
}

// Dims of size 1 do not count.
bool movesLastDim(const Rule& transpose) {
  const std::vector<FactorId> before = factorsOf(transpose, 0), after = factorsOf(transpose, 1);
  return !before.empty() && !after.empty() && before.back() != after.back();
}

// That and no other.
bool sumsLastDim(const Rule& reduce) {
  std::vector<FactorId> before = factorsOf(reduce, 0);
  if (before.empty()) return false;
  before.pop_back();
  return before == factorsOf(reduce, reduce.operandCount());
}

bool isStack(const Rule& product) {
  const std::vector<int> sides = sidesOfResult(product);
  return std::find(sides.begin(), sides.end(), 2) != sides.end();
}

class Diamonds {
 public:
  explicit Diamonds(const Graph& graph) : graph_(graph), spmd_(*graph.spmd) {}

  // `c` if the instruction combines `c` with a sum over c's points; else invalid.
  LocalId bodyOf(InstructionId id) const {
    if (graph_.node(id).work != WorkKind::kElementwise) return {};
    const auto operands = graph_.operandsOf(graph_.instruction(id));
    if (operands.size() != 2) return {};
    for (size_t n = 0; n < 2; ++n) {
      const LocalId source = summedIn(operands[1 - n]);
      if (source.valid() && isMadeFrom(source, operands[n])) return operands[n];
    }
    return {};
  }

  // The reduction, along the last dim, of the instruction's first operand that is its second and
  // that nothing else reads; else invalid.
  InstructionId closedBy(InstructionId id) const {
    if (graph_.node(id).work != WorkKind::kElementwise) return {};
    const auto operands = graph_.operandsOf(graph_.instruction(id));
    if (operands.size() != 2) return {};
    const bool repeated = graph_.node(maker(operands[1])).work == WorkKind::kBroadcast;
    const InstructionId reduction = repeated ? reductionIn(operands[1]) : InstructionId();
    if (!reduction.valid() || !graph_.node(reduction).trait) return {};
    const int64_t rows = elements(graph_.instruction(reduction).firstResult);
    if (elements(operands[0]) > kLongestRow * rows) return {};
    return operandOf(reduction) == operands[0] ? reduction : InstructionId();
  }

 private:
  InstructionId maker(LocalId id) const { return spmd_.locals[id].definition; }
  int64_t elements(LocalId id) const { return spmd_.types.elements(spmd_.locals[id].type); }

  // What is summed in a value that is a sum, repeated; invalid if it is not one.
  LocalId summedIn(LocalId id) const {
    if (graph_.node(maker(id)).work != WorkKind::kBroadcast) return {};
    const int64_t whole = elements(id);
    for (int step = 0; step < kMostSteps; ++step) {
      const InstructionId here = maker(id);
      const auto operands = graph_.operandsOf(graph_.instruction(here));
      if (graph_.node(here).role == Role::kReduce) {
        const bool fits = elements(operands[0]) == whole && graph_.node(here).trait;
        return fits ? operands[0] : LocalId();
      }
      const Role role = graph_.node(here).role;
      if ((role != Role::kLoop && role != Role::kView) || operands.empty()) return {};
      id = operands[0];
    }
    return {};
  }

  LocalId operandOf(InstructionId id) const { return graph_.operandsOf(graph_.instruction(id))[0]; }

  // The reduction that a value is made from, if all is read once on the way; else invalid.
  InstructionId reductionIn(LocalId id) const {
    for (int step = 0; step < kMostSteps && graph_.usersOf(id).size() == 1; ++step) {
      const InstructionId here = maker(id);
      const Role role = graph_.node(here).role;
      if (role == Role::kReduce) return here;
      if (role != Role::kLoop && role != Role::kView) return {};
      // A maximum is compared with minus infinity.
      const auto operands = graph_.operandsOf(graph_.instruction(here));
      const auto next = std::find_if(operands.begin(), operands.end(),
                                     [&](LocalId operand) { return !isConstant(operand); });
      if (next == operands.end()) return {};
      id = *next;
    }
    return {};
  }
  bool isConstant(LocalId id) const {
    while (graph_.node(maker(id)).work == WorkKind::kBroadcast) id = operandOf(maker(id));
    return graph_.node(maker(id)).role == Role::kSource;
  }

  bool isMadeFrom(LocalId id, LocalId from) const {
    for (int step = 0; step < kMostSteps && id != from; ++step) {
      const InstructionId here = maker(id);
      const auto operands = graph_.operandsOf(graph_.instruction(here));
      if (graph_.node(here).work != WorkKind::kElementwise || operands.empty()) return false;
      id = operands[0];
    }
    return id == from;
  }

  const Graph& graph_;
  const spmd::SpmdProgram& spmd_;
};

}  // namespace

bool traitOf(const Rule& rule, WorkKind work) {
  if (work == WorkKind::kTranspose) return movesLastDim(rule);
  if (work == WorkKind::kReduce) return sumsLastDim(rule);
  return work == WorkKind::kContraction && isStack(rule);
}

bool canWriteAs(const Rule& product, const Rule& transpose) {
  const std::vector<int> sides = sidesOfResult(product);
  const std::vector<FactorId> before = factorsOf(transpose, 0), after = factorsOf(transpose, 1);
  if (sides.size() != before.size() || after.size() != before.size()) return false;
  if (std::find(sides.begin(), sides.end(), 2) != sides.end()) return false;
  // Rows before columns or columns before rows, and neither changes its order.
  std::vector<size_t> places;
  for (const FactorId f : after) {
    const auto found = std::find(before.begin(), before.end(), f);
    if (found == before.end()) return false;
    places.push_back(static_cast<size_t>(found - before.begin()));
  }
  size_t changes = 0;
  for (size_t n = 1; n < places.size(); ++n) {
    const bool sameSide = sides[places[n]] == sides[places[n - 1]];
    if (sameSide && places[n] < places[n - 1]) return false;
    changes += sameSide ? 0 : 1;
  }
  return changes <= 1;
}

bool transposesBatchedProduct(const Graph& graph, InstructionId id) {
  if (graph.node(id).work != WorkKind::kTranspose || !graph.node(id).trait) return false;
  for (int step = 0; step < kMostSteps; ++step) {
    id = graph.spmd->locals[graph.operandsOf(graph.instruction(id))[0]].definition;
    const Node& node = graph.node(id);
    if (node.work == WorkKind::kContraction) return node.trait;
    const bool passes = node.role == Role::kCollective || node.role == Role::kView;
    if (!passes || graph.instruction(id).operandCount == 0) return false;
  }
  return false;
}

const program::ConvolutionAttrs* convolution(const Graph& graph, program::OpId op) {
  const program::Program& program = graph.subject->program;
  return std::get_if<program::ConvolutionAttrs>(&program.attributes(program.op(op).signature));
}

bool kernelStandsAsWanted(const program::ConvolutionAttrs& attrs) {
  const auto last = static_cast<int64_t>(attrs.kernelSpatial.size()) + 1;
  return attrs.kernelOutputFeature == 0 && attrs.kernelInputFeature == last;
}

bool isShiftedByMaximum(const Graph& graph, InstructionId id) {
  const Diamonds diamonds(graph);
  const InstructionId reduction = diamonds.closedBy(id);
  return reduction.valid() && isMaximum(graph, reduction);
}

bool isMaximum(const Graph& graph, InstructionId id) {
  const program::Program& program = graph.subject->program;
  const program::SignatureId signature = program.op(graph.instruction(id).op).signature;
  const auto* reduce = std::get_if<program::ReduceAttrs>(&program.attributes(signature));
  return reduce != nullptr && reduce->combiner == program::Combiner::kMax;
}

bool reducesShortRows(const Graph& graph, InstructionId id) {
  const Node& node = graph.node(id);
  if (node.role != Role::kReduce || !node.trait) return false;
  const spmd::SpmdProgram& spmd = *graph.spmd;
  const auto elements = [&](LocalId local) { return spmd.types.elements(spmd.locals[local].type); };
  const spmd::Instruction& here = graph.instruction(id);
  return elements(graph.operandsOf(here)[0]) <= kLongestRow * elements(here.firstResult);
}

bool isOnlyNormalized(const Graph& graph, LocalId id) {
  const auto users = graph.usersOf(id);
  if (users.size() != 2) return false;
  return Diamonds(graph).closedBy(users[1]) == users[0];
}

bool isNormalization(const Graph& graph, InstructionId id) {
  const Diamonds diamonds(graph);
  const LocalId body = diamonds.bodyOf(id);
  return body.valid() && diamonds.bodyOf(graph.spmd->locals[body].definition).valid();
}

}  // namespace shardwright::cost
