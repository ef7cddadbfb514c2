#include "shardwright/spmd/checker_parts.h"

namespace shardwright::spmd::checking {

using mesh::AxisList;
using mesh::AxisSet;
using program::OpId;

namespace {

Diagnostic broken(const std::string& what) { return {"K1: " + what, {}, {}}; }

// Whether a range of `count` from `begin` lies inside a table of `size`.
bool inside(size_t begin, size_t count, size_t size) {
  return begin <= size && count <= size - begin;
}

Status checkMesh(const Input& in) {
  if (in.spmd.mesh.axes == in.plan.mesh.axes && in.plan.mesh.axes.size() <= mesh::kMostAxes)
    return {};
  return broken("the mesh is " + mesh::str(in.spmd.mesh) + ", the plan's is " +
                mesh::str(in.plan.mesh));
}

// An axis stands once in a layout, in a dim or as partial.
Status checkLayout(const Input& in, mesh::LayoutId id) {
  const std::string name = "layout " + std::to_string(id.index());
  AxisSet seen = in.spmd.layouts.partial(id);
  if ((seen.bits() >> in.spmd.mesh.axes.size()) != 0)
    return broken(name + " names no axis of the mesh");
  for (size_t dim = 0; dim < in.spmd.layouts.rank(id); ++dim) {
    const AxisList axes = in.spmd.layouts.dim(id, dim);
    if (!wellFormed(in.spmd.mesh, axes)) {
      return broken(name + ": dim " + std::to_string(dim) + " has no proper list of axes");
    }
    if (seen.meets(axes.set())) {
      return broken(name + ": dim " + std::to_string(dim) + ": axis " +
                    axesStr(in.spmd.mesh, seen & axes.set()) + " stands twice");
    }
    seen = seen | axes.set();
  }
  return {};
}

Status checkInstruction(const Input& in, InstructionId id) {
  const Instruction& instruction = in.spmd.instructions[id];
  const std::string name = "instruction " + std::to_string(id.index());
  const bool placed = instruction.op.index() < in.program().opCount() &&
                      instruction.region.index() < in.program().regionCount();
  if (!placed) return broken(name + " belongs to no op or region");
  if (instruction.kind > Kind::kCollectivePermute) return broken(name + " is of no kind");
  if (!inside(instruction.operandsBegin, instruction.operandCount, in.spmd.operands.size())) {
    return broken(name + " has operands that are not there");
  }
  for (const LocalId operand : in.spmd.operandsOf(instruction)) {
    if (!in.spmd.locals.contains(operand)) return broken(name + " takes no local");
  }
  if (!wellFormed(in.spmd.mesh, instruction.axes))
    return broken(name + " has no proper list of axes");
  return {};
}

// Every local is made once: those of an instruction follow those of the one before.
Status checkResults(const Input& in) {
  std::vector<bool> made(in.spmd.locals.size(), false);
  for (uint32_t i = 0; i < in.spmd.instructions.size(); ++i) {
    const Instruction& instruction = in.spmd.instructions[InstructionId(i)];
    for (uint32_t r = 0; r < instruction.resultCount; ++r) {
      const LocalId local = instruction.firstResult.plus(r);
      if (!in.spmd.locals.contains(local) || made[local.index()] ||
          in.local(local).definition != InstructionId(i)) {
        return broken("instruction " + std::to_string(i) + " does not make its result " +
                      str(local));
      }
      made[local.index()] = true;
    }
  }
  for (uint32_t i = 0; i < made.size(); ++i) {
    if (!made[i]) return broken(str(LocalId(i)) + " is made by no instruction");
  }
  return {};
}

// The shape is that of the value, each dim divided by the devices along its axes.
Status checkShape(const Input& in, LocalId id, OpId op) {
  const Local& local = in.local(id);
  const auto whole = in.program().shape(local.value), part = in.spmd.types.shape(local.type);
  const auto& types = in.program().types();
  if (whole.size() != part.size() || in.spmd.layouts.rank(local.layout) != whole.size() ||
      in.spmd.types.dtype(local.type) != types.dtype(in.program().value(local.value).type)) {
    return breach(in, "K1", op,
                  str(id) + " is " + in.spmd.types.str(local.type) + ", no part of " +
                      types.str(in.program().value(local.value).type));
  }
  for (size_t dim = 0; dim < whole.size(); ++dim) {
    const AxisList axes = in.spmd.layouts.dim(local.layout, dim);
    int64_t devices = 1;
    for (uint32_t i = 0; i < axes.size(); ++i) devices *= in.spmd.mesh.axes[axes[i]].size;
    if (part[dim] * devices == whole[dim]) continue;
    return breach(in, "K1", op,
                  str(id) + ": dim " + std::to_string(dim) + " has local size " +
                      std::to_string(part[dim]) + ", but size " + std::to_string(whole[dim]) +
                      " over " + axesStr(in.spmd.mesh, axes) + " devices was expected");
  }
  return {};
}

Status checkLocal(const Input& in, LocalId id) {
  const Local& local = in.local(id);
  if (local.value.index() >= in.program().valueCount() ||
      local.layout.index() >= in.spmd.layouts.size() ||
      local.type.index() >= in.spmd.types.size()) {
    return broken(str(id) + " has no value, layout or type");
  }
  return checkShape(in, id, in.spmd.instructions[local.definition].op);
}

bool known(const Input& in, const std::vector<LocalId>& locals) {
  for (const LocalId local : locals) {
    if (!in.spmd.locals.contains(local)) return false;
  }
  return true;
}

Status checkLists(const Input& in) {
  bool all = known(in, in.spmd.arguments) && known(in, in.spmd.results) &&
             in.spmd.yields.size() == in.program().regionCount();
  for (size_t i = 0; all && i < in.spmd.yields.size(); ++i) {
    all = known(in, in.spmd.yields[program::RegionId(i)]);
  }
  if (!all) return broken("arguments, results or yields that are no locals");
  return {};
}

}  // namespace

Status checkForm(const Input& in) {
  if (Status bad = checkMesh(in)) return bad;
  for (uint32_t i = 0; i < in.spmd.layouts.size(); ++i) {
    if (Status bad = checkLayout(in, mesh::LayoutId(i))) return bad;
  }
  for (uint32_t i = 0; i < in.spmd.instructions.size(); ++i) {
    if (Status bad = checkInstruction(in, InstructionId(i))) return bad;
  }
  if (Status bad = checkResults(in)) return bad;
  for (uint32_t i = 0; i < in.spmd.locals.size(); ++i) {
    if (Status bad = checkLocal(in, LocalId(i))) return bad;
  }
  return checkLists(in);
}

}  // namespace shardwright::spmd::checking
