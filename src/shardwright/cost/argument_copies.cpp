#include "shardwright/cost/argument_copies.h"

#include <algorithm>
#include <span>

#include "shardwright/cost/combine.h"

namespace shardwright::cost {
namespace {

using spmd::LocalId;

// An argument whose memory a step's result takes over.
struct Donation {
  size_t argument;
  StepId maker;
};

// Looks at so many donations in one pass: one bit each.
constexpr size_t kAtOnce = 64;

class Copies {
 public:
  Copies(const Graph& graph, const Steps& steps, const std::vector<StepId>& order)
      : graph_(graph),
        steps_(steps),
        order_(order),
        entry_(graph.subject->program.entry()),
        leadsTo_(steps.steps.size()) {}

  std::vector<char> find() && {
    const std::vector<Donation> donations = listDonations();
    std::vector<char> copied(graph_.subject->program.arguments().size(), 0);
    for (size_t begin = 0; begin < donations.size(); begin += kAtOnce) {
      const size_t count = std::min(kAtOnce, donations.size() - begin);
      const std::span<const Donation> some(donations.data() + begin, count);
      trace(some);
      for (size_t n = 0; n < count; ++n) {
        copied[some[n].argument] = isReadBesides(some[n], uint64_t{1} << n);
      }
    }
    return copied;
  }

 private:
  std::vector<Donation> listDonations() const {
    std::vector<Donation> donations;
    const auto& arguments = graph_.subject->program.arguments();
    for (size_t a = 0; a < arguments.size(); ++a) {
      if (!arguments[a].aliasedResult) continue;
      const StepId maker = steps_.makerIn(entry_, steps_.results[*arguments[a].aliasedResult]);
      if (maker.valid()) donations.push_back({a, maker});
    }
    return donations;
  }

  // Finds, for each step, which of these makers need it.
  void trace(std::span<const Donation> donations) {
    std::ranges::fill(leadsTo_, uint64_t{0});
    for (size_t n = 0; n < donations.size(); ++n) {
      leadsTo_[donations[n].maker.index()] |= uint64_t{1} << n;
    }
    for (size_t end = order_.size(); end > 0;) {
      size_t begin = end - 1;  // Of those that run as one (M16).
      while (begin > 0 && runAsOne(graph_, steps_, order_[begin - 1], order_[begin])) --begin;
      uint64_t all = 0;
      for (size_t n = begin; n < end; ++n) all |= leadsTo_[order_[n].index()];
      for (size_t n = begin; n < end; ++n) {
        leadsTo_[order_[n].index()] = all;
        steps_.forEachMaker(order_[n], [&](StepId maker) { leadsTo_[maker.index()] |= all; });
      }
      end = begin;
    }
  }

  bool isReadBesides(const Donation& donation, uint64_t bit) const {
    const auto readers = steps_.usersOf(graph_.spmd->arguments[donation.argument]);
    return std::ranges::any_of(readers, [&](StepId reader) {
      return steps_.steps[reader].region == entry_ && (leadsTo_[reader.index()] & bit) == 0;
    });
  }

  const Graph& graph_;
  const Steps& steps_;
  const std::vector<StepId>& order_;
  program::RegionId entry_;
  std::vector<uint64_t> leadsTo_;  // Per step: bits of the donations whose makers need it.
};

}  // namespace

std::vector<char> copiedArguments(const Graph& graph, const Steps& steps,
                                  const std::vector<StepId>& order) {
  return Copies(graph, steps, order).find();
}

}  // namespace shardwright::cost
