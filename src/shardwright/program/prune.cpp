#include "shardwright/program/prune.h"

#include <numeric>

namespace shardwright::program {

// Has access to the tables of a Program.
class Pruner {
 public:
  Pruner(Program& program, const std::vector<char>& removable)
      : program_(program), live_(program.opCount(), 0) {
    passConstantsBy();
    for (uint32_t i = 0; i < live_.size(); ++i) {
      if (!removable[i] && !isTie(OpId(i))) markLive(OpId(i));
    }
    // What bodies and branches yield is wanted by carries and merges; a condition decides by
    // itself.
    for (const Region& region : program.regions_) {
      if (region.kind != RegionKind::kCondition) continue;
      for (const ValueId value : region.yields) markLive(program.value(value).definition);
    }
    while (!pending_.empty()) {
      const OpId op = pending_.back();
      pending_.pop_back();
      for (const ValueId operand : program.operands(op))
        markLive(program.value(operand).definition);
    }
  }

  size_t run() {
    for (Region& region : program_.regions_) dropYields(region);
    numberAgain();
    moveTables();
    for (Region& region : program_.regions_) moveRegion(region);
    std::unordered_map<uint32_t, uint32_t> tieIndices;
    for (const auto& [op, index] : program_.tieIndices_) {
      if (live_[op]) tieIndices[newOp_[op]] = index;
    }
    program_.tieIndices_ = std::move(tieIndices);
    std::unordered_map<uint32_t, std::vector<RegionId>> regions;
    for (auto& [op, list] : program_.regionsOfOp_) regions[newOp_[op]] = std::move(list);
    program_.regionsOfOp_ = std::move(regions);
    for (Argument& argument : program_.arguments_) argument.value = moved(argument.value);
    for (ProgramResult& result : program_.results_) result.returnOp = moved(result.returnOp);
    std::erase_if(program_.statedShardings_, [&](const StatedSharding& stated) {
      return newValue_[stated.value.index()] == newValue_[stated.value.index() + 1];
    });
    for (StatedSharding& stated : program_.statedShardings_) stated.value = moved(stated.value);
    const size_t removed = live_.size() - newOp_.back() - constants_;
    if (removed > 0) {
      program_.remarks_.push_back(
          {LocationId(0u),
           std::to_string(removed) + " ops whose results nothing uses are left out"});
    }
    return removed;
  }

 private:
  // A value that a loop carries unchanged, or that has no elements, is the value it starts with:
  // uses inside and behind the loop take that, and the carry is left without any. Loops in loops
  // pass values through one another, so until nothing changes.
  void passConstantsBy() {
    same_.resize(program_.values_.size());
    for (uint32_t i = 0; i < same_.size(); ++i) same_[i] = ValueId(i);
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = 0; i < program_.ops_.size(); ++i) changed |= passBy(OpId(i));
    }
    for (ValueId& operand : program_.operands_) operand = same(operand);
    for (Region& region : program_.regions_) {
      for (ValueId& value : region.yields) value = same(value);
    }
    for (StatedSharding& stated : program_.statedShardings_) stated.value = same(stated.value);
  }

  bool passBy(OpId op) {
    if (program_.name(op) != kCarry) return false;
    const ValueId inside = program_.result(op, 1);
    const auto operands = program_.operands(op);
    const ValueId yielded = same(operands[1]);
    if (same_[inside.index()] != inside) return false;
    const bool empty = program_.types_.elements(program_.values_[inside].type) == 0;
    if (yielded != inside && yielded != same(operands[0]) && !empty) return false;
    for (size_t r = 0; r < 3; ++r) same_[program_.result(op, r).index()] = operands[0];
    ++constants_;
    return true;
  }

  ValueId same(ValueId value) const {
    while (same_[value.index()] != value) value = same_[value.index()];
    return value;
  }

  bool isTie(OpId op) const { return program_.tieIndices_.contains(op.index()); }

  // The ties of a body stand just before its loop, those of a branch just behind the case.
  void dropYields(Region& region) const {
    if (region.kind != RegionKind::kBody && region.kind != RegionKind::kBranch) return;
    uint32_t tie = region.kind == RegionKind::kBody
                       ? region.parent.index() - static_cast<uint32_t>(region.yields.size())
                       : program_.regions_[program_.regions(region.parent).back()].end.index();
    std::erase_if(region.yields, [&](ValueId) { return !live_[tie++]; });
  }

  void markLive(OpId op) {
    if (live_[op.index()]) return;
    live_[op.index()] = 1;
    pending_.push_back(op);
  }

  // newOp_[i] is how many live ops stand before op i, which is its number if it lives.
  void numberAgain() {
    newOp_.push_back(0);
    for (const char live : live_) newOp_.push_back(newOp_.back() + (live ? 1 : 0));
    newValue_.push_back(0);
    for (const Value& value : program_.values_) {
      newValue_.push_back(newValue_.back() + (live_[value.definition.index()] ? 1 : 0));
    }
  }

  OpId moved(OpId op) const { return OpId(newOp_[op.index()]); }
  ValueId moved(ValueId value) const { return ValueId(newValue_[value.index()]); }

  void moveTables() {
    IdVector<OpId, Op> ops;
    IdVector<ValueId, Value> values;
    std::vector<ValueId> operands;
    for (uint32_t i = 0; i < live_.size(); ++i) {
      if (!live_[i]) continue;
      Op op = program_.ops_[OpId(i)];
      const auto old = program_.operands(OpId(i));
      op.operandsBegin = static_cast<uint32_t>(operands.size());
      op.firstResult = moved(op.firstResult);
      for (const ValueId operand : old) operands.push_back(moved(operand));
      ops.push(op);
    }
    for (const Value& value : program_.values_) {
      if (live_[value.definition.index()]) values.push({value.type, moved(value.definition)});
    }
    program_.ops_ = std::move(ops);
    program_.values_ = std::move(values);
    program_.operands_ = std::move(operands);
  }

  void moveRegion(Region& region) const {
    if (region.parent.valid()) region.parent = moved(region.parent);
    region.begin = moved(region.begin);
    region.end = moved(region.end);
    for (ValueId& value : region.yields) value = moved(value);
  }

  Program& program_;
  std::vector<char> live_;
  std::vector<OpId> pending_;
  size_t constants_ = 0;       // Carries that were passed by; they are no loss to report.
  std::vector<ValueId> same_;  // Per value: what stands for it.
  std::vector<uint32_t> newOp_, newValue_;  // One past, so that ends of ranges move too.
};

Pruned prune(Program program, const std::vector<char>& removable) {
  SW_CHECK(removable.size() == program.opCount());
  Pruned pruned;
  pruned.removed = Pruner(program, removable).run();
  pruned.program = std::move(program);
  return pruned;
}

}  // namespace shardwright::program
