#include "shardwright/cost/fusion.h"

#include <algorithm>
#include <array>

namespace shardwright::cost {
namespace {

using program::RegionId;
using rules::WorkKind;
using spmd::Instruction;
using spmd::InstructionId;
using spmd::LocalId;

// The kernels that read a value, as part of their loops. More than kMost are as good as many.
class Readers {
 public:
  static constexpr uint32_t kMost = 12;

  void add(uint32_t kernel) {
    if (count_ > kMost || contains(kernel)) return;
    if (count_ < kMost) kernels_[count_] = kernel;
    ++count_;
  }
  void add(const Readers& others) {
    for (uint32_t n = 0; n < std::min(others.count_, kMost); ++n) add(others.kernels_[n]);
    if (others.count_ > kMost) count_ = kMost + 1;
  }
  bool contains(uint32_t kernel) const {
    const auto end = kernels_.begin() + std::min(count_, kMost);
    return std::find(kernels_.begin(), end, kernel) != end;
  }
  bool containsAll(const Readers& others) const {
    if (others.count_ > kMost) return false;
    return std::all_of(others.kernels_.begin(), others.kernels_.begin() + others.count_,
                       [&](uint32_t kernel) { return contains(kernel); });
  }
  uint32_t count() const { return count_; }
  template <typename Predicate>
  bool any(const Predicate& predicate) const {
    return std::any_of(kernels_.begin(), kernels_.begin() + std::min(count_, kMost), predicate);
  }

 private:
  uint32_t count_ = 0;
  std::array<uint32_t, kMost> kernels_;
};

// How a backend fuses.
struct Habits {
  bool weighsBytes = true;         // K5 as it stands; else only what needs next to nothing is repeated.
  bool copiesForMatmuls = false;   // K8 for hosts.
};

Habits habitsOf(Flavor flavor) {
  switch (flavor) {
    case Flavor::kGpu:
    case Flavor::kTpu:
      return {};
    case Flavor::kCpu:
      break;
  }
  return {.weighsBytes = false, .copiesForMatmuls = true};
}

// Whether the dims of a contraction's operand stand as a host wants them: those of the batch, then
// rows and depth (or depth and columns for the right side).
bool standsAsWanted(const rules::Rule& rule, size_t operand) {
  enum Group : uint8_t { kBatch, kFirst, kSecond };
  const size_t other = 1 - operand, result = rule.operandCount();
  const auto shows = [&](size_t tensor, rules::FactorId factor) {
    for (size_t d = 0; d < rule.rank(tensor); ++d) {
      for (const rules::FactorId f : rule.dim(tensor, d)) {
        if (f == factor) return true;
      }
    }
    return false;
  };
  std::vector<Group> groups;
  for (size_t d = 0; d < rule.rank(operand); ++d) {
    for (const rules::FactorId f : rule.dim(operand, d)) {
      const bool depth = !shows(result, f);
      const bool batch = !depth && shows(other, f);
      groups.push_back(batch ? kBatch : depth == (operand == 0) ? kSecond : kFirst);
    }
  }
  const bool plainMatrix = groups.size() <= 2 && std::find(groups.begin(), groups.end(), kBatch) == groups.end();
  return plainMatrix || std::is_sorted(groups.begin(), groups.end());
}

// Whether a contraction has a dim that both sides and the result show.
bool isBatched(const rules::Rule& rule) {
  std::vector<uint32_t> shown(rule.factorCount(), 0);
  for (size_t t = 0; t < rule.tensorCount(); ++t) {
    for (size_t d = 0; d < rule.rank(t); ++d) {
      for (const rules::FactorId f : rule.dim(t, d)) ++shown[f.index()];
    }
  }
  return std::any_of(shown.begin(), shown.end(), [](uint32_t tensors) { return tensors == 3; });
}

// Less than this is a number or two, wherever it is needed.
constexpr int64_t kSmallBytes = 64;

class Fuser {
 public:
  Fuser(const Graph& graph, Flavor flavor)
      : graph_(graph),
        spmd_(*graph.spmd),
        habits_(habitsOf(flavor)),
        stored_(graph.escapes),
        readers_(spmd_.locals.size()),
        view_(spmd_.instructions.size(), 0),
        isRoot_(spmd_.instructions.size(), 0) {}

  Fusion make() && {
    for (size_t n = spmd_.instructions.size(); n-- > 0;) decide(InstructionId(n));
    nameBuffers();
    listKernels();
    return std::move(fusion_);
  }

 private:
  const Instruction& instruction(InstructionId id) const { return spmd_.instructions[id]; }
  const Node& node(InstructionId id) const { return graph_.node(id); }
  InstructionId definition(LocalId id) const { return spmd_.locals[id].definition; }

  // --- who is stored, from the last instruction to the first ---

  void decide(InstructionId id) {
    const Instruction& here = instruction(id);
    switch (node(id).role) {
      case Role::kNone:
      case Role::kTie:
      case Role::kBarrier:
        return storeOperands(id, 0, here.operandCount);
      case Role::kView:
        return passOn(id);
      case Role::kSource:
        isRoot_[id.index()] = stored(here);
        return;
      case Role::kConstant:
      case Role::kRepeated:
        return;
      case Role::kLoop:
        return decideLoop(id);
      case Role::kReduce:
        isRoot_[id.index()] = used(here);
        return feed(id, 0, alone(id));
      case Role::kUpdate:
        isRoot_[id.index()] = 1;
        storeOperands(id, 0, node(id).updates);
        return feed(id, node(id).updates, alone(id));
      case Role::kKernel:
      case Role::kCollective:
        isRoot_[id.index()] = 1;
        return storeOperands(id, 0, here.operandCount);
    }
  }

  bool stored(const Instruction& here) const {
    for (uint16_t r = 0; r < here.resultCount; ++r) {
      if (stored_[spmd_.result(here, r).index()]) return true;
    }
    return false;
  }
  bool used(const Instruction& here) const {
    for (uint16_t r = 0; r < here.resultCount; ++r) {
      const LocalId result = spmd_.result(here, r);
      if (stored_[result.index()] || readers_[result.index()].count() > 0) return true;
    }
    return false;
  }

  static Readers alone(InstructionId id) {
    Readers readers;
    readers.add(id.index());
    return readers;
  }

  void store(LocalId id) { stored_[id.index()] = 1; }
  void storeOperands(InstructionId id, size_t begin, size_t end) {
    for (size_t n = begin; n < end; ++n) store(graph_.operandsOf(instruction(id))[n]);
  }

  // The operands from `begin` on are read by these kernels. What comes from another region is stored.
  void feed(InstructionId id, size_t begin, const Readers& readers) {
    const Instruction& here = instruction(id);
    const auto operands = graph_.operandsOf(here);
    for (size_t n = begin; n < operands.size(); ++n) {
      readers_[operands[n].index()].add(readers);
      if (instruction(definition(operands[n])).region != here.region) store(operands[n]);
    }
  }

  // K1.
  void passOn(InstructionId id) {
    const Instruction& here = instruction(id);
    view_[id.index()] = 1;
    const LocalId result = spmd_.result(here);
    if (stored_[result.index()]) store(graph_.operandsOf(here)[0]);
    feed(id, 0, readers_[result.index()]);
  }

  void decideLoop(InstructionId id) {
    const Instruction& here = instruction(id);
    if (isFolded(id)) {
      store(graph_.operandsOf(here)[0]);
      return passOn(id);
    }
    if (!used(here)) return;
    const Readers readers = readers_[spmd_.result(here).index()];
    if (here.resultCount > 1 || stored(here) || !canRepeat(id, readers)) {
      isRoot_[id.index()] = 1;
      store(spmd_.result(here));
      return feed(id, 0, alone(id));
    }
    feed(id, 0, readers);
  }

  // K4, K5.
  bool canRepeat(InstructionId id, const Readers& readers) const {
    if (readers.count() == 1) return true;
    if (!habits_.weighsBytes) return isCheap(id) && !sharedWithLibrary(id, readers);
    const double extra = static_cast<double>(readers.count()) - 1;
    const double written = static_cast<double>(wholeBytes(spmd_.result(instruction(id))));
    return extra * static_cast<double>(bytesToReadAgain(id, readers)) <= (extra + 2) * written;
  }

  // Whether what has to be read is small beside what is made.
  bool isCheap(InstructionId id) const {
    int64_t bytes = 0;
    for (const LocalId operand : graph_.operandsOf(instruction(id))) bytes += bytesBehind(operand);
    return 8 * bytes <= wholeBytes(spmd_.result(instruction(id)));
  }

  // A host's library takes a reduction with the loops before it, and a batched product with the loops
  // after it. What such a kernel shares with others is a buffer, even a broadcast; not so a constant.
  bool sharedWithLibrary(InstructionId id, const Readers& readers) const {
    if (bytesBehind(spmd_.result(instruction(id))) <= kSmallBytes) return false;
    const auto isReduction = [&](uint32_t reader) {
      return node(InstructionId(reader)).role == Role::kReduce;
    };
    if (readers.any(isReduction)) return true;
    const auto users = graph_.usersOf(spmd_.result(instruction(id)));
    return std::any_of(users.begin(), users.end(),
                       [&](InstructionId user) { return followsBatchedProduct(user); });
  }

  bool followsBatchedProduct(InstructionId id) const {
    const auto operands = graph_.operandsOf(instruction(id));
    return std::any_of(operands.begin(), operands.end(), [&](LocalId operand) {
      const InstructionId maker = definition(operand);
      return node(maker).work == WorkKind::kContraction &&
             isBatched(graph_.subject->rule(instruction(maker).op));
    });
  }

  // Of the operands, without what those kernels read anyway.
  int64_t bytesToReadAgain(InstructionId id, const Readers& readers) const {
    const auto operands = graph_.operandsOf(instruction(id));
    int64_t bytes = 0;
    for (size_t n = 0; n < operands.size(); ++n) {
      const bool twice = std::find(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(n),
                                   operands[n]) != operands.begin() + static_cast<std::ptrdiff_t>(n);
      const bool readAnyway = readers_[operands[n].index()].containsAll(readers);
      if (!twice && !readAnyway) bytes += bytesBehind(operands[n]);
    }
    return bytes;
  }

  // What has to be read to make a value: of a broadcast, its operand.
  int64_t bytesBehind(LocalId id) const {
    const InstructionId maker = definition(id);
    if (node(maker).role == Role::kSource) return 0;
    const bool looksThrough = node(maker).role == Role::kView || node(maker).work == WorkKind::kBroadcast;
    return looksThrough ? bytesBehind(graph_.operandsOf(instruction(maker))[0]) : wholeBytes(id);
  }

  int64_t wholeBytes(LocalId id) const {
    const program::Program& program = graph_.subject->program;
    return program.types().bytes(program.value(spmd_.locals[id].value).type);
  }

  // K8.
  bool isFolded(InstructionId id) const {
    if (node(id).work != WorkKind::kTranspose) return false;
    const Instruction& here = instruction(id);
    const LocalId result = spmd_.result(here);
    const auto isContraction = [&](InstructionId user) {
      return node(user).work == WorkKind::kContraction;
    };
    const auto users = graph_.usersOf(result);
    if (!graph_.escapes[result.index()] && !users.empty() &&
        std::all_of(users.begin(), users.end(), isContraction)) {
      return true;
    }
    const LocalId operand = graph_.operandsOf(here)[0];
    return isContraction(definition(operand)) && graph_.usersOf(operand).size() == 1;
  }

  // --- buffers and kernels, from the first instruction to the last ---

  void nameBuffers() {
    fusion_.buffer.assign(spmd_.locals.size(), LocalId());
    for (size_t n = 0; n < spmd_.instructions.size(); ++n) {
      const InstructionId id(n);
      const Instruction& here = instruction(id);
      for (uint16_t r = 0; r < here.resultCount; ++r) {
        const LocalId result = spmd_.result(here, r);
        fusion_.buffer[result.index()] = bufferOf(id, result);
      }
    }
  }

  LocalId bufferOf(InstructionId id, LocalId result) const {
    const Instruction& here = instruction(id);
    const LocalId first = graph_.canonical[result.index()];
    if (first != result) return fusion_.buffer[first.index()];
    if (view_[id.index()] || node(id).role == Role::kBarrier) {
      return fusion_.buffer[graph_.operandsOf(here)[0].index()];
    }
    switch (node(id).role) {
      case Role::kTie:  // All results of a carry are one buffer.
        return here.firstResult;
      case Role::kNone:
      case Role::kConstant:
        return result;
      default:
        return isRoot_[id.index()] ? result : LocalId();
    }
  }

  void listKernels() {
    fusion_.kernelOf.assign(spmd_.instructions.size(), KernelId());
    seen_.assign(spmd_.instructions.size(), {});
    for (size_t n = 0; n < spmd_.instructions.size(); ++n) {
      if (isRoot_[n]) fusion_.kernelOf[n] = addKernel(InstructionId(n));
    }
  }

  KernelId addKernel(InstructionId root) {
    Kernel kernel{.root = root, .region = instruction(root).region};
    kernel.inputs.begin = static_cast<uint32_t>(fusion_.inputs.size());
    const bool pointwise = node(root).role == Role::kLoop || node(root).role == Role::kUpdate;
    visit(kernel, root, {pointwise, elements(instruction(root).firstResult)});
    kernel.inputs.end = static_cast<uint32_t>(fusion_.inputs.size());
    if (habits_.copiesForMatmuls && node(root).work == WorkKind::kContraction) markCopied(root);
    return fusion_.kernels.push(kernel);
  }

  void markCopied(InstructionId root) {
    const auto operands = graph_.operandsOf(instruction(root));
    const rules::Rule& rule = graph_.subject->rule(instruction(root).op);
    for (size_t n = 0; n < std::min<size_t>(operands.size(), 2); ++n) {
      if (standsAsWanted(rule, n)) continue;
      const LocalId buffer = fusion_.buffer[operands[n].index()];
      for (auto input = fusion_.inputs.rbegin(); input != fusion_.inputs.rend(); ++input) {
        if (input->buffer != buffer) continue;
        input->copied = true;
        break;
      }
    }
  }

  // How a kernel needs a value: each point for its own point only, and how many points.
  struct Need {
    bool pointwise = false;
    int64_t points = 0;
  };

  int64_t elements(LocalId id) const { return spmd_.types.elements(spmd_.locals[id].type); }

  // Adds an op to a kernel, and the loops that feed it.
  void visit(Kernel& kernel, InstructionId id, Need need) {
    const auto number = static_cast<uint32_t>(fusion_.kernels.size()) + 1;
    Seen& seen = seen_[id.index()];
    const bool again = seen.kernel == number;
    if (again && (need.pointwise || !seen.pointwise)) return;
    if (!again) addWork(kernel, node(id));
    seen = {number, need.pointwise};
    const auto operands = graph_.operandsOf(instruction(id));
    for (size_t n = 0; n < operands.size(); ++n) {
      visitOperand(kernel, operands[n], operandNeed(id, n, need));
    }
  }

  static void addWork(Kernel& kernel, const Node& node) {
    if (node.role != Role::kLoop && node.role != Role::kReduce) return;
    kernel.loopFlops += node.flops;
    kernel.loopWork += node.flops * (node.expensive ? kExpensiveFlops : 1);
  }

  Need operandNeed(InstructionId id, size_t operand, Need need) const {
    const Node& here = node(id);
    const int64_t all = elements(graph_.operandsOf(instruction(id))[operand]);
    if (here.role == Role::kUpdate) {
      // What is updated in place is not read.
      return operand < here.updates ? Need{need.pointwise, 0} : Need{false, all};
    }
    if (here.role == Role::kLoop || view_[id.index()]) {
      const bool keeps = view_[id.index()] || here.work == WorkKind::kElementwise;
      return {need.pointwise && keeps, std::min(all, need.points)};
    }
    return {false, all};
  }

  void visitOperand(Kernel& kernel, LocalId operand, Need need) {
    const LocalId buffer = fusion_.buffer[operand.index()];
    if (!buffer.valid()) return visit(kernel, definition(operand), need);
    const int bits = program::bitWidth(spmd_.types.dtype(spmd_.locals[buffer].type));
    const int64_t read = (need.points * bits + 7) / 8;
    for (uint32_t n = kernel.inputs.begin; n < fusion_.inputs.size(); ++n) {
      KernelInput& input = fusion_.inputs[n];
      if (input.buffer != buffer) continue;
      input.pointwise &= need.pointwise;
      input.read = std::max(input.read, read);
      return;
    }
    fusion_.inputs.push_back({buffer, need.pointwise, read});
  }

  struct Seen {
    uint32_t kernel = 0;  // Number of the kernel + 1.
    bool pointwise = false;
  };

  const Graph& graph_;
  const spmd::SpmdProgram& spmd_;
  Habits habits_;
  std::vector<char> stored_;      // Per local: must be a buffer.
  std::vector<Readers> readers_;  // Per local.
  std::vector<char> view_;        // Per instruction.
  std::vector<char> isRoot_;      // Per instruction.
  std::vector<Seen> seen_;        // Per instruction: the kernel that visited it last.
  Fusion fusion_;
};

}  // namespace

Fusion fuse(const Graph& graph, Flavor flavor) { return Fuser(graph, flavor).make(); }

}  // namespace shardwright::cost
