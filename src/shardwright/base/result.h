// Bad input as a value: Diagnostic, and Result<T> which holds either a T or a Diagnostic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shardwright/base/check.h"

namespace shardwright {

// A place in a file. Line and column count from 1; 0 means unknown.
struct SourceLocation {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;

  // "model.py:12:3", "model.py" when the line is unknown, "" when the file is.
  std::string str() const;
};

// What is wrong with the input, in words for the user: lower case, names op, dim and sizes, and
// says the remedy where it is known.
struct Diagnostic {
  std::string message;
  SourceLocation location;
  std::vector<Diagnostic> notes;

  // "file:line:col: error: message", with one "note:" line per note.
  std::string str() const;
};

// Either a value or a Diagnostic.
//   Result<Rule> rule = makeRule(...);
//   if (!rule) return rule.error();
//   use(*rule);
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Diagnostic error) : state_(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return const_cast<Result*>(this)->value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &const_cast<Result*>(this)->value(); }
  const Diagnostic& error() const {
    SW_CHECK(!*this);
    return std::get<Diagnostic>(state_);
  }

 private:
  T& value() {
    SW_CHECK(static_cast<bool>(*this));
    return std::get<T>(state_);
  }

  std::variant<T, Diagnostic> state_;
};

// Success, or a Diagnostic.
using Status = std::optional<Diagnostic>;

}  // namespace shardwright
