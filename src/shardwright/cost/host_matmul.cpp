#include "shardwright/cost/host_matmul.h"

#include <algorithm>
#include <array>
#include <vector>

namespace shardwright::cost {
namespace {

using rules::FactorId;
using rules::Rule;

bool shows(const Rule& rule, size_t tensor, FactorId factor) {
  for (size_t d = 0; d < rule.rank(tensor); ++d) {
    const auto factors = rule.dim(tensor, d);
    if (std::find(factors.begin(), factors.end(), factor) != factors.end()) return true;
  }
  return false;
}

enum Group : uint8_t { kBatch, kFirst, kSecond };

Group groupOf(const Rule& rule, size_t operand, FactorId factor) {
  const bool depth = !shows(rule, rule.operandCount(), factor);
  if (!depth && shows(rule, 1 - operand, factor)) return kBatch;
  return depth == (operand == 0) ? kSecond : kFirst;
}

// The dims of one group, by their positions among those larger than 1.
struct Piece {
  int dims = 0, first = 0, last = -1;

  void add(int position) {
    if (dims++ == 0) first = position;
    last = position;
  }
  bool isWhole() const { return last - first + 1 == dims; }
};

}  // namespace

bool standsAsWanted(const Rule& rule, size_t operand) {
  std::vector<Group> groups;
  for (size_t d = 0; d < rule.rank(operand); ++d) {
    for (const FactorId f : rule.dim(operand, d)) groups.push_back(groupOf(rule, operand, f));
  }
  const auto isBatch = [](Group group) { return group == kBatch; };
  const auto matrix = std::find_if_not(groups.begin(), groups.end(), isBatch);
  const bool plainMatrices =
      groups.end() - matrix <= 2 && std::none_of(matrix, groups.end(), isBatch);
  return plainMatrices || std::is_sorted(groups.begin(), groups.end());
}

bool isReadInPlace(const Rule& rule, size_t operand) {
  std::array<Piece, 3> pieces;
  int position = 0;
  bool sorted = true;
  Group last = kBatch;
  for (size_t d = 0; d < rule.rank(operand); ++d) {
    for (const FactorId f : rule.dim(operand, d)) {
      if (rule.factor(f).size == 1) continue;
      const Group group = groupOf(rule, operand, f);
      pieces[group].add(position++);
      sorted &= group >= last;
      last = group;
    }
  }
  const bool whole = pieces[kFirst].isWhole() && pieces[kSecond].isWhole();
  if (sorted || (pieces[kBatch].dims == 0 && whole)) return true;
  return pieces[kFirst].dims <= 1 && pieces[kSecond].dims <= 1 && pieces[kBatch].isWhole();
}

bool isBatched(const Rule& rule) {
  for (size_t f = 0; f < rule.factorCount(); ++f) {
    const FactorId id(f);
    if (shows(rule, 0, id) && shows(rule, 1, id) && shows(rule, rule.operandCount(), id))
      return true;
  }
  return false;
}

bool imagesStandAsHostsWant(const program::ConvolutionAttrs& attrs) {
  const auto last = static_cast<int64_t>(attrs.inputSpatial.size()) + 1;
  return attrs.inputBatch == 0 && attrs.inputFeature == last;
}

bool kernelStandsAsHostsWant(const program::ConvolutionAttrs& attrs) {
  const auto last = static_cast<int64_t>(attrs.kernelSpatial.size()) + 1;
  return attrs.kernelInputFeature == last - 1 && attrs.kernelOutputFeature == last;
}

}  // namespace shardwright::cost
