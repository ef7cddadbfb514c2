// The SPMD program as the cost model sees it: per instruction what it is for a compiler and how
// much arithmetic it does on local shapes; per local who uses it. Flat arrays, built in one pass.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardwright/cost/device.h"
#include "shardwright/plan/plan.h"
#include "shardwright/rules/work.h"
#include "shardwright/spmd/spmd_program.h"

namespace shardwright::cost {

// What an instruction is for fusion.
enum class Role : uint8_t {
  kNone,        // Nothing runs and no buffer is made: argument, return, while, …
  kRepeated,    // An earlier instruction makes the same value.
  kTie,         // carry, merge: its values share one buffer.
  kView,        // Its result is its operand's buffer under another type.
  kBarrier,     // The same, and its operand must be a buffer.
  kSource,      // Made where it is used.
  kConstant,    // Lies in the program's own memory.
  kLoop,        // One loop over the result: can be made part of a user's loop.
  kReduce,      // Its operands can be made part of its loop.
  kUpdate,      // The same, and it writes into the buffers of its first operands.
  kKernel,      // A kernel of its own; its operands must be buffers.
  kCollective,  // The same, on the wires.
};

struct Node {
  Role role = Role::kNone;
  rules::WorkKind work = rules::WorkKind::kNone;
  bool expensive : 1 = false;  // Costs many instructions a point.
  bool trait : 1 = false;      // See traitOf in patterns.h.
  bool adds : 1 = false;       // See rules/work.h.
  bool seeks : 1 = false;      // The same.
  bool scatters : 1 = false;   // The same.
  uint8_t passes : 3 = 1;      // Over its data (rules/rule.h).
  uint8_t effort = 1;          // For one point (rules/work.h).
  uint16_t cycles = 0;         // The same, if it is expensive.
  uint16_t updates = 0;        // kUpdate: so many first operands are written into.
  double flops = 0;            // On this device.
};
static_assert(sizeof(Node) == 16);

// A half-open range of positions in an array.
struct Range {
  uint32_t begin = 0, end = 0;
};

struct Graph {
  const plan::Subject* subject = nullptr;
  const spmd::SpmdProgram* spmd = nullptr;
  Flavor flavor = Flavor::kGpu;
  std::vector<Node> nodes;  // Per instruction.
  // Per local: the first local that is the same value, made by the same op from the same operands
  // in the same region. XLA makes it once.
  std::vector<spmd::LocalId> canonical;
  std::vector<spmd::LocalId> operands;     // SpmdProgram::operands, canonical.
  std::vector<uint32_t> usersBegin;        // Per local, into users; one past.
  std::vector<spmd::InstructionId> users;  // In order of instructions; one entry per use.
  // Per local: yielded by a region or returned, so it must be a buffer.
  std::vector<char> escapes;
  // Per instruction, on TPUs: the product or convolution whose kernel it ends (K13); else invalid.
  std::vector<spmd::InstructionId> ends;

  std::span<const spmd::InstructionId> usersOf(spmd::LocalId id) const {
    return {users.data() + usersBegin[id.index()], users.data() + usersBegin[id.index() + 1]};
  }
  std::span<const spmd::LocalId> operandsOf(const spmd::Instruction& instruction) const {
    return {operands.data() + instruction.operandsBegin, instruction.operandCount};
  }
  const Node& node(spmd::InstructionId id) const { return nodes[id.index()]; }
  spmd::InstructionId endsProduct(spmd::InstructionId id) const {
    return ends.empty() ? spmd::InstructionId() : ends[id.index()];
  }
  const spmd::Instruction& instruction(spmd::InstructionId id) const {
    return spmd->instructions[id];
  }
  // The weight of the region that an instruction stands in: how often it runs in one step.
  double weight(spmd::InstructionId id) const {
    return subject->program.region(instruction(id).region).weight;
  }
};

// `work` is rules::workTable of the subject's program. The graph points at the first two arguments.
// `mayRepeat` says per op whether repetitions are looked for there; everywhere if it is empty.
[[nodiscard]] Graph makeGraph(const plan::Subject& subject, const spmd::SpmdProgram& spmd,
                              const IdVector<program::SignatureId, rules::Work>& work,
                              Flavor flavor, std::span<const char> mayRepeat = {});

// What matrix units do: a contraction or a convolution.
[[nodiscard]] bool isProduct(const Graph& graph, spmd::InstructionId id);

// The product of a kernel with this root: the root itself, or what it makes on its way (K12, K13);
// else invalid.
[[nodiscard]] spmd::InstructionId productOf(const Graph& graph, spmd::InstructionId root);

// Per op, whether it repeats another one or is repeated on one device. Constants of which nothing
// is made twice do not count. No plan makes ops the same that are not.
[[nodiscard]] std::vector<char> repeatedOps(const Graph& oneDevice);

// The program on one device: one kCompute per op, everything whole. What the plan-independent parts
// of the model (schedule.h) are made from.
[[nodiscard]] spmd::SpmdProgram oneDeviceProgram(const plan::Subject& subject);

// The product of the local sizes of an op's factors for which `counts(factor)` holds.
template <typename Predicate>
double localPoints(const plan::Subject& subject, const spmd::SpmdProgram& spmd, program::OpId op,
                   const Predicate& counts) {
  const rules::Rule& rule = subject.rule(op);
  const std::span<const mesh::AxisList> axes = spmd.assignment.axes(op);
  double points = 1;
  for (size_t f = 0; f < rule.factorCount(); ++f) {
    const rules::FactorId id(f);
    if (!counts(id)) continue;
    points *= static_cast<double>(rule.factor(id).size);
    if (!axes[f].empty()) points /= static_cast<double>(mesh::deviceCount(spmd.mesh, axes[f]));
  }
  return points;
}

}  // namespace shardwright::cost
