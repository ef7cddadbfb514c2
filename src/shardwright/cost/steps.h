// What runs, in units that are ordered and that hold memory: kernels, and loops and branches as a
// whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardwright/cost/fusion.h"

namespace shardwright::cost {

struct StepTag;
using StepId = Id<StepTag>;

// A kernel, or a `while` or `case` with all that is in its regions. Inputs and outputs are buffers.
// A loop's inputs are the initial values of what it carries, and what its regions read from
// outside; its outputs are the carried buffers.
struct Step {
  spmd::InstructionId instruction;
  KernelId kernel;  // Invalid for a loop or branch.
  KernelId leader;  // The first of those launched together (K9); invalid if it is alone.
  program::RegionId region;
  Range inputs{}, outputs{};
  Range ties{};  // The carries of a loop, the merges of a branch.
};

struct Steps {
  IdVector<StepId, Step> steps;  // In the order of their instructions.
  std::vector<KernelInput> inputs;
  std::vector<spmd::LocalId> outputs;
  std::vector<spmd::InstructionId> ties;
  IdVector<program::RegionId, std::vector<StepId>> ofRegion;
  std::vector<spmd::LocalId> buffer;    // Per local: Fusion::buffer.
  std::vector<spmd::LocalId> results;   // Per result of the program: its buffer.
  std::vector<program::RegionId> home;  // Per local: the region of its definition.
  std::vector<StepId> producer;  // Per local: the step that makes this buffer; invalid for others.
  std::vector<uint32_t> usersBegin;  // Per local, into users; one past.
  std::vector<StepId> users;         // Each step once per buffer that it reads.

  std::span<const KernelInput> inputsOf(const Step& step) const {
    return {inputs.data() + step.inputs.begin, inputs.data() + step.inputs.end};
  }
  std::span<const spmd::LocalId> outputsOf(const Step& step) const {
    return {outputs.data() + step.outputs.begin, outputs.data() + step.outputs.end};
  }
  std::span<const spmd::InstructionId> tiesOf(const Step& step) const {
    return {ties.data() + step.ties.begin, ties.data() + step.ties.end};
  }
  // The step of the region that makes a buffer; invalid if it comes from elsewhere.
  StepId makerIn(program::RegionId region, spmd::LocalId id) const {
    const StepId maker = id.valid() ? producer[id.index()] : StepId();
    return maker.valid() && steps[maker].region == region ? maker : StepId();
  }
  // The steps of its own region that a step reads from, once for each buffer.
  template <typename Function>
  void forEachMaker(StepId id, const Function& function) const {
    for (const KernelInput& input : inputsOf(steps[id])) {
      const StepId maker = makerIn(steps[id].region, input.buffer);
      if (maker.valid()) function(maker);
    }
  }
  std::span<const StepId> usersOf(spmd::LocalId id) const {
    return {users.data() + usersBegin[id.index()], users.data() + usersBegin[id.index() + 1]};
  }
};

[[nodiscard]] Steps makeSteps(const Graph& graph, const Fusion& fusion);

}  // namespace shardwright::cost
