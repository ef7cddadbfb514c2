#include "shardwright/rules/checks.h"

#include <algorithm>

namespace shardwright::rules {

Checker& Checker::fail(const std::string& message) {
  status_ = view_.error(message);
  return *this;
}

Checker& Checker::that(bool holds, const std::string& message) {
  if (failed() || holds) return *this;
  return fail(message);
}

Checker& Checker::counts(size_t operands, size_t results) {
  if (failed()) return *this;
  if (view_.operandCount() != operands) {
    return fail("has " + std::to_string(view_.operandCount()) + " operands, expected " +
                std::to_string(operands));
  }
  if (view_.resultCount() != results) {
    return fail("has " + std::to_string(view_.resultCount()) + " results, expected " +
                std::to_string(results));
  }
  return *this;
}

Checker& Checker::rank(size_t tensor, size_t expected) {
  if (failed() || view_.shape(tensor).size() == expected) return *this;
  return fail(view_.tensorName(tensor) + " has rank " + std::to_string(view_.shape(tensor).size()) +
              ", expected " + std::to_string(expected));
}

Checker& Checker::rankAtLeast(size_t tensor, size_t least) {
  if (failed() || view_.shape(tensor).size() >= least) return *this;
  return fail(view_.tensorName(tensor) + " has rank " + std::to_string(view_.shape(tensor).size()) +
              ", expected at least " + std::to_string(least));
}

Checker& Checker::sameRank(size_t tensor, size_t other) {
  if (failed()) return *this;
  return rank(tensor, view_.shape(other).size());
}

Checker& Checker::dim(std::string_view what, int64_t dim, size_t tensor) {
  if (failed()) return *this;
  const size_t tensorRank = view_.shape(tensor).size();
  if (dim >= 0 && static_cast<uint64_t>(dim) < tensorRank) return *this;
  return fail(std::string(what) + ": " + std::to_string(dim) + " is no dim of " +
              view_.tensorName(tensor) + ", which has rank " + std::to_string(tensorRank));
}

Checker& Checker::dims(std::string_view what, std::span<const int64_t> list, size_t tensor) {
  if (failed()) return *this;
  std::vector<bool> seen(view_.shape(tensor).size());
  for (const int64_t d : list) {
    if (dim(what, d, tensor).failed()) return *this;
    if (seen[static_cast<size_t>(d)]) {
      return fail(std::string(what) + ": dim " + std::to_string(d) + " of " +
                  view_.tensorName(tensor) + " stands there twice");
    }
    seen[static_cast<size_t>(d)] = true;
  }
  return *this;
}

Checker& Checker::ascending(std::string_view what, std::span<const int64_t> dims) {
  if (failed() || std::is_sorted(dims.begin(), dims.end())) return *this;
  return fail(std::string(what) + ": dims must be in ascending order");
}

Checker& Checker::sameLength(std::string_view what, std::span<const int64_t> list,
                             std::string_view otherWhat, std::span<const int64_t> other) {
  if (failed() || list.size() == other.size()) return *this;
  return fail(std::string(what) + " has " + std::to_string(list.size()) + " entries but " +
              std::string(otherWhat) + " has " + std::to_string(other.size()));
}

Checker& Checker::perDim(std::string_view what, std::span<const int64_t> list, size_t tensor) {
  if (failed() || list.size() == view_.shape(tensor).size()) return *this;
  return fail(std::string(what) + " has " + std::to_string(list.size()) + " entries but " +
              view_.tensorName(tensor) + " has rank " + std::to_string(view_.shape(tensor).size()));
}

std::vector<bool> maskOf(std::span<const int64_t> dims, size_t rank) {
  std::vector<bool> mask(rank);
  for (const int64_t dim : dims) mask[static_cast<size_t>(dim)] = true;
  return mask;
}

std::vector<size_t> restOf(std::span<const int64_t> dims, size_t rank) {
  const std::vector<bool> taken = maskOf(dims, rank);
  std::vector<size_t> rest;
  for (size_t d = 0; d < rank; ++d) {
    if (!taken[d]) rest.push_back(d);
  }
  return rest;
}

std::vector<int64_t> joined(std::span<const int64_t> first, std::span<const int64_t> second) {
  std::vector<int64_t> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

double productOf(std::span<const int64_t> sizes) {
  double product = 1;
  for (const int64_t size : sizes) product *= static_cast<double>(size);
  return product;
}

std::optional<int64_t> exactProductOf(std::span<const int64_t> sizes) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
  int64_t product = 1;
  for (const int64_t size : sizes) {
    if (__builtin_mul_overflow(product, size, &product)) return std::nullopt;
  }
  return product;
}

}  // namespace shardwright::rules
