#include "shardwright/spmd/spmd_program.h"

namespace shardwright::spmd {

using program::OpId;
using program::RegionId;

const char* kindName(Kind kind) {
  static constexpr const char* kNames[] = {
      "compute",        "slice",      "mask",       "all_reduce",
      "reduce_scatter", "all_gather", "all_to_all", "collective_permute"};
  return kNames[static_cast<size_t>(kind)];
}

namespace {

class Verifier {
 public:
  Verifier(const SpmdProgram& spmd, const program::Program& program)
      : spmd_(spmd), program_(program) {}

  Status run() {
    for (uint32_t i = 0; i < spmd_.locals.size() && !error_; ++i) checkLocal(LocalId(i));
    for (uint32_t i = 0; i < spmd_.instructions.size() && !error_; ++i) {
      checkInstruction(InstructionId(i));
    }
    return error_;
  }

 private:
  void fail(OpId op, const std::string& message) {
    if (!error_) {
      error_ = Diagnostic{std::string(program_.name(op)) + ": " + message, program_.source(op), {}};
    }
  }

  void checkLocal(LocalId id) {
    const Local& local = spmd_.locals[id];
    const OpId op = spmd_.instructions[local.definition].op;
    const auto global = program_.shape(local.value);
    const auto shape = spmd_.types.shape(local.type);
    if (spmd_.layouts.rank(local.layout) != global.size() || shape.size() != global.size()) {
      return fail(op, "a local value has another rank than its value");
    }
    mesh::AxisSet seen = spmd_.layouts.partial(local.layout);
    for (size_t d = 0; d < global.size(); ++d) {
      const mesh::AxisList axes = spmd_.layouts.dim(local.layout, d);
      if (seen.meets(axes.set())) return fail(op, "an axis stands twice in a layout");
      seen = seen | axes.set();
      if (shape[d] * mesh::deviceCount(spmd_.mesh, axes) != global[d]) {
        return fail(op, "dim " + std::to_string(d) + " of size " + std::to_string(global[d]) +
                            " is " + std::to_string(shape[d]) + " on each of " +
                            std::to_string(mesh::deviceCount(spmd_.mesh, axes)) + " devices");
      }
    }
  }

  // A carry's second operand comes from its own loop.
  void checkInstruction(InstructionId id) {
    const Instruction& instruction = spmd_.instructions[id];
    const auto operands = spmd_.operandsOf(instruction);
    const bool carry =
        instruction.kind == Kind::kCompute && program_.name(instruction.op) == program::kCarry;
    const bool merge =
        instruction.kind == Kind::kCompute && program_.name(instruction.op) == program::kMerge;
    for (size_t i = 0; i < operands.size(); ++i) {
      const InstructionId definition = spmd_.locals[operands[i]].definition;
      if (carry && i == 1) continue;
      if (!(definition < id)) return fail(instruction.op, "an operand is made after its use");
      if (!merge && !isAround(spmd_.instructions[definition].region, instruction.region)) {
        return fail(instruction.op, "an operand is made in a region that is not around its use");
      }
    }
  }

  bool isAround(RegionId outer, RegionId inner) const {
    while (inner != outer) {
      const OpId parent = program_.region(inner).parent;
      if (!parent.valid()) return false;
      inner = program_.op(parent).region;
    }
    return true;
  }

  const SpmdProgram& spmd_;
  const program::Program& program_;
  Status error_;
};

std::string localStr(const SpmdProgram& spmd, LocalId id) {
  const Local& local = spmd.locals[id];
  return "%" + std::to_string(id.index()) + ":" + spmd.types.str(local.type) + " " +
         spmd.layouts.str(spmd.mesh, local.layout);
}

std::string whatStr(const SpmdProgram& spmd, const Instruction& instruction) {
  std::string text;
  if (!instruction.axes.empty()) text += " over " + mesh::str(spmd.mesh, instruction.axes);
  const bool hasDim = instruction.kind == Kind::kSlice || instruction.kind == Kind::kAllGather ||
                      instruction.kind == Kind::kReduceScatter ||
                      instruction.kind == Kind::kAllToAll;
  if (hasDim) text += " dim " + std::to_string(instruction.dim);
  if (instruction.kind == Kind::kAllToAll) text += " to dim " + std::to_string(instruction.toDim);
  const bool combines = instruction.kind == Kind::kAllReduce ||
                        instruction.kind == Kind::kReduceScatter || instruction.kind == Kind::kMask;
  if (combines) text += std::string(" (") + program::combinerName(instruction.combiner) + ")";
  return text;
}

}  // namespace

Status verify(const SpmdProgram& spmd, const program::Program& program) {
  return Verifier(spmd, program).run();
}

std::string print(const SpmdProgram& spmd, const program::Program& program) {
  std::string text;
  for (const Instruction& instruction : spmd.instructions) {
    size_t depth = 0;
    for (RegionId r = instruction.region; program.region(r).parent.valid(); ++depth) {
      r = program.op(program.region(r).parent).region;
    }
    text.append(2 * depth, ' ');
    for (size_t i = 0; i < instruction.resultCount; ++i) {
      text += (i == 0 ? "" : ", ") + localStr(spmd, spmd.result(instruction, i));
    }
    if (instruction.resultCount > 0) text += " = ";
    text += instruction.kind == Kind::kCompute ? std::string(program.name(instruction.op))
                                               : kindName(instruction.kind);
    const auto operands = spmd.operandsOf(instruction);
    for (size_t i = 0; i < operands.size(); ++i) {
      text += (i == 0 ? " %" : ", %") + std::to_string(operands[i].index());
    }
    text += whatStr(spmd, instruction) + "\n";
  }
  return text;
}

}  // namespace shardwright::spmd
