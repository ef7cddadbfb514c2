// Checks of what an op says about itself. Everything in attributes is untrusted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardwright/rules/rule.h"

namespace shardwright::rules {

// A list of checks; the first that fails stays, and those after it are not made, so a later check
// may rely on an earlier one.
//   Checker check(view);
//   check.counts(2, 1).dims("lhs_batch", attrs->lhsBatch, 0);
//   if (Status bad = check.status()) return *bad;
class Checker {
 public:
  explicit Checker(const OpView& view) : view_(view) {}

  Checker& counts(size_t operands, size_t results);
  Checker& rank(size_t tensor, size_t expected);
  Checker& rankAtLeast(size_t tensor, size_t least);
  Checker& sameRank(size_t tensor, size_t other);
  // `dim` is a dim of the tensor.
  Checker& dim(std::string_view what, int64_t dim, size_t tensor);
  // All are dims of the tensor, and no two are the same.
  Checker& dims(std::string_view what, std::span<const int64_t> dims, size_t tensor);
  Checker& ascending(std::string_view what, std::span<const int64_t> dims);
  Checker& sameLength(std::string_view what, std::span<const int64_t> list,
                      std::string_view otherWhat, std::span<const int64_t> other);
  // One entry per dim of the tensor.
  Checker& perDim(std::string_view what, std::span<const int64_t> list, size_t tensor);
  Checker& that(bool holds, const std::string& message);

  bool failed() const { return status_.has_value(); }
  Status status() const { return status_; }

 private:
  Checker& fail(const std::string& message);

  const OpView& view_;
  Status status_;
};

// Which of `rank` dims are in `dims`, all of which must have been checked.
std::vector<bool> maskOf(std::span<const int64_t> dims, size_t rank);

// The dims of `rank` that are not in `dims`, ascending.
std::vector<size_t> restOf(std::span<const int64_t> dims, size_t rank);

// The lists one after another.
std::vector<int64_t> joined(std::span<const int64_t> first, std::span<const int64_t> second);

// The product of the sizes as a double, for counting arithmetic.
double productOf(std::span<const int64_t> sizes);

// The product of the sizes; empty if it does not fit.
std::optional<int64_t> exactProductOf(std::span<const int64_t> sizes);

}  // namespace shardwright::rules
