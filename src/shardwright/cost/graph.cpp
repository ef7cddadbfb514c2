#include "shardwright/cost/graph.h"

#include <algorithm>
#include <numeric>

#include "shardwright/cost/patterns.h"
#include "shardwright/plan/structure.h"

namespace shardwright::cost {
namespace {

using program::OpId;
using rules::WorkKind;
using spmd::Instruction;
using spmd::InstructionId;
using spmd::Kind;
using spmd::LocalId;

Role roleOf(WorkKind work) {
  switch (work) {
    case WorkKind::kNone:
      return Role::kNone;
    case WorkKind::kView:
      return Role::kView;
    case WorkKind::kBarrier:
      return Role::kBarrier;
    case WorkKind::kSource:
      return Role::kSource;
    case WorkKind::kConstant:
      return Role::kConstant;
    case WorkKind::kElementwise:
    case WorkKind::kBroadcast:
    case WorkKind::kTranspose:
    case WorkKind::kMovement:
    case WorkKind::kReverse:
    case WorkKind::kIndexing:
      return Role::kLoop;
    case WorkKind::kReduce:
      return Role::kReduce;
    case WorkKind::kUpdate:
      return Role::kUpdate;
    case WorkKind::kContraction:
    case WorkKind::kWindow:
    case WorkKind::kOrdering:
    case WorkKind::kAttention:
    case WorkKind::kOpaque:
      break;
  }
  return Role::kKernel;
}

bool sameShape(const spmd::SpmdProgram& spmd, LocalId a, LocalId b) {
  return spmd.types.elements(spmd.locals[a].type) == spmd.types.elements(spmd.locals[b].type);
}

// A broadcast that repeats nothing only adds dims of size 1, and a transpose of a vector moves
// nothing.
bool repeatsNothing(const spmd::SpmdProgram& spmd, const Instruction& instruction, WorkKind work) {
  if (instruction.operandCount == 0 || instruction.resultCount == 0) return false;
  return work == WorkKind::kBroadcast &&
         sameShape(spmd, spmd.operandsOf(instruction)[0], instruction.firstResult);
}

// JAX converts gradients to the element type that they have.
bool changesNothing(const spmd::SpmdProgram& spmd, const Instruction& instruction,
                    const rules::Work& work) {
  const auto type = [&](LocalId id) { return spmd.types.dtype(spmd.locals[id].type); };
  return work.converts && instruction.operandCount == 1 &&
         type(spmd.operandsOf(instruction)[0]) == type(instruction.firstResult);
}

// K3. A product that sums over nothing is a multiplication.
bool isMultiplication(const rules::Rule& rule) {
  for (size_t f = 0; f < rule.factorCount(); ++f) {
    const rules::Factor& factor = rule.factor(rules::FactorId(f));
    if (factor.kind == rules::FactorKind::kReduction && factor.size > 1) return false;
  }
  return true;
}

// What was measured on GPUs holds there; what arithmetic costs, everywhere.
bool isKnownFor(Flavor flavor, WorkKind kind) {
  return flavor == Flavor::kGpu || kind == WorkKind::kElementwise;
}

Node computeNode(const plan::Subject& subject, const spmd::SpmdProgram& spmd,
                 const Instruction& instruction, const rules::Work& work, Flavor flavor) {
  const rules::Rule& rule = subject.rule(instruction.op);
  const bool known = isKnownFor(flavor, work.kind);
  Node node{.role = roleOf(work.kind),
            .work = work.kind,
            .expensive = work.expensive,
            .trait = traitOf(rule, work.kind),
            .adds = work.adds,
            .seeks = work.seeks,
            .scatters = work.scatters,
            .passes = static_cast<uint8_t>(known ? rule.passes() & 7 : 1),
            .effort = known ? work.effort : uint8_t{1},
            .cycles = work.cycles};
  if (work.kind == WorkKind::kContraction && isMultiplication(rule)) {
    node.role = Role::kLoop;
    node.work = WorkKind::kElementwise;
    node.trait = false;
  }
  // K3. What a scan makes of its two halves is put together by such pads.
  if (work.spreads && flavor == Flavor::kTpu) node.role = Role::kKernel;
  if (node.role == Role::kNone && instruction.operandCount > 0 && instruction.resultCount > 0) {
    // What else does nothing (what makes one token of several) is made where it is used.
    const bool ties = program::standsForAValue(subject.program.name(instruction.op));
    node.role = ties ? Role::kTie : Role::kSource;
  }
  if (repeatsNothing(spmd, instruction, work.kind) || changesNothing(spmd, instruction, work)) {
    node.role = Role::kView;
  }
  // An op without results is an effect (a kernel), or says something about its operand.
  if (instruction.resultCount == 0 && node.role != Role::kKernel) node.role = Role::kNone;
  if (node.role == Role::kUpdate) node.updates = instruction.resultCount;
  if (const double perPoint = rule.flopsPerPoint(); perPoint > 0) {
    node.flops = perPoint * localPoints(subject, spmd, instruction.op,
                                        [&](rules::FactorId f) { return rule.factor(f).counts(); });
    if (flavor == Flavor::kGpu) node.flops *= static_cast<double>(rule.groups());
  }
  return node;
}

// Those of ops that are split alike are alike, but for whether a broadcast repeats anything: that
// is seen in its operand.
class Nodes {
 public:
  Nodes(const plan::Subject& subject, const spmd::SpmdProgram& spmd,
        const IdVector<program::SignatureId, rules::Work>& work, Flavor flavor)
      : subject_(subject),
        spmd_(spmd),
        work_(work),
        flavor_(flavor),
        known_(spmd.assignment.splitCount()) {}

  Node of(const Instruction& instruction) {
    const plan::SplitId split = spmd_.assignment.split(instruction.op);
    Known& known = known_[split.index()];
    if (!known.found) {
      const rules::Work& work = work_[spmd_.assignment.signature(split)];
      known = {computeNode(subject_, spmd_, instruction, work, flavor_), true};
    }
    Node node = known.node;
    if (node.work == WorkKind::kBroadcast) {
      const bool isView = repeatsNothing(spmd_, instruction, node.work);
      node.role = isView ? Role::kView : roleOf(node.work);
    }
    return node;
  }

 private:
  struct Known {
    Node node;
    bool found = false;
  };

  const plan::Subject& subject_;
  const spmd::SpmdProgram& spmd_;
  const IdVector<program::SignatureId, rules::Work>& work_;
  Flavor flavor_;
  std::vector<Known> known_;  // Per split.
};

// What partitioning adds. A slice reads its part where it is used; a mask is a multiplication.
Node addedNode(const spmd::SpmdProgram& spmd, const Instruction& instruction) {
  if (spmd::isCollective(instruction.kind)) {
    return {.role = Role::kCollective, .work = WorkKind::kOpaque};
  }
  const bool slice = instruction.kind == Kind::kSlice;
  const auto elements = spmd.types.elements(spmd.locals[instruction.firstResult].type);
  return {.role = Role::kLoop,
          .work = slice ? WorkKind::kMovement : WorkKind::kElementwise,
          .flops = slice ? 0 : static_cast<double>(elements)};
}

// Numbers values: equal numbers are equal values.
class Repetitions {
 public:
  Repetitions(Graph& graph, const IdVector<program::SignatureId, rules::Work>& work,
              std::span<const char> mayRepeat)
      : graph_(graph),
        spmd_(*graph.spmd),
        program_(graph.subject->program),
        work_(work),
        mayRepeat_(mayRepeat) {}

  void find() {
    const auto locals = static_cast<uint32_t>(spmd_.locals.size());
    const auto instructions = static_cast<uint32_t>(spmd_.instructions.size());
    graph_.canonical.resize(locals);
    for (uint32_t n = 0; n < locals; ++n) graph_.canonical[n] = LocalId(n);
    for (uint32_t n = 0; n < instructions; ++n) look(InstructionId(n));
    graph_.operands.resize(spmd_.operands.size());
    std::ranges::transform(spmd_.operands, graph_.operands.begin(),
                           [&](LocalId operand) { return graph_.canonical[operand.index()]; });
  }

 private:
  void look(InstructionId id) {
    const Instruction& instruction = spmd_.instructions[id];
    if (instruction.kind != Kind::kCompute || instruction.resultCount != 1) return;
    if (!mayRepeat_.empty() && !mayRepeat_[instruction.op.index()]) return;
    const program::SignatureId signature = program_.op(instruction.op).signature;
    const rules::Work& work = work_[signature];
    const uint32_t variant = program_.variant(instruction.op);
    if (!work.repeats || (work.varies && variant == program::kNoVariant)) return;
    const auto operands = spmd_.operandsOf(instruction);
    words_.assign(
        {both(signature.index(), variant),
         both(instruction.region.index(), spmd_.locals[instruction.firstResult].layout.index())});
    for (size_t i = 0; i < operands.size(); i += 2) {
      const uint32_t second = i + 1 < operands.size() ? canonical(operands[i + 1]) : 0;
      words_.push_back(both(canonical(operands[i]), second));
    }
    const auto [number, isNew] = values_.intern(words_);
    if (isNew) {
      firsts_.push_back(instruction.firstResult);
    } else {
      graph_.canonical[instruction.firstResult.index()] = firsts_[number];
      graph_.nodes[id.index()] = {.role = Role::kRepeated};
    }
  }

  uint32_t canonical(LocalId id) const { return graph_.canonical[id.index()].index(); }
  // Fewer words are hashed sooner.
  static uint64_t both(uint32_t a, uint32_t b) { return uint64_t{a} << 32 | b; }

  Graph& graph_;
  const spmd::SpmdProgram& spmd_;
  const program::Program& program_;
  const IdVector<program::SignatureId, rules::Work>& work_;
  std::span<const char> mayRepeat_;
  WordInterner values_;
  std::vector<LocalId> firsts_;  // Per number.
  std::vector<uint64_t> words_;
};

// What an instruction reads; nothing if it is a repetition.
std::span<const LocalId> uses(const Graph& graph, InstructionId id) {
  if (graph.node(id).role == Role::kRepeated) return {};
  return graph.operandsOf(graph.instruction(id));
}

void listUsers(Graph& graph) {
  const spmd::SpmdProgram& spmd = *graph.spmd;
  const auto count = static_cast<uint32_t>(spmd.instructions.size());
  graph.usersBegin.assign(spmd.locals.size() + 1, 0);
  for (uint32_t n = 0; n < count; ++n) {
    for (const LocalId operand : uses(graph, InstructionId(n))) {
      ++graph.usersBegin[operand.index() + 1];
    }
  }
  std::partial_sum(graph.usersBegin.begin(), graph.usersBegin.end(), graph.usersBegin.begin());
  graph.users.resize(graph.usersBegin.back());
  std::vector<uint32_t> next(graph.usersBegin.begin(), graph.usersBegin.end() - 1);
  for (uint32_t n = 0; n < count; ++n) {
    for (const LocalId operand : uses(graph, InstructionId(n))) {
      graph.users[next[operand.index()]++] = InstructionId(n);
    }
  }
}

void markEscapes(Graph& graph) {
  const spmd::SpmdProgram& spmd = *graph.spmd;
  graph.escapes.assign(spmd.locals.size(), 0);
  for (const auto& yields : spmd.yields) {
    for (const LocalId id : yields) graph.escapes[graph.canonical[id.index()].index()] = 1;
  }
  for (const LocalId id : spmd.results) graph.escapes[graph.canonical[id.index()].index()] = 1;
}

// The only reader of an update of zeros, if it adds the result to another value; else invalid.
InstructionId additionAfter(const Graph& graph, InstructionId id) {
  const Instruction& update = graph.instruction(id);
  const Node& node = graph.node(id);
  if (node.role != Role::kUpdate || !node.adds || update.resultCount != 1) return {};
  const auto users = graph.usersOf(update.firstResult);
  if (users.size() != 1 || graph.escapes[update.firstResult.index()]) return {};
  const Node& user = graph.node(users[0]);
  const bool here = graph.instruction(users[0]).region == update.region;
  const bool adds = here && user.role == Role::kLoop && user.adds;
  const program::ValueId updated = graph.spmd->locals[graph.operandsOf(update)[0]].value;
  return adds && plan::isZero(*graph.subject, updated) ? users[0] : InstructionId();
}

// K7. What is added to zeros, and that to a value, is added to the value right away: the addition
// is the update, written into the value's buffer, and what it adds is made in it.
void updateInPlace(Graph& graph) {
  const auto count = static_cast<uint32_t>(graph.nodes.size());
  for (uint32_t n = 0; n < count; ++n) {
    const InstructionId addition = additionAfter(graph, InstructionId(n));
    if (!addition.valid()) continue;
    const size_t first = graph.instruction(addition).operandsBegin;
    const LocalId added = graph.instruction(InstructionId(n)).firstResult;
    if (graph.operands[first] == added) std::swap(graph.operands[first], graph.operands[first + 1]);
    graph.nodes[n].role = Role::kLoop;
    graph.nodes[addition.index()].role = Role::kUpdate;
    graph.nodes[addition.index()].updates = 1;
  }
}

// Whether an update of zeros writes once into each row: all dims of what is written are dims of the
// result. The gradient of `logits[label]` is one; that of a table's rows has a dim of its own, of
// those that were looked up.
bool writesEachRowOnce(const Graph& graph, InstructionId id) {
  const Node& node = graph.node(id);
  const Instruction& update = graph.instruction(id);
  if (node.role != Role::kUpdate || !node.scatters || update.resultCount != 1) return false;
  const program::ValueId updated = graph.spmd->locals[graph.operandsOf(update)[0]].value;
  if (!plan::isZero(*graph.subject, updated)) return false;
  const rules::Rule& rule = graph.subject->rule(update.op);
  std::vector<char> inResult(rule.factorCount(), 0);
  const auto forEachFactor = [&](size_t tensor, auto&& see) {
    for (size_t d = 0; d < rule.rank(tensor); ++d) {
      for (const rules::FactorId f : rule.dim(tensor, d)) see(f);
    }
  };
  forEachFactor(rule.operandCount(), [&](rules::FactorId f) { inResult[f.index()] = 1; });
  bool once = true;
  forEachFactor(rule.operandCount() - 1, [&](rules::FactorId f) {
    once = once && (inResult[f.index()] || rule.factor(f).size == 1);
  });
  return once;
}

// K7. XLA for TPUs compares each place with the one that is written.
void selectInstead(Graph& graph) {
  const auto count = static_cast<uint32_t>(graph.nodes.size());
  for (uint32_t n = 0; n < count; ++n) {
    if (!writesEachRowOnce(graph, InstructionId(n))) continue;
    Node& node = graph.nodes[n];
    node.role = Role::kLoop;
    node.work = WorkKind::kElementwise;
    node.scatters = node.adds = false;
    node.updates = 0;
  }
}

// K13: how a loop that alone reads a product, or what was made from one, goes on with it.
enum class Next : uint8_t { kStops, kPasses, kEnds };

Next nextAfter(const Graph& graph, InstructionId product, InstructionId user) {
  const Node& node = graph.node(user);
  const Instruction& here = graph.instruction(user);
  if (here.region != graph.instruction(product).region || here.resultCount != 1)
    return Next::kStops;
  if (graph.endsProduct(user).valid()) return Next::kStops;
  const bool moves = node.work == WorkKind::kTranspose || node.role == Role::kView;
  if (moves) return Next::kPasses;
  if (node.role == Role::kReduce) return Next::kEnds;
  return node.role == Role::kLoop && node.work == WorkKind::kElementwise ? Next::kEnds
                                                                         : Next::kStops;
}

// K13. The last in the chain of loops that alone read a product; the product itself if there is
// none.
InstructionId endOf(const Graph& graph, InstructionId product) {
  InstructionId end = product;
  for (InstructionId at = product;;) {
    const LocalId made = graph.instruction(at).firstResult;
    const auto users = graph.usersOf(made);
    if (users.size() != 1 || graph.escapes[made.index()]) return end;
    const Next next = nextAfter(graph, product, users[0]);
    if (next == Next::kStops) return end;
    at = users[0];
    if (next == Next::kEnds) end = at;
    if (graph.node(at).role == Role::kReduce) return end;
  }
}

// K13. On TPUs what alone reads a product is made where it comes out of the matrix unit: the loop
// is the kernel, and the product is made in it.
void endProducts(Graph& graph) {
  const auto count = static_cast<uint32_t>(graph.nodes.size());
  graph.ends.resize(count);
  for (uint32_t n = 0; n < count; ++n) {
    const InstructionId product(n);
    if (graph.node(product).role != Role::kKernel || !isProduct(graph, product)) continue;
    const InstructionId end = endOf(graph, product);
    if (end == product) continue;
    graph.ends[end.index()] = product;
    graph.nodes[n].role = Role::kLoop;
  }
}

bool isProductInside(const Node& node) {
  return node.role == Role::kLoop && node.work == WorkKind::kContraction;
}

// The operand of an addition that a product makes, for it alone, and that can be added to the other
// one where that lies; -1 if there is none.
int productBeside(const Graph& graph, InstructionId id) {
  const auto operands = graph.operandsOf(graph.instruction(id));
  const program::RegionId region = graph.instruction(id).region;
  const auto isAlone = [&](LocalId operand) {
    return graph.usersOf(operand).size() == 1 && !graph.escapes[operand.index()];
  };
  const auto isProduct = [&](LocalId operand) {
    const InstructionId maker = graph.spmd->locals[operand].definition;
    const Node& node = graph.node(maker);
    return node.role == Role::kKernel && node.work == WorkKind::kContraction &&
           graph.instruction(maker).region == region;
  };
  const auto canTake = [&](LocalId operand) {
    const InstructionId maker = graph.spmd->locals[operand].definition;
    const Node& node = graph.node(maker);
    const bool there = node.role != Role::kNone && node.role != Role::kSource &&
                       node.role != Role::kConstant && node.role != Role::kView &&
                       node.work != WorkKind::kBroadcast;
    return there && graph.instruction(maker).region == region;
  };
  if (!isAlone(operands[0]) || !isAlone(operands[1])) return -1;
  if (isProduct(operands[0]) && canTake(operands[1])) return 0;
  return isProduct(operands[1]) && canTake(operands[0]) ? 1 : -1;
}

// K12. What a product makes for an addition alone is added to the other term where that lies: the
// addition is the kernel, and the product is made in it.
void addInProducts(Graph& graph) {
  const auto count = static_cast<uint32_t>(graph.nodes.size());
  for (uint32_t n = 0; n < count; ++n) {
    Node& node = graph.nodes[n];
    if (node.role != Role::kLoop || !node.adds) continue;
    const int product = productBeside(graph, InstructionId(n));
    if (product < 0) continue;
    const size_t first = graph.instruction(InstructionId(n)).operandsBegin;
    if (product == 0) std::swap(graph.operands[first], graph.operands[first + 1]);
    const LocalId made = graph.operands[first + 1];
    graph.nodes[graph.spmd->locals[made].definition.index()].role = Role::kLoop;
    node.role = Role::kUpdate;
    node.updates = 1;
  }
}

// Shared scratch of oneDeviceProgram.
class OneDevice {
 public:
  explicit OneDevice(const plan::Subject& subject) : subject_(subject) {}

  spmd::SpmdProgram make() && {
    const program::Program& program = subject_.program;
    spmd_.types = program.types();
    spmd_.assignment = plan::Assignment(subject_);
    spmd_.locals.reserve(program.valueCount());
    spmd_.instructions.reserve(program.opCount());
    for (size_t n = 0; n < program.opCount(); ++n) addOp(OpId(n));
    addEnds();
    return std::move(spmd_);
  }

 private:
  // Values are numbered in the order of their definitions, so a value's local has its number.
  static LocalId local(program::ValueId value) { return LocalId(value.index()); }

  void addOp(OpId op) {
    const program::Program& program = subject_.program;
    Instruction instruction;
    instruction.op = op;
    instruction.region = program.op(op).region;
    instruction.operandsBegin = static_cast<uint32_t>(spmd_.operands.size());
    instruction.operandCount = static_cast<uint16_t>(program.operands(op).size());
    instruction.firstResult = LocalId(spmd_.locals.size());
    instruction.resultCount = static_cast<uint16_t>(program.resultCount(op));
    for (const program::ValueId value : program.operands(op))
      spmd_.operands.push_back(local(value));
    for (uint32_t r = 0; r < program.resultCount(op); ++r) addLocal(program.result(op, r));
    spmd_.instructions.push(instruction);
  }

  void addLocal(program::ValueId value) {
    SW_CHECK(value.index() == spmd_.locals.size());
    const program::TypeId type = subject_.program.value(value).type;
    spmd_.locals.push({.value = value,
                       .layout = spmd_.layouts.whole(static_cast<size_t>(spmd_.types.rank(type))),
                       .type = type,
                       .definition = spmd_.instructions.nextId()});
  }

  void addEnds() {
    const program::Program& program = subject_.program;
    for (size_t n = 0; n < program.regionCount(); ++n) {
      std::vector<LocalId>& yields = spmd_.yields[spmd_.yields.push({})];
      for (const program::ValueId value : program.region(program::RegionId(n)).yields) {
        yields.push_back(local(value));
      }
    }
    for (const program::Argument& argument : program.arguments()) {
      spmd_.arguments.push_back(local(argument.value));
    }
    for (const program::ProgramResult& result : program.results()) {
      spmd_.results.push_back(local(program.operands(result.returnOp)[0]));
    }
  }

  const plan::Subject& subject_;
  spmd::SpmdProgram spmd_;
};

// A constant, or one number repeated: made where it is read, or once for each loop that begins with
// it.
bool isMadeInPassing(const spmd::SpmdProgram& spmd, const Instruction& instruction) {
  return std::ranges::all_of(spmd.operandsOf(instruction), [&](LocalId operand) {
    const Instruction& maker = spmd.instructions[spmd.locals[operand].definition];
    return maker.operandCount == 0 && spmd.types.rank(spmd.locals[operand].type) == 0;
  });
}

}  // namespace

Graph makeGraph(const plan::Subject& subject, const spmd::SpmdProgram& spmd,
                const IdVector<program::SignatureId, rules::Work>& work, Flavor flavor,
                std::span<const char> mayRepeat) {
  Graph graph;
  graph.subject = &subject;
  graph.spmd = &spmd;
  graph.flavor = flavor;
  graph.nodes.resize(spmd.instructions.size());
  Nodes nodes(subject, spmd, work, flavor);
  Node* node = graph.nodes.data();
  for (const Instruction& instruction : spmd.instructions) {
    *node++ =
        instruction.kind == Kind::kCompute ? nodes.of(instruction) : addedNode(spmd, instruction);
  }
  Repetitions(graph, work, mayRepeat).find();
  listUsers(graph);
  markEscapes(graph);
  if (flavor == Flavor::kTpu) selectInstead(graph);
  updateInPlace(graph);
  if (flavor == Flavor::kGpu) addInProducts(graph);
  if (flavor == Flavor::kTpu) endProducts(graph);
  return graph;
}

bool isProduct(const Graph& graph, InstructionId id) {
  const WorkKind work = graph.node(id).work;
  if (work == WorkKind::kContraction) return true;
  return work == WorkKind::kWindow && convolution(graph, graph.instruction(id).op) != nullptr;
}

InstructionId productOf(const Graph& graph, InstructionId root) {
  const Node& node = graph.node(root);
  if (node.work == WorkKind::kContraction) return root;
  if (graph.endsProduct(root).valid()) return graph.endsProduct(root);
  if (node.role != Role::kUpdate || node.work != WorkKind::kElementwise) return {};
  const LocalId added = graph.operandsOf(graph.instruction(root))[1];
  const InstructionId maker = graph.spmd->locals[added].definition;
  return isProductInside(graph.node(maker)) ? maker : InstructionId();
}

std::vector<char> repeatedOps(const Graph& oneDevice) {
  const spmd::SpmdProgram& spmd = *oneDevice.spmd;
  const auto maker = [&](LocalId id) { return spmd.locals[id].definition.index(); };
  std::vector<char> repeats(spmd.instructions.size(), 0), matters(spmd.instructions.size(), 0);
  for (uint32_t n = 0; n < oneDevice.canonical.size(); ++n) {
    if (oneDevice.canonical[n] == LocalId(n)) continue;
    repeats[maker(LocalId(n))] = repeats[maker(oneDevice.canonical[n])] = 1;
  }
  // From the last to the first, so that what matters is known of all readers.
  std::vector<char> repeated(oneDevice.subject->program.opCount(), 0);
  for (size_t n = spmd.instructions.size(); n-- > 0;) {
    const Instruction& instruction = spmd.instructions[InstructionId(n)];
    if (!repeats[n] || (isMadeInPassing(spmd, instruction) && !matters[n])) continue;
    repeated[instruction.op.index()] = 1;
    for (const LocalId operand : spmd.operandsOf(instruction)) matters[maker(operand)] = 1;
  }
  return repeated;
}

spmd::SpmdProgram oneDeviceProgram(const plan::Subject& subject) {
  return OneDevice(subject).make();
}

}  // namespace shardwright::cost
