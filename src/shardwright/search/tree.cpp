#include "shardwright/search/tree.h"

#include <algorithm>
#include <cmath>

#include "shardwright/base/interner.h"

namespace shardwright::search {

size_t Tree::PathHash::operator()(const Path& path) const {
  std::vector<uint64_t> words;
  words.reserve(path.size());
  for (const ActionId action : path) words.push_back(action.index());
  return static_cast<size_t>(hashWords(words));
}

Tree::Tree(Branches root, double rootCost, TreeSettings settings)
    : best_(rootCost), settings_(settings) {
  add({}, root);
  nodes_[kRoot].best = rootCost;
}

NodeId Tree::add(const Path& canonical, const Branches& branches) {
  Node node;
  for (size_t i = 0; i < branches.actions.size(); ++i) {
    Edge edge;
    edge.action = branches.actions[i];
    edge.prior = static_cast<float>(branches.priors[i]);
    node.edges.push_back(edge);
  }
  node.exhausted = node.edges.empty();
  const NodeId id = nodes_.push(std::move(node));
  table_.emplace(canonical, id);
  return id;
}

NodeId Tree::find(const Path& canonical) const {
  const auto found = table_.find(canonical);
  return found == table_.end() ? NodeId() : found->second;
}

double Tree::value(double cost) const {
  return 1 / (1 + std::max(cost - best_, 0.0) / settings_.scale);
}

// An edge that nobody has walked is worth what its node is worth: the node's own state may be the
// best there is, and the prior says which edges to try first.
double Tree::priority(const Node& node, const Edge& edge) const {
  const double cost = edge.child.valid() ? nodes_[edge.child].best : node.best;
  const uint32_t walked = edge.visits + edge.onTheWay;
  const double success = walked == 0 ? 1 : static_cast<double>(edge.visits) / walked;
  const double curiosity = settings_.exploration * static_cast<double>(edge.prior) *
                           std::sqrt(static_cast<double>(node.visits + 1)) / (1 + walked);
  return value(cost) * success + curiosity;
}

// The first of those with the highest priority that are not exhausted.
uint32_t Tree::bestEdge(NodeId id) const {
  const Node& node = nodes_[id];
  uint32_t best = static_cast<uint32_t>(node.edges.size());
  double highest = -1;
  for (uint32_t i = 0; i < node.edges.size(); ++i) {
    const Edge& edge = node.edges[i];
    if (edge.child.valid() && nodes_[edge.child].exhausted) continue;
    const double here = priority(node, edge);
    if (here <= highest) continue;
    highest = here;
    best = i;
  }
  return best;
}

void Tree::walk(Descent& descent, NodeId node, uint32_t edge) {
  nodes_[node].edges[edge].onTheWay += 1;
  descent.steps.push_back({node, edge});
  descent.path.push_back(nodes_[node].edges[edge].action);
}

Descent Tree::select() {
  SW_CHECK(!exhausted());
  Descent descent;
  NodeId id = kRoot;
  while (true) {
    const uint32_t edge = bestEdge(id);
    if (edge == nodes_[id].edges.size()) {
      // Another path has exhausted what is below; start again from the root, which knows now.
      abandon(descent);
      for (size_t i = descent.steps.size(); i-- > 0;) updateExhausted(descent.steps[i].node);
      updateExhausted(id);
      if (exhausted()) return {};
      descent = {};
      id = kRoot;
      continue;
    }
    walk(descent, id, edge);
    const NodeId child = nodes_[id].edges[edge].child;
    if (!child.valid()) return descent;
    id = child;
  }
}

Descent Tree::follow(const Path& path) {
  Descent descent;
  NodeId id = kRoot;
  for (const ActionId action : path) {
    const auto& edges = nodes_[id].edges;
    const auto found = std::ranges::find(edges, action, &Edge::action);
    if (found == edges.end()) break;
    const auto edge = static_cast<uint32_t>(found - edges.begin());
    walk(descent, id, edge);
    id = nodes_[id].edges[edge].child;
    if (!id.valid()) break;
  }
  return descent;
}

void Tree::expand(const Descent& descent, const Path& canonical, const Branches& branches) {
  if (descent.steps.empty()) return;
  const Descent::Step last = descent.steps.back();
  NodeId child = find(canonical);
  if (!child.valid()) child = add(canonical, branches);
  nodes_[last.node].edges[last.edge].child = child;
}

void Tree::updateExhausted(NodeId id) {
  Node& node = nodes_[id];
  node.exhausted = std::ranges::all_of(node.edges, [&](const Edge& edge) {
    return edge.child.valid() && nodes_[edge.child].exhausted;
  });
}

void Tree::backup(const Descent& descent, double cost) {
  best_ = std::min(best_, cost);
  for (size_t i = descent.steps.size(); i-- > 0;) {
    const Descent::Step step = descent.steps[i];
    Node& node = nodes_[step.node];
    Edge& edge = node.edges[step.edge];
    edge.onTheWay -= 1;
    edge.visits += 1;
    node.visits += 1;
    if (edge.child.valid()) nodes_[edge.child].best = std::min(nodes_[edge.child].best, cost);
    node.best = std::min(node.best, cost);
    updateExhausted(step.node);
  }
}

void Tree::abandon(const Descent& descent) {
  for (const Descent::Step& step : descent.steps) nodes_[step.node].edges[step.edge].onTheWay -= 1;
}

}  // namespace shardwright::search
