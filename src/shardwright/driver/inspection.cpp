#include "shardwright/driver/inspection.h"

#include <algorithm>
#include <map>

namespace shardwright::driver {
namespace {

using program::OpId;
using program::Program;
using program::RegionId;
using program::ValueId;

TensorSummary summarize(const Program& program, ValueId value, const std::string& path,
                        const std::optional<mesh::Sharding>& sharding) {
  const program::TypeTable& types = program.types();
  const program::TypeId type = program.value(value).type;
  TensorSummary summary;
  summary.path = path;
  summary.dtype = program::dtypeName(types.dtype(type));
  summary.shape.assign(types.shape(type).begin(), types.shape(type).end());
  summary.bytes = types.bytes(type);
  if (sharding) summary.sharding = sharding->str();
  return summary;
}

void addArguments(const Program& program, const rules::RuleTable& rules, Inspection& inspection) {
  const analysis::Analysis analysis = analysis::Analysis::make(program, rules);
  const std::vector<Role> roles = plan::classifyArguments({program, rules, analysis});
  for (size_t i = 0; i < roles.size(); ++i) {
    const program::Argument& argument = program.arguments()[i];
    ArgumentSummary summary;
    summary.tensor = summarize(program, argument.value, argument.path, argument.sharding);
    summary.role = roles[i];
    summary.donated = argument.donated;
    RoleTotal& total = inspection.totals[roles[i]];
    total.tensors += 1;
    total.elements += program.types().elements(program.value(argument.value).type);
    total.bytes += summary.tensor.bytes;
    inspection.arguments.push_back(std::move(summary));
  }
}

void addResults(const Program& program, Inspection& inspection) {
  for (const program::ProgramResult& result : program.results()) {
    inspection.results.push_back(
        summarize(program, program.operands(result.returnOp)[0], result.path, result.sharding));
  }
}

uint32_t loopDepth(const Program& program, OpId op) {
  uint32_t depth = 0;
  for (RegionId region = program.op(op).region; region != program.entry();
       region = program.op(program.region(region).parent).region) {
    depth += program.region(region).kind == program::RegionKind::kBody ? 1 : 0;
  }
  return depth;
}

LoopSummary summarizeLoop(const Program& program, OpId op, const program::WhileAttrs& attributes) {
  const program::Region& body = program.region(program.regions(op)[1]);
  LoopSummary loop;
  loop.location = whereText(program, program.op(op).location);
  loop.tripCount = attributes.tripCount;
  loop.known = attributes.known;
  loop.depth = loopDepth(program, op);
  loop.carried = static_cast<uint32_t>(body.yields.size());
  loop.ops = body.end.index() - body.begin.index();
  return loop;
}

std::vector<UnsupportedSummary> unsupportedOps(const Program& program,
                                               const rules::RuleTable& rules) {
  std::map<uint32_t, UnsupportedSummary> byName;
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const OpId op(i);
    if (rules.source(program.op(op).signature) != rules::RuleSource::kWhole) continue;
    UnsupportedSummary& entry = byName[program.signature(op).name.index()];
    if (entry.count++ > 0) continue;
    entry.op = program.name(op);
    entry.location = whereText(program, program.op(op).location);
  }
  std::vector<UnsupportedSummary> found;
  for (auto& [name, entry] : byName) found.push_back(std::move(entry));
  return found;
}

void addOps(const Program& program, const rules::RuleTable& rules, Inspection& inspection) {
  std::vector<OpKindSummary> byName(program.nameCount());
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const OpId op(i);
    const program::SignatureId signature = program.op(op).signature;
    const double flops =
        rules.rule(signature).flops() * program.region(program.op(op).region).weight;
    const uint32_t name = program.signature(op).name.index();
    byName[name].count += 1;
    byName[name].flops += flops;
    inspection.flops += flops;
    if (const auto* loop = std::get_if<program::WhileAttrs>(&program.attributes(signature))) {
      inspection.loops.push_back(summarizeLoop(program, op, *loop));
    }
  }
  for (uint32_t i = 0; i < byName.size(); ++i) {
    const std::string name(program.name(program::NameId(i)));
    if (byName[i].count > 0 && !program::standsForAValue(name)) inspection.ops[name] = byName[i];
  }
}

void addMeshes(const Program& program, Inspection& inspection) {
  for (const mesh::Mesh& mesh : program.meshes()) {
    std::string text = (mesh.name.empty() ? "(inline)" : mesh.name) + ":";
    for (size_t i = 0; i < mesh.axes.size(); ++i) {
      text += (i == 0 ? " " : ", ") + mesh.axes[i].name + "=" + std::to_string(mesh.axes[i].size);
    }
    inspection.meshes.push_back(std::move(text));
  }
}

}  // namespace

Inspection inspect(const Program& program, const rules::RuleTable& rules) {
  Inspection inspection;
  addArguments(program, rules, inspection);
  addResults(program, inspection);
  addOps(program, rules, inspection);
  inspection.unsupported = unsupportedOps(program, rules);
  addMeshes(program, inspection);
  inspection.remarks = remarksOf(program);
  return inspection;
}

std::vector<std::string> remarksOf(const Program& program) {
  std::vector<std::string> remarks;
  for (const program::Remark& remark : program.remarks()) {
    // A remark about the whole module has no place.
    const bool placed = remark.location.index() != 0;
    remarks.push_back((placed ? whereText(program, remark.location) + ": " : "") + remark.message);
  }
  return remarks;
}

std::vector<std::string> estimateRemarks(const Program& program, const rules::RuleTable& rules) {
  std::vector<std::string> remarks = remarksOf(program);
  for (const UnsupportedSummary& op : unsupportedOps(program, rules)) {
    remarks.push_back(op.location + ": " + std::to_string(op.count) + " x " + op.op +
                      ": what happens inside is not known (a kernel, the body of a shard_map), so "
                      "neither its time nor its memory is in the estimate, but for reading and "
                      "writing its values whole");
  }
  return remarks;
}

}  // namespace shardwright::driver
