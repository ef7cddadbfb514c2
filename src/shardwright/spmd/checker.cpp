#include "shardwright/spmd/checker.h"

#include "shardwright/spmd/checker_parts.h"

namespace shardwright::spmd {
namespace checking {

Diagnostic breach(const Input& in, const char* law, program::OpId op, const std::string& what) {
  return {std::string(law) + ": op " + std::to_string(op.index()) + " (" +
              std::string(in.program().name(op)) + "): " + what,
          in.program().source(op),
          {}};
}

std::string axesStr(const mesh::Mesh& mesh, mesh::AxisList axes) {
  if (axes.empty()) return "none";
  std::string names, sizes;
  for (uint32_t i = 0; i < axes.size(); ++i) {
    names += (i == 0 ? "" : "+") + mesh.axes[axes[i]].name;
    sizes += (i == 0 ? "" : "x") + std::to_string(mesh.axes[axes[i]].size);
  }
  return names + " (" + sizes + ")";
}

std::string axesStr(const mesh::Mesh& mesh, mesh::AxisSet axes) {
  return axesStr(mesh, mesh::AxisList::inMeshOrder(axes));
}

std::string str(LocalId id) { return "%" + std::to_string(id.index()); }

mesh::AxisList proper(const mesh::Mesh& mesh, mesh::AxisList axes) {
  mesh::AxisList kept;
  for (uint32_t i = 0; i < axes.size(); ++i) {
    if (mesh.axes[axes[i]].size > 1) kept.append(axes[i]);
  }
  return kept;
}

bool wellFormed(const mesh::Mesh& mesh, mesh::AxisList axes) {
  mesh::AxisSet seen;
  for (uint32_t i = 0; i < axes.size(); ++i) {
    const uint32_t axis = axes[i];
    if (axis >= mesh.axes.size() || seen.contains(axis)) return false;
    seen.add(axis);
  }
  return true;
}

}  // namespace checking

Status check(const plan::Subject& subject, const plan::Plan& plan, const SpmdProgram& spmd) {
  const checking::Input in{subject, plan, spmd};
  if (Status bad = checking::checkForm(in)) return bad;
  if (Status bad = checking::Structure(in).check()) return bad;
  return checking::Layouts(in).check();
}

}  // namespace shardwright::spmd
