#include "shardwright/cost/fusion.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "shardwright/cost/host_matmul.h"
#include "shardwright/cost/host_repeats.h"
#include "shardwright/cost/launch.h"
#include "shardwright/cost/padded_images.h"
#include "shardwright/cost/patterns.h"
#include "shardwright/cost/readers.h"

namespace shardwright::cost {
namespace {

using program::RegionId;
using rules::WorkKind;
using spmd::Instruction;
using spmd::InstructionId;
using spmd::LocalId;

// How a backend fuses.
struct Habits {
  bool weighsBytes = true;        // K5 as it stands; else that for hosts.
  bool copiesForMatmuls = false;  // K8 for hosts.
  bool padsImages = false;        // K11; and copies for stacks of products (K8).
  bool rowKernels = false;        // K10.
  bool slowTransposes = false;    // T2.
  bool fusesProducts = false;     // K13.
};

Habits habitsOf(Flavor flavor) {
  switch (flavor) {
    case Flavor::kGpu:
      return {.padsImages = true, .rowKernels = true, .slowTransposes = true};
    case Flavor::kTpu:
      return {.fusesProducts = true};
    case Flavor::kCpu:
      break;
  }
  return {.weighsBytes = false, .copiesForMatmuls = true};
}

// Cycles of all lanes in the time in which a byte is read: an H200 runs 132 x 128 lanes, two
// operations a cycle, at 1.98 GHz and reads 4.8 TB/s. Other GPUs lie between 10 and 20.
constexpr double kCyclesPerByte = 14;

// GPUs add words of 32 bits and more in place; a smaller number is read, added to and swapped, as
// often as it takes (T4).
constexpr double kSwapsPerUpdate = 4;

// Up to so many rows XLA rather keeps the exponentials of a softmax (K10). Found by compiling
// attention of 32768 to 131072 rows and 27 lengths of row, of three pairs of types: with 65536 rows
// exponentials in a wider type than the scores are kept, with 67584 they are not.
constexpr int64_t kFewRows = 65536;

// The softmax and its sum are two readers, those of its gradient two more; with one of these, as
// where somebody sums the squares of the exponentials, XLA makes them again.
constexpr uint32_t kManyReaders = 4;

// Less than this is a number or two, wherever it is needed.
constexpr int64_t kSmallBytes = 64;

class Fuser {
 public:
  Fuser(const Graph& graph, Flavor flavor)
      : graph_(graph),
        spmd_(*graph.spmd),
        habits_(habitsOf(flavor)),
        manyRegions_(graph.subject->program.regionCount() > 1),
        stored_(graph.escapes),
        hostRepeats_(graph, stored_),
        readers_(spmd_.locals.size()),
        view_(spmd_.instructions.size(), 0),
        isRoot_(spmd_.instructions.size(), 0) {}

  Fusion make() && {
    findBytesBehind();
    for (auto n = static_cast<uint32_t>(spmd_.instructions.size()); n-- > 0;) {
      decide(InstructionId(n));
      forgetReaders(InstructionId(n));
    }
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
        return decideUpdate(id);
      case Role::kKernel:
        isRoot_[id.index()] = 1;
        if (fusesInto(id)) return feed(id, 0, alone(id));
        return storeOperands(id, 0, here.operandCount);
      case Role::kCollective:
        isRoot_[id.index()] = 1;
        return storeOperands(id, 0, here.operandCount);
    }
  }

  // K13: whether loops that feed an op become part of it though it is a product.
  bool fusesInto(InstructionId id) const { return habits_.fusesProducts && isProduct(graph_, id); }

  // K7.
  void decideUpdate(InstructionId id) {
    isRoot_[id.index()] = 1;
    const bool alone = habits_.copiesForMatmuls && node(id).scatters;
    const size_t buffers = alone ? instruction(id).operandCount : node(id).updates;
    storeOperands(id, 0, buffers);
    feed(id, buffers, Fuser::alone(id));
  }

  // All users of a value come after its definition, but for carries, which need no readers.
  void forgetReaders(InstructionId id) {
    const Instruction& here = instruction(id);
    for (uint16_t r = 0; r < here.resultCount; ++r) readers_.forget(spmd_.result(here, r));
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
      if (stored_[result.index()] || readers_[result].count() > 0) return true;
    }
    return false;
  }

  static Readers alone(InstructionId id) {
    Readers readers;
    readers.add(Reader{.kernel = id.index(), .path = 0, .share = 1});
    return readers;
  }

  void store(LocalId id) { stored_[id.index()] = 1; }
  void storeOperands(InstructionId id, size_t begin, size_t end) {
    for (size_t n = begin; n < end; ++n) store(graph_.operandsOf(instruction(id))[n]);
  }

  // The operands from `begin` on are read by these kernels. What comes from another region is
  // stored.
  void feed(InstructionId id, size_t begin, const Readers& readers) {
    const Instruction& here = instruction(id);
    const auto operands = graph_.operandsOf(here);
    const uint32_t path = pathThrough(id);
    for (size_t n = begin; n < operands.size(); ++n) {
      readers_.edit(operands[n]).add(readers, path, shareRead(id, operands[n]));
      if (comesFromOutside(operands[n], here.region)) store(operands[n]);
    }
  }

  bool comesFromOutside(LocalId id, RegionId region) const {
    return manyRegions_ && instruction(definition(id)).region != region;
  }

  // 0 if the op reads the same points that it makes. A reduction reads them in one order of its
  // own.
  uint32_t pathThrough(InstructionId id) const {
    const WorkKind work = node(id).work;
    const bool moves = work == WorkKind::kMovement || work == WorkKind::kReverse ||
                       work == WorkKind::kIndexing || work == WorkKind::kTranspose ||
                       work == WorkKind::kBroadcast || fusesInto(id);
    return moves && !isRoot_[id.index()] && !view_[id.index()] ? id.index() + 1 : 0;
  }

  // A slice or gather reads as many points as it makes.
  float shareRead(InstructionId id, LocalId operand) const {
    const WorkKind work = node(id).work;
    if (work != WorkKind::kMovement && work != WorkKind::kIndexing) return 1;
    const auto made = static_cast<float>(elements(spmd_.result(instruction(id))));
    const auto whole = static_cast<float>(elements(operand));
    return made < whole ? made / whole : 1;
  }

  // K1.
  void passOn(InstructionId id) {
    const Instruction& here = instruction(id);
    view_[id.index()] = 1;
    const LocalId result = spmd_.result(here);
    if (stored_[result.index()]) store(graph_.operandsOf(here)[0]);
    const Readers readers = readers_[result];  // A copy: feeding moves the lists.
    feed(id, 0, readers);
  }

  void decideLoop(InstructionId id) {
    const Instruction& here = instruction(id);
    if (isFolded(id) || isReversedKernel(id)) {
      if (!habits_.fusesProducts) store(graph_.operandsOf(here)[0]);
      return passOn(id);
    }
    if (!used(here)) return;
    const Readers readers = readers_[spmd_.result(here)];
    if (fusesInto(id)) return feed(id, 0, readers);
    // K12: made in its reader, and its operands must be buffers.
    if (node(id).work == WorkKind::kContraction) return storeOperands(id, 0, here.operandCount);
    if (graph_.endsProduct(id).valid()) {
      isRoot_[id.index()] = 1;
      store(spmd_.result(here));
      return feed(id, 0, alone(id));
    }
    const bool several = readers.count() > 1;
    if (here.resultCount > 1 || stored(here) || !canRepeat(id, readers) ||
        (several && isNorm(id, readers.count()))) {
      isRoot_[id.index()] = 1;
      store(spmd_.result(here));
      return feed(id, 0, alone(id));
    }
    feed(id, 0, readers);
  }

  // K10, of a value that so many kernels read. With what only changes its element type.
  bool isNorm(InstructionId id, uint32_t readers) const {
    if (!habits_.rowKernels) return false;
    if (beginsSoftmax(id, readers)) return true;
    const auto operands = graph_.operandsOf(instruction(id));
    if (operands.size() == 1 && graph_.usersOf(operands[0]).size() == 1 &&
        isNormalization(graph_, definition(operands[0]))) {
      return true;
    }
    if (!isNormalization(graph_, id)) return false;
    const auto users = graph_.usersOf(spmd_.result(instruction(id)));
    return users.size() != 1 || graph_.operandsOf(instruction(users[0])).size() != 1;
  }

  // The maximum taken away, or the exponential of that if it is all that is made of it.
  bool beginsSoftmax(InstructionId id, uint32_t readers) const {
    const LocalId result = spmd_.result(instruction(id));
    if (isOnlyNormalized(graph_, result)) return false;
    const auto users = graph_.usersOf(result);
    if (isShiftedByMaximum(graph_, id)) {
      return users.size() != 1 || graph_.operandsOf(instruction(users[0])).size() != 1;
    }
    const auto operands = graph_.operandsOf(instruction(id));
    return operands.size() == 1 && readers >= kManyReaders &&
           graph_.usersOf(operands[0]).size() == 1 &&
           isShiftedByMaximum(graph_, definition(operands[0])) && isDearToRepeat(operands[0]);
  }

  // Whether XLA keeps the exponential of scores less their maximum. Its kernels for rows work on
  // powers of two, so what a row lacks of one is what making it again takes more. Else K5 decides.
  bool isDearToRepeat(LocalId shifted) const {
    const LocalId scores = graph_.operandsOf(instruction(definition(shifted)))[0];
    const program::TypeId type = spmd_.locals[shifted].type;
    const auto row = static_cast<uint64_t>(spmd_.types.shape(type).back());
    const double waste = static_cast<double>(std::bit_ceil(row)) / static_cast<double>(row);
    const bool few = elements(shifted) <= kFewRows * static_cast<int64_t>(row);
    if (4 * bytesBehind(scores) <= 3 * wholeBytes(scores)) return few || waste > 1.1;
    const bool wide = program::bitWidth(spmd_.types.dtype(type)) >= 32;
    return wide && waste > (few ? 1.2 : 1.5);
  }

  // K4, K5.
  bool canRepeat(InstructionId id, const Readers& readers) const {
    if (readers.count() == 1 && !readers.tooMany()) return true;
    if (!habits_.weighsBytes) return isRepeatedOnHosts(id, readers);
    if (readers.tooMany()) return isCheap(id);
    const double extra = readers.copies() - 1;
    const double written = static_cast<double>(wholeBytes(spmd_.result(instruction(id))));
    const double again = static_cast<double>(bytesToReadAgain(id, readers)) + computeBytes(id);
    return extra * again <= (extra + 2) * written;
  }

  bool isRepeatedOnHosts(InstructionId id, const Readers& readers) const {
    if (isDearOnHosts(node(id)) || sharedWithLibrary(id, readers)) return false;
    return isCheap(id) || (!readers.tooMany() && hostRepeats_.mayRepeat(id));
  }

  // The bytes that could be moved in the time by which an op's arithmetic exceeds the reading and
  // writing of its points.
  double computeBytes(InstructionId id) const {
    const LocalId result = spmd_.result(instruction(id));
    const program::Program& program = graph_.subject->program;
    const program::TypeId type = program.value(spmd_.locals[result].value).type;
    const auto points = static_cast<double>(program.types().elements(type));
    const double moved = 2 * static_cast<double>(wholeBytes(result));
    return std::max(0.0, points * node(id).cycles / kCyclesPerByte - moved);
  }

  // Whether what has to be read is small beside what is made.
  bool isCheap(InstructionId id) const {
    return 8 * bytesRead(id) <= wholeBytes(spmd_.result(instruction(id)));
  }
  int64_t bytesRead(InstructionId id) const {
    int64_t bytes = 0;
    for (const LocalId operand : graph_.operandsOf(instruction(id)))
      bytes += bytesRead(id, operand);
    return bytes;
  }
  int64_t bytesRead(InstructionId id, LocalId operand) const {
    return static_cast<int64_t>(shareRead(id, operand) * static_cast<float>(bytesBehind(operand)));
  }

  // A host's library takes a reduction with the loops around it and, beyond those, with a stack of
  // products. What such a kernel shares with others is a buffer, even a broadcast; not so a
  // constant.
  bool sharedWithLibrary(InstructionId id, const Readers& readers) const {
    if (bytesBehind(spmd_.result(instruction(id))) <= kSmallBytes) return false;
    const auto isReduction = [&](const Reader& reader) {
      return node(InstructionId(reader.kernel)).role == Role::kReduce;
    };
    if (std::any_of(readers.begin(), readers.end(), isReduction)) return true;
    return hostRepeats_.isSharedWithLibrary(id);
  }

  static bool isNamedBefore(std::span<const LocalId> operands, size_t n) {
    const auto end = operands.begin() + static_cast<std::ptrdiff_t>(n);
    return std::find(operands.begin(), end, operands[n]) != end;
  }

  // Of the operands, without what those kernels read anyway.
  int64_t bytesToReadAgain(InstructionId id, const Readers& readers) const {
    const auto operands = graph_.operandsOf(instruction(id));
    int64_t bytes = 0;
    for (size_t n = 0; n < operands.size(); ++n) {
      const bool readAnyway = readers_[operands[n]].containsAll(readers);
      if (!isNamedBefore(operands, n) && !readAnyway) bytes += bytesRead(id, operands[n]);
    }
    return bytes;
  }

  // What has to be read to make a value: of a broadcast, its operand; of what is made from such
  // values or from parts of others, all that those need.
  int64_t bytesBehind(LocalId id) const { return behind_[id.index()]; }

  void findBytesBehind() {
    behind_.assign(spmd_.locals.size(), 0);
    for (uint32_t n = 0; n < spmd_.instructions.size(); ++n) {
      const Instruction& here = instruction(InstructionId(n));
      for (uint16_t r = 0; r < here.resultCount; ++r) {
        const LocalId result = spmd_.result(here, r);
        behind_[result.index()] =
            std::min(wholeBytes(result), bytesBehindOperands(InstructionId(n)));
      }
    }
  }

  // No bound for what cannot be made where it is needed. Hosts look no further than broadcasts.
  int64_t bytesBehindOperands(InstructionId id) const {
    const Role role = node(id).role;
    if (role == Role::kSource) return 0;
    const bool looksThrough =
        habits_.weighsBytes ? role == Role::kLoop : node(id).work == WorkKind::kBroadcast;
    if (!looksThrough && role != Role::kView) return std::numeric_limits<int64_t>::max();
    const auto operands = graph_.operandsOf(instruction(id));
    int64_t bytes = 0;
    for (size_t n = 0; n < operands.size(); ++n) {
      if (!isNamedBefore(operands, n)) bytes += bytesBehind(operands[n]);
    }
    return bytes;
  }

  int64_t wholeBytes(LocalId id) const {
    const program::Program& program = graph_.subject->program;
    return program.types().bytes(program.value(spmd_.locals[id].value).type);
  }

  // K8.
  bool isFolded(InstructionId id) {
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
    const InstructionId maker = definition(operand);
    if (!isContraction(maker) || graph_.usersOf(operand).size() != 1) return false;
    return habits_.copiesForMatmuls || habits_.fusesProducts ||
           canWrite(instruction(maker).op, here.op);
  }

  // K11. The gradient of a convolution's input reads the kernel backwards, which the library can
  // do.
  bool isReversedKernel(InstructionId id) const {
    if (habits_.copiesForMatmuls || node(id).work != WorkKind::kReverse) return false;
    const Instruction& here = instruction(id);
    const LocalId result = spmd_.result(here);
    const auto isKernelOf = [&](InstructionId user) {
      return convolution(graph_, instruction(user).op) != nullptr &&
             graph_.operandsOf(instruction(user))[1] == result;
    };
    const auto users = graph_.usersOf(result);
    return !users.empty() && std::all_of(users.begin(), users.end(), isKernelOf) &&
           !graph_.escapes[result.index()];
  }

  // There are few pairs of a product and a transpose.
  bool canWrite(program::OpId product, program::OpId transpose) {
    const program::Program& program = graph_.subject->program;
    const auto pair = std::pair(program.op(product).signature, program.op(transpose).signature);
    const auto known = std::ranges::find(folds_, pair, &Fold::pair);
    if (known != folds_.end()) return known->possible;
    const plan::Subject& subject = *graph_.subject;
    folds_.push_back({pair, canWriteAs(subject.rule(product), subject.rule(transpose))});
    return folds_.back().possible;
  }

  // --- buffers and kernels, from the first instruction to the last ---

  void nameBuffers() {
    fusion_.buffer.assign(spmd_.locals.size(), LocalId());
    const auto count = static_cast<uint32_t>(spmd_.instructions.size());
    for (uint32_t n = 0; n < count; ++n) {
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
    fusion_.kernels.reserve(
        static_cast<size_t>(std::count(isRoot_.begin(), isRoot_.end(), char{1})));
    fusion_.inputs.reserve(spmd_.operands.size());
    const auto count = static_cast<uint32_t>(spmd_.instructions.size());
    for (uint32_t n = 0; n < count; ++n) {
      if (isRoot_[n]) fusion_.kernelOf[n] = addKernel(InstructionId(n));
    }
  }

  KernelId addKernel(InstructionId root) {
    Kernel kernel{.root = root, .region = instruction(root).region};
    kernel.inputs.begin = static_cast<uint32_t>(fusion_.inputs.size());
    const bool pointwise = node(root).role == Role::kLoop || node(root).role == Role::kUpdate;
    // A call into the host has no results.
    const bool hasResult = instruction(root).resultCount > 0;
    visit(kernel, root, {pointwise, hasResult ? elements(instruction(root).firstResult) : 0});
    kernel.inputs.end = static_cast<uint32_t>(fusion_.inputs.size());
    kernel.normalizes = node(root).role == Role::kLoop && isNorm(root, kManyReaders);
    if (habits_.copiesForMatmuls || habits_.padsImages) {
      if (node(root).work == WorkKind::kContraction) markCopies(root);
    }
    if (node(root).work == WorkKind::kWindow) markConvolution(root);
    return fusion_.kernels.push(kernel);
  }

  void markCopies(InstructionId root) {
    const auto operands = graph_.operandsOf(instruction(root));
    const rules::Rule& rule = graph_.subject->rule(instruction(root).op);
    for (size_t n = 0; n < std::min<size_t>(operands.size(), 2); ++n) {
      const bool stands =
          habits_.copiesForMatmuls ? standsAsWanted(rule, n) : isReadInPlace(rule, n);
      if (!stands) markCopied(operands[n]);
    }
  }

  // K11.
  void markConvolution(InstructionId root) {
    const program::ConvolutionAttrs* attrs = convolution(graph_, instruction(root).op);
    if (attrs == nullptr) return;
    const auto operands = graph_.operandsOf(instruction(root));
    if (habits_.copiesForMatmuls) {
      if (!imagesStandAsHostsWant(*attrs)) markCopied(operands[0]);
      if (!kernelStandsAsHostsWant(*attrs)) markCopied(operands[1]);
      return;
    }
    if (!habits_.padsImages) return;
    if (!readsKernelAsItLies(graph_, instruction(root))) markCopied(operands[1]);
    if (paddedImageBytes(graph_, instruction(root)) > 0) markCopied(operands[0]);
  }

  // In the kernel that is being made.
  void markCopied(LocalId operand) {
    const LocalId buffer = fusion_.buffer[operand.index()];
    for (auto input = fusion_.inputs.rbegin(); input != fusion_.inputs.rend(); ++input) {
      if (input->buffer != buffer) continue;
      input->copied = true;
      return;
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
    if (!again) {
      addWork(kernel, id, need);
      const bool turns = habits_.slowTransposes && node(id).work == WorkKind::kTranspose;
      kernel.transposes |= turns && transposesBatchedProduct(graph_, id);
    }
    seen = {number, need.pointwise};
    const auto operands = graph_.operandsOf(instruction(id));
    for (size_t n = 0; n < operands.size(); ++n) {
      visitOperand(kernel, operands[n], operandNeed(id, n, need));
    }
  }

  void addWork(Kernel& kernel, InstructionId id, Need need) const {
    const Node& here = node(id);
    const bool loops = here.role == Role::kLoop || here.role == Role::kReduce || here.scatters;
    if (!loops || isProduct(graph_, id)) return;
    kernel.loopFlops += here.flops;
    kernel.loopWork += here.effort == 1 ? here.flops : here.effort * pointsOf(id, need);
  }

  // T4.
  double pointsOf(InstructionId id, Need need) const {
    const Node& here = node(id);
    if (here.scatters) {
      const LocalId updates = graph_.operandsOf(instruction(id)).back();
      const int bits = program::bitWidth(spmd_.types.dtype(spmd_.locals[updates].type));
      const bool swaps = here.flops > 0 && bits < 32;
      return static_cast<double>(elements(updates)) * (swaps ? kSwapsPerUpdate : 1);
    }
    if (here.work != WorkKind::kIndexing) return here.flops;
    return static_cast<double>(std::min(elements(instruction(id).firstResult), need.points));
  }

  Need operandNeed(InstructionId id, size_t operand, Need need) const {
    const Node& here = node(id);
    const int64_t all = elements(graph_.operandsOf(instruction(id))[operand]);
    if (here.role == Role::kUpdate) {
      // What is updated in place is not read.
      return operand < here.updates ? Need{need.pointwise, 0} : Need{false, all};
    }
    const bool loops = here.role == Role::kLoop && !isProduct(graph_, id);
    if (loops || view_[id.index()]) {
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
    fusion_.inputs.push_back({.buffer = buffer, .pointwise = need.pointwise, .read = read});
  }

  struct Seen {
    uint32_t kernel = 0;  // Number of the kernel + 1.
    bool pointwise = false;
  };

  struct Fold {
    std::pair<program::SignatureId, program::SignatureId> pair;  // Product, transpose.
    bool possible;
  };

  const Graph& graph_;
  const spmd::SpmdProgram& spmd_;
  Habits habits_;
  bool manyRegions_;
  std::vector<char> stored_;  // Per local: must be a buffer.
  HostRepeats hostRepeats_;
  ReadersOfValues readers_;
  std::vector<int64_t> behind_;  // Per local: bytesBehind.
  std::vector<Fold> folds_;      // canWriteAs, as far as it was asked for.
  std::vector<char> view_;       // Per instruction.
  std::vector<char> isRoot_;     // Per instruction.
  std::vector<Seen> seen_;       // Per instruction: the kernel that visited it last.
  Fusion fusion_;
};

}  // namespace

Fusion fuse(const Graph& graph, Flavor flavor) {
  Fusion fusion = Fuser(graph, flavor).make();
  launchTogether(graph, fusion);
  return fusion;
}

}  // namespace shardwright::cost
