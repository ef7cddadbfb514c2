#include "shardwright/cost/workspaces.h"

namespace shardwright::cost {
namespace {

// What XLA reserves for cuBLAS while it multiplies (M11): so much since Hopper, 4 MiB before. Of
// products that are no larger than that it compiles many itself, and those need nothing.
constexpr int64_t kProductWorkspace = int64_t{32} << 20;

// M11.
int64_t productWorkspace(const Graph& graph, const Steps& steps, const Step& step,
                         const std::vector<int64_t>& bytes, Flavor flavor) {
  const bool product = step.kernel.valid() && productOf(graph, step.instruction).valid();
  if (!product || flavor != Flavor::kGpu) return 0;
  int64_t moved = bytes[steps.outputsOf(step).front().index()];
  for (const KernelInput& input : steps.inputsOf(step)) moved += bytes[input.buffer.index()];
  return moved > kProductWorkspace ? kProductWorkspace : 0;
}

// M15. XLA takes the maximum over windows again, with where it is: a number for each dim. On hosts
// it writes the places of all points down first.
int64_t seekerWorkspace(const Graph& graph, const Step& step, const std::vector<int64_t>& bytes,
                        Flavor flavor) {
  if (!graph.node(step.instruction).seeks || flavor == Flavor::kTpu) return 0;
  const auto operands = graph.operandsOf(graph.instruction(step.instruction));
  const auto numbers = [&](spmd::LocalId id) {
    const program::TypeId type = graph.spmd->locals[id].type;
    return int64_t{4} * graph.spmd->types.rank(type) * graph.spmd->types.elements(type);
  };
  const int64_t places = flavor == Flavor::kCpu ? numbers(operands[0]) : 0;
  return numbers(operands[1]) + bytes[operands[1].index()] + places;
}

}  // namespace

int64_t groupedBytes(const Graph& graph, spmd::InstructionId id, Flavor flavor) {
  const spmd::Instruction& instruction = graph.instruction(id);
  if (instruction.kind != spmd::Kind::kCompute || flavor != Flavor::kGpu) return 0;
  const rules::Rule& rule = graph.subject->rule(instruction.op);
  if (rule.groups() == 1) return 0;
  const auto operands = graph.operandsOf(instruction);
  int64_t bytes = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (rule.isGrouped(i)) bytes += graph.spmd->bytes(operands[i]) * rule.groups();
  }
  return bytes;
}

int64_t workspaceOf(const Graph& graph, const Steps& steps, const Step& step,
                    const std::vector<int64_t>& bytes, Flavor flavor) {
  return productWorkspace(graph, steps, step, bytes, flavor) +
         seekerWorkspace(graph, step, bytes, flavor) +
         groupedBytes(graph, step.instruction, flavor);
}

}  // namespace shardwright::cost
