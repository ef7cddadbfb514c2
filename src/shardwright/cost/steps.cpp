#include "shardwright/cost/steps.h"

#include <algorithm>

namespace shardwright::cost {
namespace {

using program::RegionId;
using spmd::Instruction;
using spmd::InstructionId;
using spmd::LocalId;

class StepsBuilder {
 public:
  StepsBuilder(const Graph& graph, const Fusion& fusion)
      : graph_(graph), spmd_(*graph.spmd), program_(graph.subject->program), fusion_(fusion) {}

  Steps make() && {
    result_.ofRegion.resize(program_.regionCount());
    result_.producer.assign(spmd_.locals.size(), StepId());
    result_.steps.reserve(fusion_.kernels.size());
    result_.inputs.reserve(fusion_.inputs.size());
    result_.outputs.reserve(fusion_.kernels.size());
    structureOf_.resize(program_.regionCount());
    result_.home.reserve(spmd_.locals.size());
    for (const spmd::Local& local : spmd_.locals) {
      result_.home.push_back(spmd_.instructions[local.definition].region);
    }
    result_.buffer = fusion_.buffer;
    for (const LocalId local : spmd_.results) {
      result_.results.push_back(fusion_.buffer[local.index()]);
    }
    listSteps();
    collectCaptures();
    fillInputs();
    listUsers();
    return std::move(result_);
  }

 private:
  // A loop or branch.
  struct Structure {
    StepId step;
    std::vector<InstructionId> ties;
    std::vector<LocalId> captured;  // May repeat.
  };
  Structure& structure(StepId step) {
    return *std::ranges::lower_bound(structures_, step, {}, &Structure::step);
  }

  std::span<const RegionId> regionsOf(const Instruction& instruction) const {
    if (instruction.kind != spmd::Kind::kCompute) return {};
    return program_.regions(instruction.op);
  }
  // Those with regions do nothing themselves.
  bool mayHaveRegions(InstructionId id) const { return graph_.node(id).role == Role::kNone; }

  void listSteps() {
    for (size_t n = 0; n < spmd_.instructions.size(); ++n) {
      const InstructionId id(n);
      const Instruction& instruction = spmd_.instructions[id];
      if (graph_.node(id).role == Role::kTie) {
        noteTie(id);
      } else if (fusion_.kernelOf[n].valid()) {
        addStep(id, fusion_.kernelOf[n]);
      } else if (mayHaveRegions(id) && !regionsOf(instruction).empty()) {
        addStructure(id);
      }
    }
  }

  StepId addStep(InstructionId id, KernelId kernel) {
    const RegionId region = spmd_.instructions[id].region;
    const bool together = kernel.valid() && !fusion_.kernels[kernel].alone;
    const KernelId leader = together ? fusion_.kernels[kernel].leader : KernelId();
    const StepId step = result_.steps.push(
        {.instruction = id, .kernel = kernel, .leader = leader, .region = region});
    result_.ofRegion[region].push_back(step);
    return step;
  }

  void addStructure(InstructionId id) {
    const auto regions = regionsOf(spmd_.instructions[id]);
    for (const RegionId region : regions) structureOf_[region] = structures_.size();
    structures_.push_back({.step = addStep(id, KernelId()), .ties = {}, .captured = {}});
    const bool isLoop = program_.region(regions.front()).kind != program::RegionKind::kBranch;
    // The carries stand before their loop, the merges follow their branch.
    if (isLoop) std::swap(structures_.back().ties, pendingCarries_);
  }

  void noteTie(InstructionId id) {
    const bool isCarry = spmd_.instructions[id].resultCount == 3;
    if (isCarry) {
      pendingCarries_.push_back(id);
    } else {
      structure(branchBefore(id)).ties.push_back(id);
    }
  }

  // The last branch of the merge's own region.
  StepId branchBefore(InstructionId id) const {
    const auto& steps = result_.ofRegion[spmd_.instructions[id].region];
    const auto found = std::find_if(steps.rbegin(), steps.rend(), [&](StepId step) {
      return !result_.steps[step].kernel.valid();
    });
    SW_CHECK(found != steps.rend());
    return *found;
  }

  RegionId definingRegion(LocalId buffer) const { return result_.home[buffer.index()]; }

  // What a region uses from outside is an input of the loop or branch it belongs to, and so on
  // outwards.
  void capture(RegionId region, LocalId buffer) {
    while (region != definingRegion(buffer)) {
      Structure& structure = structures_[structureOf_[region]];
      structure.captured.push_back(buffer);
      region = result_.steps[structure.step].region;
    }
  }

  void collectCaptures() {
    for (const Kernel& kernel : fusion_.kernels) {
      for (const KernelInput& input : fusion_.inputsOf(kernel))
        capture(kernel.region, input.buffer);
    }
    for (size_t n = 0; n < spmd_.yields.size(); ++n) {
      for (const LocalId local : spmd_.yields[RegionId(n)]) {
        const LocalId buffer = fusion_.buffer[local.index()];
        if (RegionId(n) != program_.entry() && buffer.valid()) capture(RegionId(n), buffer);
      }
    }
  }

  void fillInputs() {
    for (size_t n = 0; n < result_.steps.size(); ++n) {
      Step& step = result_.steps[StepId(n)];
      step.inputs.begin = static_cast<uint32_t>(result_.inputs.size());
      step.outputs.begin = static_cast<uint32_t>(result_.outputs.size());
      if (step.kernel.valid()) {
        fillKernel(step);
      } else {
        fillStructure(step, structure(StepId(n)));
      }
      step.inputs.end = static_cast<uint32_t>(result_.inputs.size());
      step.outputs.end = static_cast<uint32_t>(result_.outputs.size());
      for (const LocalId output : result_.outputsOf(step)) {
        result_.producer[output.index()] = StepId(n);
      }
    }
  }

  void fillKernel(const Step& step) {
    const auto inputs = fusion_.inputsOf(fusion_.kernels[step.kernel]);
    result_.inputs.insert(result_.inputs.end(), inputs.begin(), inputs.end());
    const Instruction& instruction = spmd_.instructions[step.instruction];
    for (uint16_t r = 0; r < instruction.resultCount; ++r) {
      result_.outputs.push_back(spmd_.result(instruction, r));
    }
  }

  void fillStructure(Step& step, const Structure& structure) {
    for (const LocalId operand : graph_.operandsOf(spmd_.instructions[step.instruction])) {
      addInput(step, fusion_.buffer[operand.index()]);
    }
    step.ties.begin = static_cast<uint32_t>(result_.ties.size());
    for (const InstructionId tie : structure.ties) {
      const Instruction& instruction = spmd_.instructions[tie];
      result_.ties.push_back(tie);
      result_.outputs.push_back(instruction.firstResult);
      const bool isCarry = instruction.resultCount == 3;
      if (isCarry) addInput(step, fusion_.buffer[graph_.operandsOf(instruction)[0].index()]);
    }
    step.ties.end = static_cast<uint32_t>(result_.ties.size());
    for (const LocalId buffer : structure.captured) {
      const auto begin = result_.outputs.begin() + step.outputs.begin;
      const bool own = std::find(begin, result_.outputs.end(), buffer) != result_.outputs.end();
      if (!own) addInput(step, buffer);
    }
  }

  void addInput(const Step& step, LocalId buffer) {
    if (!buffer.valid()) return;
    const auto begin = result_.inputs.begin() + step.inputs.begin;
    const bool known = std::any_of(begin, result_.inputs.end(), [&](const KernelInput& input) {
      return input.buffer == buffer;
    });
    if (!known) result_.inputs.push_back({.buffer = buffer});
  }

  void listUsers() {
    result_.usersBegin.assign(spmd_.locals.size() + 1, 0);
    for (const KernelInput& input : result_.inputs) ++result_.usersBegin[input.buffer.index() + 1];
    for (size_t n = 1; n < result_.usersBegin.size(); ++n) {
      result_.usersBegin[n] += result_.usersBegin[n - 1];
    }
    result_.users.resize(result_.inputs.size());
    std::vector<uint32_t> next(result_.usersBegin.begin(), result_.usersBegin.end() - 1);
    for (size_t n = 0; n < result_.steps.size(); ++n) {
      for (const KernelInput& input : result_.inputsOf(result_.steps[StepId(n)])) {
        result_.users[next[input.buffer.index()]++] = StepId(n);
      }
    }
  }

  const Graph& graph_;
  const spmd::SpmdProgram& spmd_;
  const program::Program& program_;
  const Fusion& fusion_;
  Steps result_;
  std::vector<Structure> structures_;       // By step.
  IdVector<RegionId, size_t> structureOf_;  // The loop or branch that a region belongs to.
  std::vector<InstructionId> pendingCarries_;
};

}  // namespace

Steps makeSteps(const Graph& graph, const Fusion& fusion) {
  return StepsBuilder(graph, fusion).make();
}

}  // namespace shardwright::cost
