#include "shardwright/driver/estimate_lists.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "shardwright/driver/path_groups.h"
#include "shardwright/plan/names.h"
#include "shardwright/plan/tactic.h"

namespace shardwright::driver {
namespace {

spmd::LocalId largest(const spmd::SpmdProgram& spmd, const spmd::Instruction& instruction) {
  const spmd::LocalId operand = spmd.operandsOf(instruction)[0];
  const spmd::LocalId result = spmd.result(instruction);
  return spmd.bytes(operand) > spmd.bytes(result) ? operand : result;
}

std::string typeText(const spmd::SpmdProgram& spmd, spmd::LocalId local) {
  return spmd.types.str(spmd.locals[local].type);
}

double weightOf(const EstimateView& view, program::RegionId region) {
  return view.subject.program.region(region).weight;
}

// An argument's path, or where in the source the value is made.
std::string residentWhere(const EstimateView& view, const cost::Resident& resident) {
  const program::Program& program = view.subject.program;
  if (resident.kind == cost::Resident::Kind::kArgument) {
    const auto& arguments = view.spmd.arguments;
    const auto found = std::ranges::find(arguments, resident.local);
    if (found != arguments.end())
      return program.arguments()[static_cast<size_t>(found - arguments.begin())].path;
  }
  return plan::opText(program, resident.op);
}

// What a row stands for: arguments of layers are one, temporaries are told apart by source line.
std::string rowKey(const cost::Resident& resident, const std::string& where) {
  return resident.kind == cost::Resident::Kind::kArgument ? withoutIndices(where) : where;
}

// As in plan files; a partial value says so.
std::string specOf(const EstimateView& view, spmd::LocalId id) {
  const mesh::LayoutId layout = view.spmd.locals[id].layout;
  if (!view.spmd.layouts.partial(layout).empty())
    return view.spmd.layouts.str(view.spmd.mesh, layout);
  return plan::specText(view.spmd.mesh, view.spmd.layouts.dims(layout));
}

TensorPlace placeOf(const EstimateView& view, spmd::LocalId id, const std::string& path) {
  const spmd::Local& local = view.spmd.locals[id];
  const program::TypeTable& types = view.subject.program.types();
  const program::TypeId type = view.subject.program.value(local.value).type;
  const auto shape = types.shape(type);
  const auto localShape = view.spmd.types.shape(local.type);
  return {path,
          types.str(type),
          std::string(program::dtypeName(types.dtype(type))),
          specOf(view, id),
          {shape.begin(), shape.end()},
          {localShape.begin(), localShape.end()},
          view.spmd.bytes(id)};
}

// The largest first.
template <typename Key, typename Group>
std::vector<Group> sortedByBytes(std::map<Key, Group> groups) {
  std::vector<Group> sorted;
  for (auto& [key, group] : groups) sorted.push_back(std::move(group));
  std::ranges::stable_sort(sorted, std::greater{}, &Group::bytes);
  return sorted;
}

}  // namespace

std::vector<CollectiveGroup> collectiveGroups(const EstimateView& view) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, CollectiveGroup> groups;
  for (const cost::Event& event : view.estimate.events) {
    const spmd::Instruction& instruction = view.spmd.instructions[event.instruction];
    if (!spmd::isCollective(instruction.kind)) continue;
    const spmd::LocalId value = largest(view.spmd, instruction);
    CollectiveGroup row = {spmd::kindName(instruction.kind),
                           mesh::str(view.spmd.mesh, instruction.axes), typeText(view.spmd, value),
                           plan::opText(view.subject.program, instruction.op)};
    const double weight = weightOf(view, event.region);
    const auto key = std::tuple(row.kind, row.axes, row.type, row.where);
    CollectiveGroup& group = groups.try_emplace(key, std::move(row)).first->second;
    group.count += weight;
    group.bytes += weight * static_cast<double>(view.spmd.bytes(value));
    group.seconds += weight * (event.end - event.start).value;
  }
  std::vector<CollectiveGroup> sorted;
  for (auto& [key, group] : groups) sorted.push_back(std::move(group));
  std::ranges::stable_sort(sorted, std::greater{}, &CollectiveGroup::seconds);
  return sorted;
}

std::vector<ResidentGroup> residentGroups(const EstimateView& view) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, ResidentGroup> groups;
  for (const cost::Resident& resident : view.estimate.memory.residents) {
    ResidentGroup row = {cost::residentKindName(resident.kind), typeText(view.spmd, resident.local),
                         specOf(view, resident.local), residentWhere(view, resident)};
    const auto key = std::tuple(row.kind, row.type, row.layout, rowKey(resident, row.where));
    const std::string where = row.where;
    ResidentGroup& group = groups.try_emplace(key, std::move(row)).first->second;
    if (++group.count > 1 && group.where != where) group.where = together(group.where, where);
    group.bytes += static_cast<double>(resident.bytes.value);
  }
  return sortedByBytes(std::move(groups));
}

std::string peakText(const EstimateView& view) {
  const spmd::InstructionId at = view.estimate.memory.peakAt;
  if (!at.valid()) return "before anything runs";
  const spmd::Instruction& instruction = view.spmd.instructions[at];
  const std::string op = plan::opText(view.subject.program, instruction.op);
  if (instruction.kind == spmd::Kind::kCompute) return "while " + op + " runs";
  return "while " + std::string(spmd::kindName(instruction.kind)) + " for " + op + " runs";
}

std::vector<ArgumentGroup> argumentGroups(const EstimateView& view) {
  std::map<std::tuple<std::string, std::string, std::string>, ArgumentGroup> groups;
  for (size_t i = 0; i < view.spmd.arguments.size(); ++i) {
    TensorPlace place = argumentPlace(view, i);
    const std::string pattern = withoutIndices(place.path);
    const auto key = std::tuple(pattern, place.type, place.spec);
    ArgumentGroup& group =
        groups.try_emplace(key, ArgumentGroup{place.path, place.type, place.spec}).first->second;
    if (++group.count > 1) group.path = together(group.path, place.path);
    group.bytes += static_cast<double>(place.bytes);
  }
  return sortedByBytes(std::move(groups));
}

TensorPlace argumentPlace(const EstimateView& view, size_t index) {
  return placeOf(view, view.spmd.arguments[index], view.subject.program.arguments()[index].path);
}

TensorPlace resultPlace(const EstimateView& view, size_t index) {
  return placeOf(view, view.spmd.results[index], view.subject.program.results()[index].path);
}

}  // namespace shardwright::driver
