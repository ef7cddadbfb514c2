// The tree of a Monte Carlo tree search, as a graph: paths with one canonical form share a node.
//
// One step is four small functions:
//   select    from the root down to an edge that leads nowhere yet, by value and curiosity
//   expand    puts a node at its end (or finds the one that another path has put there)
//   evaluate  is the caller's: the score of the state and of a rollout from it
//   backup    tells all edges on the way what was found
//
// The value of a node is the least cost found through it: nothing here is random but the search
// itself, so the best outcome is what counts, not the average.
//
// Edges that a thread is on count as visited without success (virtual loss), so that threads spread
// out. Not thread-safe: the caller locks.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "shardwright/search/problem.h"

namespace shardwright::search {

struct NodeTag;
using NodeId = Id<NodeTag>;

struct Edge {
  ActionId action;
  NodeId child;  // Invalid until somebody has been there.
  float prior = 0;
  uint32_t visits = 0;
  uint32_t onTheWay = 0;  // Threads.
};

struct Node {
  std::vector<Edge> edges;
  double best = std::numeric_limits<double>::infinity();  // treeCost, here or below.
  uint32_t visits = 0;
  bool exhausted = false;  // Every state below has been evaluated.
};

// What hangs below a state: its legal actions, and how promising each is. Priors add up to 1.
struct Branches {
  std::vector<ActionId> actions;
  std::vector<double> priors;
};

// The way from the root to an edge.
struct Descent {
  struct Step {
    NodeId node;
    uint32_t edge = 0;
  };
  std::vector<Step> steps;
  Path path;
};

struct TreeSettings {
  // How much curiosity counts against value.
  double exploration = 0.6;
  // In logarithms of time: a state this much worse than the best is worth half as much.
  double scale = 0.15;
};

class Tree {
 public:
  Tree(Branches root, double rootCost, TreeSettings settings);

  // Whether every state has been evaluated.
  bool exhausted() const { return nodes_[kRoot].exhausted; }
  size_t size() const { return nodes_.size(); }

  // Requires that the tree is not exhausted. The last step's edge has no child, or one that other
  // threads are on their way to. Marks the edges as being walked.
  Descent select();
  // The node of a canonical path; invalid if there is none.
  NodeId find(const Path& canonical) const;
  // The least cost found at a node or below.
  double cost(NodeId id) const { return nodes_[id].best; }
  // Whether the edge has a node at its end.
  bool leads(const Descent::Step& step) const {
    return nodes_[step.node].edges[step.edge].child.valid();
  }
  // Puts a node with these branches at the end of the descent, or links the one that is there.
  void expand(const Descent& descent, const Path& canonical, const Branches& branches);
  // Takes the marks back and spreads the cost.
  void backup(const Descent& descent, double cost);
  // Gives up a descent without a result.
  void abandon(const Descent& descent);

  // The descent along a path, for suggestions; ends where the tree does. Marks its edges.
  Descent follow(const Path& path);

 private:
  static constexpr NodeId kRoot{0u};

  struct PathHash {
    size_t operator()(const Path& path) const;
  };

  double value(double cost) const;
  double priority(const Node& node, const Edge& edge) const;
  uint32_t bestEdge(NodeId id) const;
  void walk(Descent& descent, NodeId node, uint32_t edge);
  NodeId add(const Path& canonical, const Branches& branches);
  void updateExhausted(NodeId id);

  IdVector<NodeId, Node> nodes_;
  std::unordered_map<Path, NodeId, PathHash> table_;  // By canonical path. Never walked through.
  double best_;
  TreeSettings settings_;
};

}  // namespace shardwright::search
