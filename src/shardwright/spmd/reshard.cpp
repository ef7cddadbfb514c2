#include "shardwright/spmd/reshard.h"

#include <algorithm>
#include <map>
#include <queue>

namespace shardwright::spmd {

using mesh::AxisList;
using mesh::AxisSet;
using mesh::LayoutId;

namespace {

// Fewer steps win among equal bytes; a slice is the least of all.
constexpr double kStep = 1e-7, kSliceStep = 1e-9;

// One search. States are layouts.
class Search {
 public:
  Search(const mesh::Mesh& mesh, mesh::LayoutTable& layouts, std::span<const int64_t> shape,
         LayoutId from, LayoutId to)
      : mesh_(mesh), layouts_(layouts), shape_(shape), from_(from), to_(to) {}

  ReshardPath run() {
    reach(0, {}, from_, from_);
    while (!open_.empty()) {
      const auto [cost, id] = open_.top();
      open_.pop();
      const LayoutId layout(id);
      if (cost > best_.at(id).cost) continue;
      if (layout == to_) break;
      expand(layout, cost);
    }
    return trace();
  }

 private:
  struct Reached {
    double cost;
    ReshardStep step;
    LayoutId previous;
  };

  void reach(double cost, const ReshardStep& step, LayoutId layout, LayoutId previous) {
    const auto [entry, isNew] = best_.try_emplace(layout.index(), Reached{cost, step, previous});
    if (!isNew && entry->second.cost <= cost) return;
    entry->second = {cost, step, previous};
    open_.emplace(cost, layout.index());
  }

  void expand(LayoutId layout, double cost) {
    dims_ = layouts_.dims(layout);
    partial_ = layouts_.partial(layout);
    used_ = layouts_.splitting(layout);
    layout_ = layout;
    cost_ = cost;
    local_ = 1.0 / static_cast<double>(mesh::deviceCount(mesh_, used_));
    for (size_t d = 0; d < dims_.size(); ++d) {
      slices(d);
      reduceScatters(d);
      gathers(d);
    }
    allReduces();
    permute();
  }

  // The axes that the target has behind those that the dim has now; nothing if it has others.
  AxisList missing(size_t d) const {
    const AxisList target = layouts_.dim(to_, d);
    return target.startsWith(dims_[d]) ? target.from(dims_[d].size()) : AxisList();
  }

  double ring(AxisList axes) const {
    const auto n = static_cast<double>(mesh::deviceCount(mesh_, axes));
    return (n - 1) / n;
  }

  bool divides(size_t d, AxisList axes) const {
    return shape_[d] % mesh::deviceCount(mesh_, axes) == 0;
  }

  void go(Kind kind, size_t dim, size_t toDim, AxisList axes, double price) {
    ReshardStep step{kind, static_cast<uint8_t>(dim), static_cast<uint8_t>(toDim), axes, {}};
    const LayoutId next = layouts_.intern(next_, nextPartial_);
    step.result = next;
    reach(cost_ + price, step, next, layout_);
  }

  void start() {
    next_ = dims_;
    nextPartial_ = partial_;
  }

  void slices(size_t d) {  // B1
    const AxisList axes = missing(d);
    if (axes.empty() || (used_ | partial_).contains(axes[0])) return;
    start();
    next_[d].append(axes[0]);
    if (divides(d, next_[d])) go(Kind::kSlice, d, 0, axes.first(1), kSliceStep);
  }

  void reduceScatters(size_t d) {  // B5
    const AxisList axes = missing(d);
    AxisList taken;
    for (uint32_t i = 0; i < axes.size() && partial_.contains(axes[i]); ++i) {
      if (layouts_.partial(to_).contains(axes[i])) return;
      taken.append(axes[i]);
      start();
      next_[d].append(taken);
      nextPartial_ = partial_ - taken.set();
      if (divides(d, next_[d])) {
        go(Kind::kReduceScatter, d, 0, taken, ring(taken) * local_ + kStep);
      }
    }
  }

  void gathers(size_t d) {  // B2, B3
    for (uint32_t keep = dims_[d].size(); keep-- > 0;) {
      const AxisList axes = dims_[d].from(keep);
      const auto n = static_cast<double>(mesh::deviceCount(mesh_, axes));
      start();
      next_[d] = dims_[d].first(keep);
      go(Kind::kAllGather, d, 0, axes, ring(axes) * local_ * n + kStep);
      for (size_t e = 0; e < dims_.size(); ++e) {
        if (e == d || !missing(e).startsWith(axes)) continue;
        start();
        next_[d] = dims_[d].first(keep);
        next_[e].append(axes);
        if (divides(e, next_[e])) go(Kind::kAllToAll, d, e, axes, ring(axes) * local_ + kStep);
      }
    }
  }

  void allReduces() {  // B4: any part of the partial axes, so that others can be scattered.
    const uint16_t all = (partial_ - layouts_.partial(to_)).bits();
    for (uint16_t part = all; part != 0; part = static_cast<uint16_t>((part - 1) & all)) {
      const AxisList axes = AxisList::inMeshOrder(AxisSet::ofBits(part));
      start();
      nextPartial_ = partial_ - axes.set();
      go(Kind::kAllReduce, 0, 0, axes, 2 * ring(axes) * local_ + kStep);
    }
  }

  // B6: every dim that is cut into as many parts as some beginning of its target takes that.
  void permute() {
    if (!partial_.empty()) return;
    start();
    AxisSet seen;
    for (size_t d = 0; d < dims_.size(); ++d) {
      const AxisList target = layouts_.dim(to_, d);
      const int64_t parts = mesh::deviceCount(mesh_, dims_[d]);
      for (uint32_t count = 0; count <= target.size(); ++count) {
        if (mesh::deviceCount(mesh_, target.first(count)) == parts) next_[d] = target.first(count);
      }
      if (seen.meets(next_[d].set())) return;
      seen = seen | next_[d].set();
    }
    AxisSet moved;
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (next_[d] != dims_[d]) moved = moved | next_[d].set() | dims_[d].set();
    }
    if (moved.empty()) return;
    go(Kind::kCollectivePermute, 0, 0, AxisList::inMeshOrder(moved), local_ + kStep);
  }

  ReshardPath trace() const {
    ReshardPath path;
    path.cost = best_.at(to_.index()).cost;
    for (LayoutId at = to_; at != from_;) {
      const Reached& reached = best_.at(at.index());
      path.steps.push_back(reached.step);
      at = reached.previous;
    }
    std::ranges::reverse(path.steps);
    return path;
  }

  using Open = std::pair<double, uint32_t>;

  const mesh::Mesh& mesh_;
  mesh::LayoutTable& layouts_;
  std::span<const int64_t> shape_;
  LayoutId from_, to_;
  std::map<uint32_t, Reached> best_;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open_;

  // Of the layout being expanded, and of the one being made.
  std::vector<AxisList> dims_, next_;
  AxisSet partial_, used_, nextPartial_;
  LayoutId layout_;
  double cost_ = 0, local_ = 1;
};

}  // namespace

size_t Resharder::KeyHash::operator()(const Key& key) const {
  const uint64_t words[] = {uint64_t{key.from} << 32 | key.to, key.shape};
  return hashWords(words);
}

const ReshardPath& Resharder::path(uint32_t shapeKey, std::span<const int64_t> shape, LayoutId from,
                                   LayoutId to) {
  const auto [entry, isNew] = paths_.try_emplace(Key{shapeKey, from.index(), to.index()});
  if (isNew && from != to) entry->second = Search(mesh_, layouts_, shape, from, to).run();
  return entry->second;
}

}  // namespace shardwright::spmd
