// Random plans for any program: decisions, resolutions, turns and pins that pass plan::checkPlan.
#pragma once

#include <random>

#include "shardwright/plan/assignment.h"
#include "shardwright/plan/meetings.h"

namespace shardwright::testing {

class RandomPlans {
 public:
  RandomPlans(const plan::Subject& subject, uint64_t seed) : subject_(subject), random_(seed) {}

  plan::Plan next() {
    static constexpr const char* kMeshes[] = {"a=2",         "a=8",     "a=2,b=4",     "a=4,b=2",
                                              "a=2,b=2,c=2", "a=1,b=4", "a=2,b=3,c=2", "a=16,b=16"};
    plan::Plan plan;
    plan.mesh = *mesh::parseMesh(kMeshes[below(std::size(kMeshes))]);
    for (uint32_t axis = 0; axis < plan.mesh.axes.size(); ++axis) decide(plan, axis);
    if (below(3) == 0) addTurn(plan);
    for (size_t pins = below(4); pins > 0; --pins) addPin(plan);
    if (below(3) == 0) plan.remakeGap = static_cast<uint32_t>(below(40));
    return plan;
  }

  size_t below(size_t limit) { return static_cast<size_t>(random_() % limit); }
  std::mt19937_64& random() { return random_; }

 private:
  // Classes that matter come first, so small numbers are more likely.
  void decide(plan::Plan& plan, uint32_t axis) {
    const auto& classes = subject_.analysis.classes();
    for (size_t count = below(5); count > 0 && !classes.empty(); --count) {
      const size_t most = below(2) == 0 ? std::min<size_t>(8, classes.size()) : classes.size();
      const auto& colors = classes[analysis::ClassId(below(most))].colors;
      plan.decisions.push_back({axis, colors});
    }
    const auto& sets = subject_.analysis.sets();
    plan::Resolution resolution{axis, {}};
    for (size_t count = below(4); count > 0 && !sets.empty(); --count) {
      resolution.sets.push_back(analysis::SetId(below(sets.size())));
    }
    if (!resolution.sets.empty()) plan.resolutions.push_back(resolution);
  }

  void addTurn(plan::Plan& plan) {
    if (plan.decisions.empty()) return;
    const auto& later = plan.decisions[below(plan.decisions.size())];
    const plan::Meetings meetings(subject_);
    for (const plan::Decision& earlier : plan.decisions) {
      if (earlier.axis != later.axis || earlier.colors == later.colors) continue;
      const auto sets = meetings.between(earlier.colors[0], later.colors[0]);
      if (sets.empty()) continue;
      plan.turns.push_back({later.axis, later.colors[0], sets[below(sets.size())]->ops});
      return;
    }
  }

  void addPin(plan::Plan& plan) {
    const auto& program = subject_.program;
    plan::Pin pin;
    std::span<const int64_t> shape;
    if (below(4) == 0) {
      pin.op = program.results()[below(program.results().size())].returnOp;
      shape = program.shape(program.operands(pin.op)[0]);
    } else {
      const program::ValueId value(below(program.valueCount()));
      pin.op = program.value(value).definition;
      pin.result = program.resultIndex(value);
      shape = program.shape(value);
    }
    if (shape.empty()) return;
    pin.dims.resize(shape.size());
    std::vector<int64_t> left(shape.begin(), shape.end());
    for (uint32_t axis = 0; axis < plan.mesh.axes.size(); ++axis) {
      const size_t dim = below(shape.size());
      const int64_t size = plan.mesh.axes[axis].size;
      if (below(2) == 0 || left[dim] % size != 0) continue;
      left[dim] /= size;
      pin.dims[dim].append(axis);
    }
    for (size_t d = 0; d < shape.size(); ++d) pin.open.push_back(below(3) == 0);
    plan.pins.push_back(pin);
    if (plan::checkPlan(subject_, plan)) plan.pins.pop_back();
  }

  const plan::Subject subject_;
  std::mt19937_64 random_;
};

}  // namespace shardwright::testing
