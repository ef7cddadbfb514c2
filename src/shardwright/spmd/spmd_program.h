// The SPMD program: what one device runs. Local shapes, every collective written out. It is what
// the estimator costs and what the exporter prints.
//
// Instructions stand in the order in which they run. An instruction is an op of the program on
// local shapes (kCompute), or one of the few things that partitioning adds:
//
//   kSlice              the device's part of a value it has whole along `axes`: dim `dim` is cut
//   kMask               the value on the devices at position 0 of all `axes`, the combiner's
//   neutral
//                       element on the others: makes a partial value of a whole one
//   kAllReduce          combines a value that is partial over `axes`
//   kReduceScatter      the same, and leaves each device its part of dim `dim`
//   kAllGather          the parts of dim `dim` from all devices along `axes`
//   kAllToAll           `axes` move from dim `dim` to dim `toDim`
//   kCollectivePermute  each device gets the part of one other: the layout changes and the local
//                       shape does not; `axes` are those of the dims that change
//
// Axes are added to and taken from the minor end of a dim's list. Where several axes are named, the
// first is major.
//
// Regions are those of the program: the instructions of a `while` or `case` follow it. A carry's
// operands are {initial value, value yielded by the body}, its results as in program.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shardwright/base/ids.h"
#include "shardwright/mesh/layout.h"
#include "shardwright/plan/assignment.h"
#include "shardwright/program/program.h"

namespace shardwright::spmd {

struct LocalTag;
struct InstructionTag;
using LocalId = Id<LocalTag>;
using InstructionId = Id<InstructionTag>;

enum class Kind : uint8_t {
  kCompute,
  kSlice,
  kMask,
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kAllToAll,
  kCollectivePermute,
};
// "compute", "slice", …, "all_reduce".
const char* kindName(Kind kind);
inline bool isCollective(Kind kind) { return kind >= Kind::kAllReduce; }

// What one device holds of a value of the program.
struct Local {
  program::ValueId value;
  mesh::LayoutId layout;
  program::TypeId type;  // In SpmdProgram::types.
  InstructionId definition;
};
static_assert(sizeof(Local) == 16);

struct Instruction {
  mesh::AxisList axes;  // Of all kinds but kCompute.
  program::OpId op;     // kCompute: the op. Others: the op for which it is made.
  program::RegionId region;
  uint32_t operandsBegin = 0;
  LocalId firstResult;
  uint16_t operandCount = 0;
  uint16_t resultCount = 0;
  Kind kind = Kind::kCompute;
  program::Combiner combiner = program::Combiner::kAdd;  // kMask, kAllReduce, kReduceScatter.
  uint8_t dim = 0, toDim = 0;
};
static_assert(sizeof(Instruction) == 32);

// Something that a user should know of this partitioning: an op that had to be whole, …
struct Note {
  program::OpId op;
  std::string message;
};

struct SpmdProgram {
  mesh::Mesh mesh;
  program::TypeTable types;  // Local types.
  mesh::LayoutTable layouts;
  IdVector<InstructionId, Instruction> instructions;
  IdVector<LocalId, Local> locals;
  std::vector<LocalId> operands;                             // Of all instructions.
  IdVector<program::RegionId, std::vector<LocalId>> yields;  // Per region of the program.
  std::vector<LocalId> arguments;                            // Per argument of the program.
  std::vector<LocalId> results;  // Per result of the program: what its `return` takes.
  // How each op is split: the law's assignment, less the splits that ops gave up (F4, U1 to U3).
  plan::Assignment assignment;
  std::vector<Note> notes;

  std::span<const LocalId> operandsOf(const Instruction& instruction) const {
    return {operands.data() + instruction.operandsBegin, instruction.operandCount};
  }
  LocalId result(const Instruction& instruction, size_t index = 0) const {
    return instruction.firstResult.plus(index);
  }
  int64_t bytes(LocalId id) const { return types.bytes(locals[id].type); }
};

// Checks what must hold of any SPMD program: operands are made before they are used, in this region
// or one around it; types are the local shapes of layouts; no axis stands twice in a layout.
[[nodiscard]] Status verify(const SpmdProgram& spmd, const program::Program& program);

// One line per instruction, for people and tests:
//   %5:f32[2,64] [data, -] = all_reduce %4 over model (add)
std::string print(const SpmdProgram& spmd, const program::Program& program);

}  // namespace shardwright::spmd
