#include <algorithm>
#include <limits>

#include "shardwright/spmd/checker_parts.h"

namespace shardwright::spmd::checking {

using program::OpId;
using program::Program;
using program::RegionId;
using program::ValueId;

Structure::Structure(const Input& in)
    : in_(in),
      closed_(in.program().regionCount(), false),
      placeOf_(in.program().opCount(), std::numeric_limits<uint32_t>::max()),
      tiedTo_(in.program().opCount()),
      slotOf_(in.program().opCount(), 0) {
  findTies();
}

// The carries of a loop stand just before it, the merges of a case just after its regions; each in
// the order of what the regions yield.
void Structure::findTies() {
  const Program& program = in_.program();
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const auto regions = program.regions(OpId(i));
    if (regions.empty()) continue;
    const auto& last = program.region(regions.back());
    const auto count = static_cast<uint32_t>(last.yields.size());
    const bool loop = program.name(OpId(i)) == program::kWhile;
    const uint32_t first = loop ? i - count : last.end.index();
    for (uint32_t slot = 0; slot < count; ++slot) {
      tiedTo_[first + slot] = OpId(i);
      slotOf_[first + slot] = slot;
    }
  }
}

Status Structure::check() {
  if (Status bad = checkOrder()) return bad;
  for (uint32_t i = 0; i < in_.program().regionCount(); ++i) {
    if (Status bad = checkYields(RegionId(i))) return bad;
  }
  for (uint32_t i = 0; i < in_.spmd.instructions.size(); ++i) {
    if (Status bad = checkValues(in_.spmd.instructions[InstructionId(i)], i)) return bad;
  }
  return checkInterface();
}

bool Structure::within(RegionId inner, RegionId outer) const {
  const Program& program = in_.program();
  while (inner != outer) {
    if (inner == program.entry()) return false;
    inner = program.op(program.region(inner).parent).region;
  }
  return true;
}

// K2.
Status Structure::checkOrder() {
  const Program& program = in_.program();
  open_ = {{program.entry(), {}, 0}};
  uint32_t next = 0;
  for (uint32_t i = 0; i < in_.spmd.instructions.size(); ++i) {
    const Instruction& instruction = in_.spmd.instructions[InstructionId(i)];
    if (Status bad = enter(instruction)) return bad;
    open_.back().last = OpId();
    if (instruction.kind != Kind::kCompute) continue;
    if (instruction.op != OpId(next)) {
      return breach(in_, "K2", instruction.op,
                    "stands where op " + std::to_string(next) + " was expected");
    }
    if (instruction.region != program.op(instruction.op).region) {
      return breach(in_, "K2", instruction.op, "stands in another region");
    }
    open_.back().last = instruction.op;
    open_.back().nextRegion = 0;
    placeOf_[next++] = i;
  }
  if (next != program.opCount()) return breach(in_, "K2", OpId(next), "is missing");
  return {};
}

// Leaves regions until the instruction's is the innermost, or opens it.
Status Structure::enter(const Instruction& instruction) {
  const auto isIt = [&](const Frame& frame) { return frame.region == instruction.region; };
  if (std::ranges::none_of(open_, isIt)) return open(instruction);
  while (!isIt(open_.back())) {
    closed_[open_.back().region.index()] = true;
    open_.pop_back();
  }
  return {};
}

Status Structure::open(const Instruction& instruction) {
  const Program& program = in_.program();
  const OpId parent = program.region(instruction.region).parent;
  while (open_.size() > 1 && open_.back().last != parent) {
    closed_[open_.back().region.index()] = true;
    open_.pop_back();
  }
  Frame& around = open_.back();
  const auto regions = program.regions(parent);
  const auto index =
      static_cast<size_t>(std::ranges::find(regions, instruction.region) - regions.begin());
  const bool follows = around.last == parent && index >= around.nextRegion;
  if (closed_[instruction.region.index()] || !follows) {
    return breach(in_, "K2", instruction.op,
                  "stands in region " + std::to_string(instruction.region.index()) +
                      ", which does not lie here");
  }
  around.nextRegion = index + 1;
  open_.push_back({instruction.region, {}, 0});
  return {};
}

// K3.
Status Structure::checkValues(const Instruction& instruction, uint32_t place) const {
  const Program& program = in_.program();
  const bool compute = instruction.kind == Kind::kCompute;
  const size_t operands = compute ? program.operands(instruction.op).size() : 1;
  const size_t results = compute ? program.resultCount(instruction.op) : 1;
  if (instruction.operandCount != operands || instruction.resultCount != results) {
    return breach(in_, "K3", instruction.op,
                  std::string(kindName(instruction.kind)) + " has " +
                      std::to_string(instruction.operandCount) + " operands and " +
                      std::to_string(instruction.resultCount) + " results, expected " +
                      std::to_string(operands) + " and " + std::to_string(results));
  }
  for (size_t i = 0; i < operands; ++i) {
    if (Status bad = checkOperand(instruction, place, i)) return bad;
  }
  for (size_t i = 0; i < results; ++i) {
    const ValueId expected = compute ? program.result(instruction.op, i)
                                     : in_.local(in_.spmd.operandsOf(instruction)[0]).value;
    if (in_.local(in_.spmd.result(instruction, i)).value != expected) {
      return breach(in_, "K3", instruction.op,
                    std::string(kindName(instruction.kind)) + ": result " + std::to_string(i) +
                        " stands for another value");
    }
  }
  return {};
}

Status Structure::checkOperand(const Instruction& instruction, uint32_t place,
                               size_t operand) const {
  const LocalId local = in_.spmd.operandsOf(instruction)[operand];
  const std::string name = "operand " + std::to_string(operand);
  if (instruction.kind != Kind::kCompute) {
    return checkVisible(local, instruction.op, instruction.region, place);
  }
  const ValueId expected = in_.program().operands(instruction.op)[operand];
  if (in_.local(local).value != expected) {
    return breach(in_, "K3", instruction.op,
                  name + " is " + str(local) + ", which stands for another value");
  }
  const LocalId given = yielded(instruction.op, operand);
  if (!given.valid()) return checkVisible(local, instruction.op, instruction.region, place);
  if (given == local) return {};
  return breach(in_, "K8", instruction.op,
                name + " is " + str(local) + ", but its region yields " + str(given));
}

LocalId Structure::yielded(OpId op, size_t operand) const {
  const OpId parent = tiedTo_[op.index()];
  if (!parent.valid()) return {};
  const auto regions = in_.program().regions(parent);
  const bool loop = in_.program().name(parent) == program::kWhile;
  if (loop && operand == 0) return {};
  const auto& yields = in_.spmd.yields[loop ? regions.back() : regions[operand]];
  const uint32_t slot = slotOf_[op.index()];
  return slot < yields.size() ? yields[slot] : LocalId();
}

Status Structure::checkVisible(LocalId local, OpId user, RegionId region, uint32_t place) const {
  const InstructionId definition = in_.local(local).definition;
  const Instruction& maker = in_.spmd.instructions[definition];
  if (definition.index() >= place) return breach(in_, "K3", user, str(local) + " is made later");
  if (!within(region, maker.region)) {
    return breach(in_, "K3", user, str(local) + " is made in a region that has ended");
  }
  return checkCarried(local, user, region, place);
}

// A carry's results are seen in the condition, in the body and after the loop, one each.
Status Structure::checkCarried(LocalId local, OpId user, RegionId region, uint32_t place) const {
  const Instruction& maker = in_.spmd.instructions[in_.local(local).definition];
  if (maker.kind != Kind::kCompute || in_.program().name(maker.op) != program::kCarry) return {};
  const OpId loop = tiedTo_[maker.op.index()];
  const auto regions = in_.program().regions(loop);
  const bool inCondition = within(region, regions[0]), inBody = within(region, regions[1]);
  const bool after = !inCondition && !inBody && placeOf_[loop.index()] < place;
  const uint32_t which = local.index() - maker.firstResult.index();
  if (which == 0 ? inCondition : which == 1 ? inBody : after) return {};
  return breach(in_, "K3", user, str(local) + " of a carry is used in the wrong place");
}

// K8.
Status Structure::checkYields(RegionId region) const {
  const auto& wanted = in_.program().region(region).yields;
  const auto& yields = in_.spmd.yields[region];
  const bool entry = region == in_.program().entry();
  const OpId parent = entry ? OpId(0u) : in_.program().region(region).parent;
  if (yields.size() != wanted.size()) {
    return breach(in_, "K8", parent,
                  "a region yields " + std::to_string(yields.size()) + " values, expected " +
                      std::to_string(wanted.size()));
  }
  for (size_t i = 0; i < yields.size(); ++i) {
    const Local& local = in_.local(yields[i]);
    const std::string name = "yield " + std::to_string(i) + " (" + str(yields[i]) + ")";
    if (local.value != wanted[i]) {
      return breach(in_, "K8", parent, name + " stands for another value");
    }
    // What a body yields is checked with its carry.
    const bool body = in_.program().region(region).kind == program::RegionKind::kBody;
    if (!body && !in_.spmd.layouts.partial(local.layout).empty()) {
      return breach(in_, "K6", parent, name + " is partial");
    }
    const bool here = in_.spmd.instructions[local.definition].region == region;
    const uint32_t end = here || entry ? static_cast<uint32_t>(in_.spmd.instructions.size())
                                       : placeOf_[parent.index()];
    if (Status bad = checkVisible(yields[i], parent, region, end)) return bad;
  }
  return {};
}

Status Structure::checkInterface() const {
  const Program& program = in_.program();
  const auto& arguments = program.arguments();
  const auto& results = program.results();
  if (in_.spmd.arguments.size() != arguments.size() || in_.spmd.results.size() != results.size()) {
    return Diagnostic{"K8: not as many arguments or results as the program has", {}, {}};
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const OpId op = program.value(arguments[i].value).definition;
    const Instruction& maker = in_.spmd.instructions[InstructionId(placeOf_[op.index()])];
    if (in_.spmd.arguments[i] == in_.spmd.result(maker)) continue;
    return breach(in_, "K8", op, "argument " + std::to_string(i) + " is another local");
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const OpId op = results[i].returnOp;
    const Instruction& taker = in_.spmd.instructions[InstructionId(placeOf_[op.index()])];
    if (in_.spmd.results[i] == in_.spmd.operandsOf(taker)[0]) continue;
    return breach(in_, "K8", op, "result " + std::to_string(i) + " is another local");
  }
  return {};
}

}  // namespace shardwright::spmd::checking
