#include "shardwright/plan/meetings.h"

#include <algorithm>

#include "shardwright/analysis/edges.h"
#include "shardwright/analysis/union_find.h"

namespace shardwright::plan {

using analysis::ColorId;
using program::OpId;
using rules::FactorId;

namespace {

// The colours that could get an axis at an op, in the order of their classes.
std::vector<ColorId> splittableColors(const Subject& subject, OpId op) {
  const rules::Rule& rule = subject.rule(op);
  std::vector<ColorId> colors;
  for (uint32_t f = 0; f < rule.factorCount(); ++f) {
    const ColorId color = subject.analysis.color({op, FactorId(f)});
    const bool counts = color.valid() && analysis::canSplit(rule, FactorId(f)) &&
                        std::ranges::find(colors, color) == colors.end();
    if (counts) colors.push_back(color);
  }
  std::ranges::sort(colors, {},
                    [&](ColorId color) { return subject.analysis.colors()[color].classId; });
  return colors;
}

// Every (op, two colours that meet there) has a number; those of one op are consecutive.
class MeetingNumbers {
 public:
  explicit MeetingNumbers(const Subject& subject) : subject_(subject) {
    first_.push_back(0);
    for (uint32_t i = 0; i < subject.program.opCount(); ++i) {
      colors_.push_back(splittableColors(subject, OpId(i)));
      const size_t count = colors_.back().size();
      first_.push_back(first_.back() + static_cast<uint32_t>(count * (count - 1) / 2));
    }
  }

  uint32_t size() const { return first_.back(); }

  // Calls visit(number, op, first colour, second colour) for all, in program order.
  template <typename Visit>
  void forEach(Visit&& visit) const {
    for (uint32_t i = 0; i < colors_.size(); ++i) {
      uint32_t number = first_[i];
      for (size_t a = 0; a < colors_[i].size(); ++a) {
        for (size_t b = a + 1; b < colors_[i].size(); ++b)
          visit(number++, OpId(i), colors_[i][a], colors_[i][b]);
      }
    }
  }

  // Calls join(number, number) for meetings that one value carries from op to op.
  template <typename Join>
  void forEachJoined(Join&& join) const {
    std::vector<ColorId> carried;
    analysis::forEachEdge(subject_.program, [&](OpId from, size_t t, OpId to, size_t u) {
      if (first_[from.index()] == first_[from.index() + 1]) return;
      if (first_[to.index()] == first_[to.index() + 1]) return;
      collectCarried(from, t, to, u, carried);
      for (size_t a = 0; a < carried.size(); ++a) {
        for (size_t b = a + 1; b < carried.size(); ++b)
          join(number(from, carried[a], carried[b]), number(to, carried[a], carried[b]));
      }
    });
  }

 private:
  void collectCarried(OpId from, size_t t, OpId to, size_t u, std::vector<ColorId>& carried) const {
    carried.clear();
    const rules::Rule &a = subject_.rule(from), &b = subject_.rule(to);
    for (size_t dim = 0; dim < a.rank(t); ++dim) {
      analysis::forEachJoin(a, a.dim(t, dim), b, b.dim(u, dim), [&](FactorId x, FactorId) {
        const ColorId color = subject_.analysis.color({from, x});
        const auto has = [&](OpId op) {
          const auto& here = colors_[op.index()];
          return std::ranges::find(here, color) != here.end();
        };
        const bool isNew = std::ranges::find(carried, color) == carried.end();
        if (isNew && has(from) && has(to)) carried.push_back(color);
      });
    }
  }

  uint32_t number(OpId op, ColorId x, ColorId y) const {
    const auto& colors = colors_[op.index()];
    auto a = static_cast<size_t>(std::ranges::find(colors, x) - colors.begin());
    auto b = static_cast<size_t>(std::ranges::find(colors, y) - colors.begin());
    if (a > b) std::swap(a, b);
    const size_t before = a * colors.size() - a * (a + 1) / 2;
    return first_[op.index()] + static_cast<uint32_t>(before + b - a - 1);
  }

  Subject subject_;
  std::vector<std::vector<ColorId>> colors_;  // Per op.
  std::vector<uint32_t> first_;               // Per op, one past.
};

}  // namespace

Meetings::Meetings(const Subject& subject) {
  const MeetingNumbers numbers(subject);
  analysis::UnionFind joined(numbers.size());
  numbers.forEachJoined([&](uint32_t a, uint32_t b) { joined.join(a, b); });
  std::map<uint32_t, MeetingSet> sets;  // By the first of its meetings.
  numbers.forEach([&](uint32_t number, OpId op, ColorId first, ColorId second) {
    MeetingSet& set = sets[joined.find(number)];
    set.first = first;
    set.second = second;
    set.ops.push_back(op);
  });
  for (auto& [number, set] : sets) {
    places_[std::minmax(set.first, set.second)].push_back(sets_.size());
    sets_.push_back(std::move(set));
  }
}

std::vector<const MeetingSet*> Meetings::between(ColorId a, ColorId b) const {
  std::vector<const MeetingSet*> found;
  const auto places = places_.find(std::minmax(a, b));
  if (places == places_.end()) return found;
  for (const size_t place : places->second) found.push_back(&sets_[place]);
  return found;
}

}  // namespace shardwright::plan
