// What a plan must obey before the law is applied.
#include <algorithm>
#include <map>

#include "shardwright/plan/assignment.h"

namespace shardwright::plan {
namespace {

using mesh::AxisList;
using mesh::AxisSet;
using program::OpId;

std::string opName(const Subject& subject, OpId op) {
  const SourceLocation where = subject.program.source(op);
  const std::string text = where.str();
  return std::string(subject.program.name(op)) + (text.empty() ? "" : " at " + text);
}

// "argument `state['w']`", "result `loss`", or the op that makes the value.
std::string pinName(const Subject& subject, const Pin& pin) {
  for (const program::Argument& argument : subject.program.arguments()) {
    if (subject.program.value(argument.value).definition == pin.op) {
      return "argument `" + argument.path + "`";
    }
  }
  for (const program::ProgramResult& result : subject.program.results()) {
    if (result.returnOp == pin.op) return "result `" + result.path + "`";
  }
  return "the value of " + opName(subject, pin.op);
}

class PlanChecker {
 public:
  PlanChecker(const Subject& subject, const Plan& plan) : subject_(subject), plan_(plan) {}

  Status run() {
    checkMesh();
    for (const Decision& decision : plan_.decisions) checkDecision(decision);
    for (const Resolution& resolution : plan_.resolutions) {
      checkAxis(resolution.axis);
      for (const auto set : resolution.sets) {
        require(subject_.analysis.sets().contains(set), [&] {
          return "the plan resolves compatibility set " + std::to_string(set.index()) +
                 ", which the program does not have";
        });
      }
    }
    for (const Turn& turn : plan_.turns) checkTurn(turn);
    for (const Pin& pin : plan_.pins) checkPin(pin);
    for (const program::Argument& argument : subject_.program.arguments()) checkAlias(argument);
    return error_;
  }

 private:
  // Messages are made when they are needed: searches check many plans with many pins.
  template <typename Message>
  void require(bool condition, const Message& message) {
    if (!condition && !error_) error_ = Diagnostic{message(), {}, {}};
  }

  void checkMesh() {
    require(!plan_.mesh.axes.empty(), [&] { return std::string("the mesh has no axes"); });
    require(plan_.mesh.axes.size() <= mesh::kMostAxes, [&] {
      return "the mesh has " + std::to_string(plan_.mesh.axes.size()) + " axes; " +
             std::to_string(mesh::kMostAxes) + " are the most";
    });
    for (const mesh::Axis& axis : plan_.mesh.axes) {
      require(axis.size >= 1, [&] {
        return "mesh axis `" + axis.name + "` has size " + std::to_string(axis.size);
      });
    }
  }

  void checkAxis(uint32_t axis) {
    require(axis < plan_.mesh.axes.size(), [&] {
      return "the plan names mesh axis number " + std::to_string(axis) + "; the mesh is " +
             mesh::str(plan_.mesh);
    });
  }

  void checkColor(analysis::ColorId color) {
    require(subject_.analysis.colors().contains(color), [&] {
      return "the plan names colour " + std::to_string(color.index()) + "; the program has " +
             std::to_string(subject_.analysis.colors().size());
    });
  }

  void checkDecision(const Decision& decision) {
    checkAxis(decision.axis);
    for (const analysis::ColorId color : decision.colors) checkColor(color);
  }

  void checkTurn(const Turn& turn) {
    checkAxis(turn.axis);
    checkColor(turn.winner);
    for (const OpId op : turn.ops) {
      require(op.index() < subject_.program.opCount(), [&] {
        return "the plan turns op " + std::to_string(op.index()) + ", which does not exist";
      });
      if (error_) return;
      const auto [entry, isNew] = winners_.try_emplace({op, turn.axis}, turn.winner);
      require(isNew || entry->second == turn.winner, [&] {
        return "two turns contradict each other at " + opName(subject_, op) + " on axis `" +
               plan_.mesh.axes[turn.axis].name + "`";
      });
    }
  }

  void checkPin(const Pin& pin) {
    require(pin.op.index() < subject_.program.opCount(), [&] {
      return "the plan pins op " + std::to_string(pin.op.index()) + ", which does not exist";
    });
    if (error_) return;
    const uint32_t results = subject_.program.resultCount(pin.op);
    require(pin.result < std::max(results, 1u), [&] {
      return "the plan pins result " + std::to_string(pin.result) + " of " +
             opName(subject_, pin.op) + ", which has " + std::to_string(results);
    });
    require(results > 0 || subject_.program.name(pin.op) == program::kReturn,
            [&] { return opName(subject_, pin.op) + " has no value that could be pinned"; });
    if (error_) return;
    const auto value = results > 0 ? subject_.program.result(pin.op, pin.result)
                                   : subject_.program.operands(pin.op)[0];
    checkPinnedDims(pin, subject_.program.shape(value));
  }

  void checkPinnedDims(const Pin& pin, std::span<const int64_t> shape) {
    const auto name = [&] { return pinName(subject_, pin); };
    require(pin.dims.size() == shape.size(), [&] {
      return name() + " has " + std::to_string(shape.size()) + " dims, its pin " +
             std::to_string(pin.dims.size());
    });
    AxisSet seen;
    for (size_t d = 0; d < pin.dims.size() && !error_; ++d) {
      for (uint32_t i = 0; i < pin.dims[d].size() && !error_; ++i) {
        const uint32_t axis = pin.dims[d][i];
        checkAxis(axis);
        if (error_) return;
        require(!seen.contains(axis), [&] {
          return name() + ": axis `" + plan_.mesh.axes[axis].name + "` is given to two dims";
        });
        seen.add(axis);
      }
      if (error_) return;
      const int64_t parts = mesh::deviceCount(plan_.mesh, pin.dims[d]);
      require(pin.dims[d].empty() || (shape[d] > 0 && shape[d] % parts == 0), [&] {
        return name() + ": dim " + std::to_string(d) + " has size " + std::to_string(shape[d]) +
               ", which axis `" + mesh::str(plan_.mesh, pin.dims[d]) + "` of size " +
               std::to_string(parts) + " does not divide";
      });
    }
    checkOnePinAValue(pin);
  }

  // A result that takes over an argument's buffer lies as the argument does.
  void checkAlias(const program::Argument& argument) {
    if (!argument.aliasedResult || error_) return;
    const program::ProgramResult& result = subject_.program.results()[*argument.aliasedResult];
    const auto ours = pinned_.find({subject_.program.value(argument.value).definition, 0u});
    const auto theirs = pinned_.find({result.returnOp, 0u});
    if (ours == pinned_.end() || theirs == pinned_.end()) return;
    require(ours->second->agrees(*theirs->second), [&] {
      return "argument `" + argument.path + "` and result `" + result.path +
             "`, which takes over its buffer, are pinned in two ways";
    });
  }

  void checkOnePinAValue(const Pin& pin) {
    // The results of a carry are one value.
    const bool tie = program::standsForAValue(subject_.program.name(pin.op));
    const auto [entry, isNew] = pinned_.try_emplace({pin.op, tie ? 0 : pin.result}, &pin);
    require(isNew || entry->second->agrees(pin),
            [&] { return pinName(subject_, pin) + " is pinned in two ways"; });
  }

  const Subject& subject_;
  const Plan& plan_;
  Status error_;
  std::map<std::pair<OpId, uint32_t>, analysis::ColorId> winners_;
  std::map<std::pair<OpId, uint32_t>, const Pin*> pinned_;
};

}  // namespace

Status checkPlan(const Subject& subject, const Plan& plan) {
  return PlanChecker(subject, plan).run();
}

}  // namespace shardwright::plan
