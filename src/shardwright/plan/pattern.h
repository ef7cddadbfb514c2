// Argument patterns: how people name arguments in tactics.
//
// A pattern is matched against the whole path. `*` stands for any text, also none and also across
// names. Paths and patterns may be spelled as JAX prints them or with slashes:
//   batch*                        batch['tokens'], batch['targets']
//   *wq*                          state['params']['layers'][0]['wq'],
//   state['m']['layers'][0]['wq'], … state/params/layers/*/wq state['params']['layers'][0]['wq'], …
//   state['params']['layers'][0]['wq']
//   arg0                          the first argument of a module without names
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardwright/program/program.h"

namespace shardwright::plan {

// `state['params'].layers[0]` -> `state/params/layers/0`. Slashes, stars and dots inside quotes
// stay.
std::string normalPath(std::string_view path);

// Whether `text` is `pattern` with each `*` replaced by some text.
bool matchesGlob(std::string_view pattern, std::string_view text);

bool matchesPath(std::string_view pattern, std::string_view path);

// Indices of the arguments (or results) whose paths match, in order.
std::vector<uint32_t> matchingArguments(const program::Program& program, std::string_view pattern);
std::vector<uint32_t> matchingResults(const program::Program& program, std::string_view pattern);

// At most `most` patterns that do match and that the user may have meant: the pattern found inside
// a path, or the paths nearest in spelling.
std::vector<std::string> nearPatterns(const program::Program& program, std::string_view pattern,
                                      size_t most = 3);

}  // namespace shardwright::plan
