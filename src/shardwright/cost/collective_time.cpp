#include "shardwright/cost/collective_time.h"

#include <algorithm>
#include <bit>
#include <span>

#include "shardwright/base/check.h"

namespace shardwright::cost {
namespace {

// The segments of one level: one of a switched link, one per dim of a torus.
using Level = std::span<const Segment>;

// What a collective does on one level, per byte of the collective.
struct LevelTime {
  double hops = 0;
  double secondsPerByte = 0;
};

double fraction(int64_t devices) {
  return static_cast<double>(devices - 1) / static_cast<double>(devices);
}

double switchedHops(int64_t devices) {
  // The width is the logarithm rounded up.
  const auto depth = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(devices - 1)));
  return static_cast<double>(std::min<int64_t>(devices - 1, 2 * depth));
}

class Model {
 public:
  Model(const Topology& topology, mesh::AxisList axes)
      : topology_(topology), segments_(topology.segments(axes)) {}

  AlphaBeta gather() const {
    AlphaBeta time = start();
    double split = 1;  // Into how many parts the inner levels have cut the bytes (C7).
    for (const Level level : levels()) {
      const Link& link = topology_.links[level.front().link];
      const LevelTime part = link.isTorus() ? torusGather(level) : switchedGather(level.front());
      time.alpha += link.latency * part.hops;
      time.secondsPerByte = std::max(time.secondsPerByte, part.secondsPerByte / split);
      split *= static_cast<double>(devices(level));
    }
    return time;
  }

  AlphaBeta reduce() const {
    const AlphaBeta once = gather();
    const Seconds overhead = start().alpha;
    return {(once.alpha - overhead) * 2 + overhead, once.secondsPerByte * 2};
  }

  AlphaBeta exchange(bool permute) const {
    AlphaBeta time = start();
    for (const Level level : levels()) {
      const Link& link = topology_.links[level.front().link];
      for (const Segment& segment : level) {
        const LevelTime part =
            link.isTorus() ? torusExchange(segment, permute) : switchedExchange(segment, permute);
        time.alpha += link.latency * part.hops;
        time.secondsPerByte = std::max(time.secondsPerByte, part.secondsPerByte);
      }
    }
    return time;
  }

 private:
  // A collective over several levels is launched once.
  AlphaBeta start() const {
    AlphaBeta time;
    for (const Segment& segment : segments_)
      time.alpha = std::max(time.alpha, topology_.links[segment.link].overhead);
    return time;
  }

  std::vector<Level> levels() const {
    std::vector<Level> levels;
    for (size_t begin = 0, end = 0; begin < segments_.size(); begin = end) {
      while (end < segments_.size() && segments_[end].link == segments_[begin].link) ++end;
      levels.push_back(Level(segments_).subspan(begin, end - begin));
    }
    return levels;
  }

  static int64_t devices(Level level) {
    int64_t count = 1;
    for (const Segment& segment : level) count *= segment.size;
    return count;
  }

  double bandwidth(const Segment& segment) const {
    return topology_.links[segment.link].effective().value / static_cast<double>(segment.stride);
  }

  LevelTime switchedGather(const Segment& segment) const {
    return {switchedHops(segment.size), fraction(segment.size) / bandwidth(segment)};
  }

  LevelTime torusGather(Level level) const {
    LevelTime time;
    double wires = 0;
    for (const Segment& segment : level) {
      const bool ring = topology_.isRing(segment);
      const int64_t hops = ring ? segment.size / 2 : segment.size - 1;
      time.hops += static_cast<double>(hops * segment.stride);
      wires += bandwidth(segment) * (ring ? 2 : 1);
    }
    time.secondsPerByte = fraction(devices(level)) / wires;
    return time;
  }

  LevelTime switchedExchange(const Segment& segment, bool permute) const {
    const double bytes = permute ? 1 : fraction(segment.size);
    return {permute ? 1 : switchedHops(segment.size), bytes / bandwidth(segment)};
  }

  // On a line the wire in the middle carries what goes from one half to the other; on a ring all
  // wires carry the same, and each way round takes half.
  LevelTime torusExchange(const Segment& segment, bool permute) const {
    const bool ring = topology_.isRing(segment);
    const int64_t pairs = segment.size * segment.size / 4;  // One device of each half.
    double bytes = static_cast<double>(pairs) / static_cast<double>(segment.size) / (ring ? 2 : 1);
    int64_t hops = ring ? segment.size / 2 : segment.size - 1;
    if (permute) {
      bytes = std::max(1.0, bytes);
      hops = std::max<int64_t>(1, segment.size / (ring ? 4 : 2));
    }
    return {static_cast<double>(hops * segment.stride), bytes / bandwidth(segment)};
  }

  const Topology& topology_;
  std::vector<Segment> segments_;
};

}  // namespace

AlphaBeta collectiveTime(const Topology& topology, spmd::Kind kind, mesh::AxisList axes) {
  SW_CHECK(spmd::isCollective(kind));
  const Model model(topology, axes);
  switch (kind) {
    case spmd::Kind::kAllGather:
    case spmd::Kind::kReduceScatter:
      return model.gather();
    case spmd::Kind::kAllReduce:
      return model.reduce();
    default:
      return model.exchange(kind == spmd::Kind::kCollectivePermute);
  }
}

}  // namespace shardwright::cost
