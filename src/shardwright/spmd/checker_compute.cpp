#include <array>

#include "shardwright/spmd/checker_parts.h"

namespace shardwright::spmd::checking {

using mesh::AxisList;
using mesh::AxisSet;
using program::Combiner;
using program::OpId;
using rules::FactorId;
using rules::Rule;

namespace {

AxisList without(AxisList axes, AxisSet dropped) {
  AxisList rest;
  for (uint32_t i = 0; i < axes.size(); ++i) {
    if (!dropped.contains(axes[i])) rest.append(axes[i]);
  }
  return rest;
}

bool shows(const Rule& rule, size_t tensor, FactorId factor) {
  for (size_t dim = 0; dim < rule.rank(tensor); ++dim) {
    for (const FactorId other : rule.dim(tensor, dim)) {
      if (other == factor) return true;
    }
  }
  return false;
}

// Those of its first factor larger than 1.
AxisList axesOfDim(const Rule& rule, std::span<const AxisList> axes, size_t tensor, size_t dim) {
  for (const FactorId factor : rule.dim(tensor, dim)) {
    if (rule.factor(factor).size > 1) return axes[factor.index()];
  }
  return {};
}

std::string tensorName(const Rule& rule, size_t tensor) {
  return tensor < rule.operandCount() ? "operand " + std::to_string(tensor)
                                      : "result " + std::to_string(tensor - rule.operandCount());
}

}  // namespace

void Layouts::Flow::meet(Combiner other) {
  mixed = mixed || (any && combiner != other);
  combiner = other;
  any = true;
}

Layouts::Layouts(const Input& in)
    : in_(in),
      law_(in),
      combiner_(in.spmd.locals.size(), Combiner::kAdd),
      settled_(in.spmd.locals.size(), false) {
  for (const plan::Pin& pin : in.plan.pins) {
    const bool tie = program::standsForAValue(in.program().name(pin.op));
    if (tie || pin.result >= in.program().resultCount(pin.op)) continue;
    pinOf_[in.program().result(pin.op, pin.result).index()] = &pin;
  }
  findUse();
}

void Layouts::findUse() {
  made_.resize(in_.program().valueCount());
  wanted_.resize(in_.program().valueCount());
  wholeOnce_.resize(in_.program().valueCount());
  wholeTwice_.resize(in_.program().valueCount());
  AxisSet all;
  for (uint32_t axis = 0; axis < in_.spmd.mesh.axes.size(); ++axis) all.add(axis);
  for (const Instruction& instruction : in_.spmd.instructions) {
    if (instruction.kind != Kind::kCompute) continue;
    for (const LocalId operand : in_.spmd.operandsOf(instruction)) {
      const size_t value = in_.local(operand).value.index();
      const AxisSet splitting = in_.spmd.layouts.splitting(in_.local(operand).layout);
      wanted_[value] = wanted_[value] | splitting;
      wholeTwice_[value] = wholeTwice_[value] | (wholeOnce_[value] & (all - splitting));
      wholeOnce_[value] = wholeOnce_[value] | (all - splitting);
    }
    for (size_t i = 0; i < instruction.resultCount; ++i) {
      const LocalId result = in_.spmd.result(instruction, i);
      made_[in_.local(result).value.index()] =
          in_.spmd.layouts.splitting(in_.local(result).layout) | partial(result);
    }
  }
}

Status Layouts::check() {
  for (uint32_t i = 0; i < in_.spmd.instructions.size(); ++i) {
    const Instruction& instruction = in_.spmd.instructions[InstructionId(i)];
    Status bad =
        instruction.kind == Kind::kCompute ? checkCompute(instruction) : checkMove(instruction);
    if (!bad && !pinOf_.empty()) bad = checkPinned(instruction, i);
    if (bad) return bad;
  }
  for (const auto& yields : in_.spmd.yields) {
    for (const LocalId local : yields) {
      // Its carry was looked at before it was made, and took it for a sum.
      if (!partial(local).empty() && combiner_[local.index()] != Combiner::kAdd) {
        return breach(in_, "K6", in_.spmd.instructions[in_.local(local).definition].op,
                      str(local) + " is yielded partial, and is no sum");
      }
      const bool pinned = pinOf_.contains(in_.local(local).value.index());
      if (!pinned || settled_[local.index()]) continue;
      return breach(in_, "K9", in_.spmd.instructions[in_.local(local).definition].op,
                    str(local) + " is yielded before its pinned layout is reached");
    }
  }
  return {};
}

Status Layouts::checkCompute(const Instruction& instruction) {
  const OpId op = instruction.op;
  Flow flow;
  if (Status bad = findReductions(op, flow)) return bad;
  if (Status bad = findFlow(instruction, flow)) return bad;
  if (!flow.axes.empty()) {
    if (Status bad = checkGroups(instruction)) return bad;
  }
  if (Status bad = checkSplits(op, flow.axes)) return bad;
  if (flow.mixed) return breach(in_, "K6", op, "terms of different combiners meet");
  const size_t operands = in_.subject.rule(op).operandCount();
  for (size_t i = 0; i < operands; ++i) {
    if (Status bad = checkTensor(op, i, in_.spmd.operandsOf(instruction)[i])) return bad;
  }
  for (size_t i = 0; i < instruction.resultCount; ++i) {
    const LocalId result = in_.spmd.result(instruction, i);
    if (Status bad = checkTensor(op, operands + i, result)) return bad;
    if (partial(result) != (flow.axes | flow.reductions)) {
      return breach(in_, "K6", op,
                    "result " + std::to_string(i) + " is partial over " +
                        axesStr(in_.spmd.mesh, partial(result)) + ", expected " +
                        axesStr(in_.spmd.mesh, flow.axes | flow.reductions));
    }
    combiner_[result.index()] = flow.combiner;
  }
  return {};
}

Status Layouts::findReductions(OpId op, Flow& flow) const {
  const Rule& rule = in_.subject.rule(op);
  const auto axes = in_.spmd.assignment.axes(op);
  for (uint32_t f = 0; f < rule.factorCount(); ++f) {
    if (!wellFormed(in_.spmd.mesh, axes[f])) {
      return breach(in_, "K4", op, "factor " + std::to_string(f) + " has no proper list of axes");
    }
    if (axes[f].empty() || rule.factor(FactorId(f)).kind != rules::FactorKind::kReduction) continue;
    flow.reductions = flow.reductions | axes[f].set();
    flow.meet(rule.factor(FactorId(f)).combiner);
  }
  return {};
}

// Axes over which an operand that counts once must be masked: those of split reductions that it
// does not show.
AxisSet Layouts::counted(OpId op, size_t operand) const {
  const Rule& rule = in_.subject.rule(op);
  AxisSet axes;
  if (!rule.countsOnce(operand)) return axes;
  for (uint32_t f = 0; f < rule.factorCount(); ++f) {
    const bool reduces = rule.factor(FactorId(f)).kind == rules::FactorKind::kReduction;
    if (reduces && !shows(rule, operand, FactorId(f))) {
      axes = axes | in_.spmd.assignment.axes(op, FactorId(f)).set();
    }
  }
  return axes;
}

// All elements are 0: a zero constant, or what a linear op of one operand makes of it. Then the
// value is its own mask.
bool Layouts::isZero(program::ValueId value) const {
  for (;;) {
    const OpId op = in_.program().value(value).definition;
    const auto& attributes = in_.program().attributes(in_.program().op(op).signature);
    const auto* constant = std::get_if<program::ConstantAttrs>(&attributes);
    if (constant != nullptr) return constant->zero;
    const auto operands = in_.program().operands(op);
    if (operands.size() != 1 || in_.subject.rule(op).linearGroup(0) == 0) return false;
    value = operands[0];
  }
}

// Axes over which an operand brings partial terms of its own.
AxisSet Layouts::flowing(const Instruction& instruction, size_t operand) const {
  return partial(in_.spmd.operandsOf(instruction)[operand]) - counted(instruction.op, operand);
}

// K6, for each operand.
Status Layouts::findFlow(const Instruction& instruction, Flow& flow) const {
  const OpId op = instruction.op;
  // What a loop carries may be a sum that every turn adds to.
  const std::string_view name = in_.program().name(op);
  const bool closed = program::standsForAValue(name) && name != program::kCarry;
  for (size_t i = 0; i < instruction.operandCount; ++i) {
    const LocalId operand = in_.spmd.operandsOf(instruction)[i];
    const AxisSet once = counted(op, i), through = flowing(instruction, i);
    const bool enters = !partial(operand).containsAll(once);
    if (enters && !(flow.combiner == Combiner::kAdd && isZero(in_.local(operand).value))) {
      return breach(in_, "K6", op,
                    "operand " + std::to_string(i) +
                        " counts once and must enter on one device of " +
                        axesStr(in_.spmd.mesh, once));
    }
    if (partial(operand).empty()) continue;
    const Combiner terms = combiner_[operand.index()];
    const bool linear = !closed && in_.subject.rule(op).linearGroup(i) != 0;
    if (!through.empty() && (!linear || terms != Combiner::kAdd)) {
      return breach(in_, "K6", op,
                    "operand " + std::to_string(i) + " is partial (" +
                        program::combinerName(terms) + ") over " + axesStr(in_.spmd.mesh, through) +
                        ", and must be complete");
    }
    flow.axes = flow.axes | through;
    flow.meet(terms);
  }
  return {};
}

// K6, between operands: those of one group bring the same axes (0 goes with any term), those of
// different groups none in common.
Status Layouts::checkGroups(const Instruction& instruction) const {
  const Rule& rule = in_.subject.rule(instruction.op);
  const auto operands = in_.spmd.operandsOf(instruction);
  std::array<AxisSet, 256> ofGroup;
  for (size_t i = 0; i < operands.size(); ++i) {
    const AxisSet axes = flowing(instruction, i);
    ofGroup[rule.linearGroup(i)] = ofGroup[rule.linearGroup(i)] | axes;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const AxisSet axes = flowing(instruction, i), together = ofGroup[rule.linearGroup(i)];
    const bool alike = axes == together || (axes.empty() && isZero(in_.local(operands[i]).value));
    bool alone = true;
    for (size_t k = 0; k < i; ++k) {
      const uint8_t other = rule.linearGroup(k);
      alone = alone && (other == rule.linearGroup(i) || !ofGroup[other].meets(axes));
    }
    if (alike && alone) continue;
    return breach(in_, "K6", instruction.op,
                  "operand " + std::to_string(i) + " is partial over " +
                      axesStr(in_.spmd.mesh, axes) + ", which does not go with the other operands");
  }
  return {};
}

// U2: in a turn of its loop nothing yields the value split over the axis and nothing reads it so.
bool Layouts::isIdleCarry(OpId op, uint32_t axis) const {
  return in_.program().name(op) == program::kCarry &&
         !made_[in_.program().operands(op)[1].index()].contains(axis) &&
         !wanted_[in_.program().result(op, 1).index()].contains(axis);
}

bool Layouts::onlyMoves(OpId op) const {
  const program::Program& program = in_.program();
  return program.operands(op).size() == 1 && program.resultCount(op) == 1 &&
         in_.subject.rule(op).flopsPerPoint() == 0 && program.name(op) != program::kBarrier &&
         !program::standsForAValue(program.name(op));
}

// What the op moves, or what is moved to it, stands before the loop that the op is in.
bool Layouts::movesIntoLoop(OpId op) const {
  const program::Program& program = in_.program();
  program::RegionId body = program.op(op).region;
  while (body != program.entry() && program.region(body).kind != program::RegionKind::kBody)
    body = program.op(program.region(body).parent).region;
  if (body == program.entry()) return false;
  const OpId loop = program.region(body).parent;
  const auto carried = static_cast<uint32_t>(program.region(body).yields.size());
  OpId maker = op;
  while (maker > loop && onlyMoves(maker))
    maker = program.value(program.operands(maker)[0]).definition;
  return maker.index() + carried < loop.index();
}

// U3: the op only moves its operand, which another op takes whole over the axis too or which comes
// into the loop, and nothing wants its result split.
bool Layouts::isMovedWhole(OpId op, uint32_t axis) const {
  if (!onlyMoves(op) || in_.plan.remakeGap) return false;
  const program::ValueId moved = in_.program().operands(op)[0];
  return (wholeTwice_[moved.index()].contains(axis) || movesIntoLoop(op)) &&
         !wanted_[in_.program().result(op, 0).index()].contains(axis);
}

// U1: nothing comes to the op split over the axis that it would take so, and nothing that it makes
// is wanted so. The op is as cheap as an addition and no tie.
bool Layouts::isIdle(OpId op, std::span<const AxisList> law, uint32_t axis) const {
  if (isIdleCarry(op, axis) || isMovedWhole(op, axis)) return true;
  const Rule& rule = in_.subject.rule(op);
  if (rule.flopsPerPoint() > 1 || program::standsForAValue(in_.program().name(op))) return false;
  for (const rules::Factor& factor : rule.factors()) {
    if (factor.kind == rules::FactorKind::kReduction && factor.size > 1) return false;
  }
  const auto operands = in_.program().operands(op);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!made_[operands[i].index()].contains(axis)) continue;
    for (size_t dim = 0; dim < rule.rank(i); ++dim) {
      if (axesOfDim(rule, law, i, dim).contains(axis)) return false;
    }
  }
  for (uint32_t i = 0; i < in_.program().resultCount(op); ++i) {
    if (wanted_[in_.program().result(op, i).index()].contains(axis)) return false;
  }
  return true;
}

// K4.
Status Layouts::checkSplits(OpId op, AxisSet flowingAxes) const {
  const std::vector<AxisList> law = law_.at(op);
  const auto axes = in_.spmd.assignment.axes(op);
  for (uint32_t f = 0; f < law.size(); ++f) {
    AxisSet dropped = flowingAxes;
    for (uint32_t i = 0; i < law[f].size(); ++i) {
      const uint32_t axis = law[f][i];
      if (!axes[f].contains(axis) && isIdle(op, law, axis)) dropped.add(axis);
    }
    const AxisList expected = without(law[f], dropped);
    if (axes[f] == expected) continue;
    return breach(in_, "K4", op,
                  "factor " + std::to_string(f) + " of size " +
                      std::to_string(in_.subject.rule(op).factor(FactorId(f)).size) +
                      " is split over " + axesStr(in_.spmd.mesh, axes[f]) + ", expected " +
                      axesStr(in_.spmd.mesh, expected));
  }
  return {};
}

// K5.
Status Layouts::checkTensor(OpId op, size_t tensor, LocalId local) const {
  const Rule& rule = in_.subject.rule(op);
  for (size_t dim = 0; dim < rule.rank(tensor); ++dim) {
    const AxisList expected = axesOfDim(rule, in_.spmd.assignment.axes(op), tensor, dim);
    const AxisList actual = in_.spmd.layouts.dim(in_.local(local).layout, dim);
    if (actual == expected) continue;
    return breach(in_, "K5", op,
                  tensorName(rule, tensor) + " (" + str(local) + "): dim " + std::to_string(dim) +
                      " of size " +
                      std::to_string(in_.program().shape(in_.local(local).value)[dim]) +
                      " is split over " + axesStr(in_.spmd.mesh, actual) + ", expected " +
                      axesStr(in_.spmd.mesh, expected));
  }
  return {};
}

}  // namespace shardwright::spmd::checking
