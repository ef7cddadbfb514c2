#include "shardwright/spmd/give_up.h"

#include <algorithm>
#include <ranges>

#include "shardwright/analysis/union_find.h"
#include "shardwright/spmd/splits.h"

namespace shardwright::spmd {

using mesh::AxisSet;
using program::OpId;
using rules::Rule;

bool isCheap(const Rule& rule) {
  // JAX sums the gradient of what was laid along rows over its dim of size 1.
  const auto reduces = [](const rules::Factor& factor) {
    return factor.kind == rules::FactorKind::kReduction && factor.size > 1;
  };
  return rule.flopsPerPoint() <= 1 && std::ranges::none_of(rule.factors(), reduces);
}

namespace {

// All axes at once: whether a split over one has a use does not depend on the others.
class IdleSplits {
 public:
  IdleSplits(const program::Program& program, const ProgramTables& tables, const plan::Plan& plan,
             Splits& splits)
      : program_(program),
        tables_(tables),
        splits_(splits),
        count_(static_cast<uint32_t>(program.opCount())),
        chain_(count_),
        needed_(count_) {
    for (uint32_t i = 0; i < count_; ++i) chain_[i] = splits.of(OpId(i)).optional;
    for (const plan::Pin& pin : plan.pins) chain_[pin.op.index()] = {};
  }

  void run() {
    for (uint32_t i = 0; i < count_; ++i) look(OpId(i));
    // To and fro along the program most needs are known soon. What is left is found by joining.
    constexpr int kMostRounds = 8;
    bool open = true;
    for (int round = 0; open && round < kMostRounds; ++round) open = passOn(round % 2 == 0);
    if (open) joinChains();
    for (uint32_t i = 0; i < count_; ++i) {
      const AxisSet idle = chain_[i] - needed_[i];
      if (!idle.empty()) splits_.giveUp(OpId(i), idle);
    }
  }

 private:
  // A value between two ops of one chain, and the axes over which not both are needed yet.
  struct Link {
    uint32_t maker, user;
    AxisSet axes;
  };

  // Every value from one op to another: inside a chain both have the axis; at its ends neither may.
  void look(OpId user) {
    const program::Op& op = program_.op(user);
    const uint32_t count = program_.signature(op.signature).operandCount;
    const TensorOf* makers = tables_.makers(op);
    const SplitFacts& facts = splits_.of(user);
    const AxisSet behind = chain_[user.index()];
    AxisSet needed = needed_[user.index()];
    for (uint32_t i = 0; i < count; ++i) {
      const TensorOf maker = makers[i];
      const AxisSet before = chain_[maker.op.index()];
      if ((before | behind).empty()) continue;
      const SplitFacts& makerFacts = splits_.of(maker.op);
      const AxisSet made = splits_.shown(makerFacts, maker.tensor) | makerFacts.reduced;
      const AxisSet wanted = splits_.shown(facts, i);
      const AxisSet taken = made & wanted;  // The rest is gathered or reduced in any case.
      const AxisSet inside = before & behind & taken;
      AxisSet& makerNeeded = needed_[maker.op.index()];
      needed = needed | ((behind & taken) - inside) | (makerNeeded & inside);
      makerNeeded = makerNeeded | ((before & wanted) - inside);
      if ((needed & makerNeeded).containsAll(inside)) continue;
      links_.push_back({maker.op.index(), user.index(), inside});
    }
    needed_[user.index()] = needed_[user.index()] | needed;
  }

  // What one op of a chain needs, the whole chain does. Whether anything was new.
  bool passOn(bool backwards) {
    uint32_t changes = 0;
    if (backwards) {
      for (size_t n = links_.size(); n-- > 0;) changes += passOn(links_[n]);
    } else {
      for (const Link& link : links_) changes += passOn(link);
    }
    return changes > 0;
  }
  bool passOn(const Link& link) {
    AxisSet &maker = needed_[link.maker], &user = needed_[link.user];
    const AxisSet both = (maker | user) & link.axes;
    const bool isNew = !(maker & user).containsAll(both);
    maker = maker | both;
    user = user | both;
    return isNew;
  }

  void joinChains() {
    AxisSet all;
    for (const Link& link : links_) all = all | link.axes;
    for (uint32_t axis = 0; axis < mesh::kMostAxes; ++axis) {
      if (all.contains(axis)) joinChains(axis);
    }
  }
  void joinChains(uint32_t axis) {
    analysis::UnionFind chains(count_);
    for (const Link& link : links_) {
      if (link.axes.contains(axis)) chains.join(link.maker, link.user);
    }
    for (uint32_t i = 0; i < count_; ++i) {
      if (needed_[i].contains(axis)) needed_[chains.find(i)].add(axis);
    }
    for (uint32_t i = 0; i < count_; ++i) {
      if (needed_[chains.find(i)].contains(axis)) needed_[i].add(axis);
    }
  }

  const program::Program& program_;
  const ProgramTables& tables_;
  Splits& splits_;
  uint32_t count_;               // Of ops.
  std::vector<AxisSet> chain_;   // Per op: the axes that it could give up.
  std::vector<AxisSet> needed_;  // Per op: those among them that have a use.
  std::vector<Link> links_;      // In program order of the users.
};

// U2. Inner loops stand behind the carries of outer ones, so they come first.
void giveUpIdleCarries(const program::Program& program, const ProgramTables& tables,
                       const plan::Plan& plan, Splits& splits) {
  std::vector<char> pinned(program.opCount(), 0);
  for (const plan::Pin& pin : plan.pins) pinned[pin.op.index()] = 1;
  for (uint32_t i = static_cast<uint32_t>(program.opCount()); i-- > 0;) {
    const OpId carry(i);
    if (tables.handling(carry) != Handling::kCarry || pinned[i] || splits.of(carry).used.empty())
      continue;
    const TensorOf maker = tables.makers(program.op(carry))[1];
    AxisSet wanted = splits.shown(maker.op, maker.tensor) | splits.of(maker.op).reduced;
    for (const TensorOf& use : tables.uses(program.result(carry, 1)))
      wanted = wanted | splits.shown(use.op, use.tensor);
    const AxisSet idle = splits.of(carry).used - wanted;
    if (!idle.empty()) splits.giveUp(carry, idle);
  }
}

// U3. What is moved on goes first: then those before it see it whole.
class CopiesOfMoves {
 public:
  CopiesOfMoves(const program::Program& program, const ProgramTables& tables,
                const plan::Plan& plan, Splits& splits)
      : program_(program), tables_(tables), plan_(plan), splits_(splits) {}

  void run() {
    for (const Move& move : std::views::reverse(tables_.moves())) {
      const AxisSet idle = idleOf(move.op);
      if (idle.empty()) continue;
      const AxisSet shared = move.entersLoop ? idle : idle & besideOf(move.op);
      if (!shared.empty()) splits_.giveUp(move.op, shared);
    }
  }

 private:
  // The axes over which a move comes split and could be whole, and all its uses want it so.
  AxisSet idleOf(OpId op) const {
    const auto uses = tables_.uses(program_.result(op, 0));
    if (uses.empty() || isPinned(op)) return {};
    AxisSet wanted;
    for (const TensorOf& use : uses) wanted = wanted | splits_.shown(use.op, use.tensor);
    const TensorOf maker = tables_.makers(program_.op(op))[0];
    return (splits_.of(op).optional & splits_.shown(maker.op, maker.tensor)) - wanted;
  }

  // The axes over which others of its region have, or could have, what it moves whole.
  AxisSet besideOf(OpId op) const {
    AxisSet whole;
    for (const TensorOf& use : tables_.uses(program_.operands(op)[0])) {
      if (use.op == op || program_.op(use.op).region != program_.op(op).region) continue;
      const AxisSet shown = splits_.shown(use.op, use.tensor);
      whole = whole | (splits_.of(op).optional - (isMove(use.op) ? shown - idleOf(use.op) : shown));
    }
    return whole;
  }

  bool isMove(OpId op) const {
    return std::ranges::binary_search(tables_.moves(), op, {}, &Move::op);
  }
  bool isPinned(OpId op) const {
    return std::ranges::any_of(plan_.pins, [&](const plan::Pin& pin) { return pin.op == op; });
  }

  const program::Program& program_;
  const ProgramTables& tables_;
  const plan::Plan& plan_;
  Splits& splits_;
};

}  // namespace

void giveUpIdleSplits(const program::Program& program, const ProgramTables& tables,
                      const plan::Plan& plan, Splits& splits) {
  giveUpIdleCarries(program, tables, plan, splits);
  if (!plan.remakeGap) CopiesOfMoves(program, tables, plan, splits).run();
  IdleSplits(program, tables, plan, splits).run();
}

}  // namespace shardwright::spmd
