// Shardings that the module states, as pins.
#include "shardwright/plan/names.h"
#include "shardwright/plan/tactic.h"

namespace shardwright::plan {
namespace {

using program::OpId;
using program::ValueId;

class StatedPins {
 public:
  StatedPins(const Subject& subject, const mesh::Mesh& mesh) : subject_(subject), mesh_(mesh) {}

  Result<std::vector<Pin>> run() {
    const program::Program& program = subject_.program;
    for (const program::Argument& argument : program.arguments()) {
      if (!argument.sharding) continue;
      const OpId op = program.value(argument.value).definition;
      add(*argument.sharding, op, 0, "argument `" + argument.path + "`");
    }
    for (const program::ProgramResult& result : program.results()) {
      if (result.sharding)
        add(*result.sharding, result.returnOp, 0, "result `" + result.path + "`");
    }
    for (const program::StatedSharding& stated : program.statedShardings()) {
      const OpId op = program.value(stated.value).definition;
      add(stated.sharding, op, program.resultIndex(stated.value),
          "the value of " + opText(program, op));
    }
    countUses();
    for (const program::StatedSharding& stated : program.statedShardings()) addEnds(stated);
    if (error_) return *error_;
    return std::move(pins_);
  }

 private:
  // What a function that was jitted with shardings says of its arguments and results stands just
  // inside.
  void addEnds(const program::StatedSharding& stated) {
    const program::Program& program = subject_.program;
    const auto operands = program.operands(program.value(stated.value).definition);
    for (const program::Argument& argument : program.arguments()) {
      const bool only = operands.size() == 1 && operands[0] == argument.value &&
                        uses_[argument.value.index()] == 1;
      if (!only || argument.sharding) continue;
      const OpId op = program.value(argument.value).definition;
      add(stated.sharding, op, 0, "argument `" + argument.path + "`");
    }
    for (const program::ProgramResult& result : program.results()) {
      if (program.operands(result.returnOp)[0] != stated.value || result.sharding) continue;
      add(stated.sharding, result.returnOp, 0, "result `" + result.path + "`");
    }
  }

  void countUses() {
    const program::Program& program = subject_.program;
    uses_.assign(program.valueCount(), 0);
    for (uint32_t i = 0; i < program.opCount(); ++i) {
      for (const ValueId operand : program.operands(OpId(i))) ++uses_[operand.index()];
    }
  }

  void fail(const std::string& what, const std::string& message) {
    if (!error_) error_ = Diagnostic{what + " is stated to be sharded " + message, {}, {}};
  }

  void add(const mesh::Sharding& sharding, OpId op, uint32_t result, const std::string& what) {
    if (!sharding.unreduced.empty()) {
      return fail(what, sharding.str() +
                            ": unreduced axes are not supported in a plan; take the "
                            "sharding out of the module or ignore stated shardings");
    }
    Pin pin{op, result, {}};
    bool says = false;
    for (const mesh::DimSharding& dim : sharding.dims) {
      says = says || dim.closed || !dim.axes.empty();
      mesh::AxisList axes;
      for (const mesh::AxisRef& ref : dim.axes) {
        const std::optional<uint32_t> axis = find(sharding, ref, what);
        if (!axis) return;
        axes.append(*axis);
      }
      pin.dims.push_back(axes);
    }
    // A value that only says "as you like" and one of rank 0 need no pin.
    if (says) pins_.push_back(std::move(pin));
  }

  std::optional<uint32_t> find(const mesh::Sharding& sharding, const mesh::AxisRef& ref,
                               const std::string& what) {
    if (ref.subAxis) {
      fail(what, "by a part of axis `" + ref.name + "`: sub-axes are not supported in a plan");
      return {};
    }
    const uint32_t axis = mesh::findAxis(mesh_, ref.name);
    const int64_t size = statedSize(sharding.mesh, ref.name);
    if (axis != mesh::kMostAxes && (size == 0 || mesh_.axes[axis].size == size)) return axis;
    fail(what, "over axis `" + ref.name + "` of size " + std::to_string(size) + "; the mesh is " +
                   mesh::str(mesh_) + " (ignore stated shardings, or give the module's mesh)");
    return {};
  }

  // 0 if the module does not say.
  int64_t statedSize(uint32_t meshNumber, const std::string& axis) const {
    if (meshNumber >= subject_.program.meshes().size()) return 0;
    const mesh::Mesh& stated = subject_.program.meshes()[meshNumber];
    const uint32_t number = mesh::findAxis(stated, axis);
    return number == mesh::kMostAxes ? 0 : stated.axes[number].size;
  }

  const Subject& subject_;
  const mesh::Mesh& mesh_;
  std::vector<uint32_t> uses_;  // Per value.
  std::vector<Pin> pins_;
  Status error_;
};

}  // namespace

Result<std::vector<Pin>> statedPins(const Subject& subject, const mesh::Mesh& mesh) {
  return StatedPins(subject, mesh).run();
}

}  // namespace shardwright::plan
