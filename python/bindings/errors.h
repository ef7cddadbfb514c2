// Diagnostics as Python exceptions.
#pragma once

#include <stdexcept>
#include <string>

#include "shardwright/base/result.h"

namespace shardwright::python {

// Becomes shardwright._src._native.Error, which the package turns into its typed exceptions.
class NativeError : public std::runtime_error {
 public:
  explicit NativeError(const Diagnostic& diagnostic) : runtime_error(textOf(diagnostic)) {}

 private:
  // "model.py:3:1: message", notes on lines of their own.
  static std::string textOf(const Diagnostic& diagnostic) {
    const std::string place = diagnostic.location.str();
    std::string text = (place.empty() ? "" : place + ": ") + diagnostic.message;
    for (const Diagnostic& note : diagnostic.notes) text += "\n  " + textOf(note);
    return text;
  }
};

// The value of a result; throws what is wrong.
template <typename T>
T valueOf(Result<T> result) {
  if (!result) throw NativeError(result.error());
  return std::move(*result);
}

}  // namespace shardwright::python
