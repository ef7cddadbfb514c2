// Shardings that the module states, as pins.
#include <algorithm>

#include "shardwright/plan/names.h"
#include "shardwright/plan/tactic.h"
#include "shardwright/rules/work.h"

namespace shardwright::plan {
namespace {

using program::OpId;
using program::ValueId;

class StatedPins {
 public:
  StatedPins(const Subject& subject, const mesh::Mesh& mesh) : subject_(subject), mesh_(mesh) {}

  Result<std::vector<StatedPin>> run() {
    const program::Program& program = subject_.program;
    noteStated();
    for (const program::Argument& argument : program.arguments()) {
      const mesh::Sharding* sharding = ofArgument(argument);
      if (sharding == nullptr) continue;
      const OpId op = program.value(argument.value).definition;
      add(*sharding, op, 0, "argument `" + argument.path + "`");
    }
    for (const program::ProgramResult& result : program.results()) {
      const mesh::Sharding* sharding = ofResult(result);
      if (sharding != nullptr) add(*sharding, result.returnOp, 0, "result `" + result.path + "`");
    }
    for (const program::StatedSharding& stated : program.statedShardings()) {
      const OpId op = program.value(stated.value).definition;
      add(stated.sharding, op, program.resultIndex(stated.value),
          "the value of " + opText(program, op));
    }
    if (error_) return *error_;
    return std::move(pins_);
  }

 private:
  void noteStated() {
    const program::Program& program = subject_.program;
    statedOf_.assign(program.valueCount(), nullptr);
    for (const program::StatedSharding& stated : program.statedShardings()) {
      statedOf_[stated.value.index()] = &stated.sharding;
    }
    uses_.assign(program.valueCount(), {});
    for (uint32_t i = 0; i < program.opCount(); ++i) {
      for (const ValueId operand : program.operands(OpId(i))) {
        Uses& uses = uses_[operand.index()];
        ++uses.count;
        uses.last = OpId(i);
      }
    }
  }

  // Its own, or what a constraint says that is its only use: so functions come that were jitted
  // with shardings. Null if nothing is stated.
  const mesh::Sharding* ofArgument(const program::Argument& argument) const {
    if (argument.sharding) return &*argument.sharding;
    const Uses& uses = uses_[argument.value.index()];
    if (uses.count != 1 || !passesOn(uses.last)) return nullptr;
    return statedOf_[subject_.program.result(uses.last, 0).index()];
  }
  const mesh::Sharding* ofResult(const program::ProgramResult& result) const {
    if (result.sharding) return &*result.sharding;
    return statedOf_[subject_.program.operands(result.returnOp)[0].index()];
  }

  // Whether an op's result is its only operand, with the same dims.
  bool passesOn(OpId op) const {
    const program::Program& program = subject_.program;
    if (program.operands(op).size() != 1 || program.resultCount(op) != 1) return false;
    const program::SignatureId signature = program.op(op).signature;
    const rules::Work work = rules::workOf(program.name(op), program.attributes(signature));
    return work.kind == rules::WorkKind::kView &&
           std::ranges::equal(program.shape(program.operands(op)[0]),
                              program.shape(program.result(op, 0)));
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
      pin.open.push_back(!dim.closed);
    }
    // A value that only says "as you like" and one of rank 0 need no pin.
    if (says) pins_.push_back({std::move(pin), hasAxes(sharding) ? what : std::string()});
  }

  // A mesh that the module does not list may have some.
  bool hasAxes(const mesh::Sharding& sharding) const {
    const std::vector<mesh::Mesh>& meshes = subject_.program.meshes();
    return sharding.mesh >= meshes.size() || !meshes[sharding.mesh].axes.empty();
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
  struct Uses {
    uint32_t count = 0;
    OpId last;
  };
  std::vector<Uses> uses_;                       // Per value.
  std::vector<const mesh::Sharding*> statedOf_;  // Per value; null if nothing is stated inside.
  std::vector<StatedPin> pins_;
  Status error_;
};

}  // namespace

Result<std::vector<StatedPin>> statedPins(const Subject& subject, const mesh::Mesh& mesh) {
  return StatedPins(subject, mesh).run();
}

}  // namespace shardwright::plan
