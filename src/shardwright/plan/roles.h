// What each argument of a step is for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shardwright/plan/plan.h"

namespace shardwright::plan {

enum class Role : uint8_t {
  kParameter,       // Real or complex, used by the model, and returned updated elementwise or its
                    // gradient returned.
  kOptimizerState,  // Updated elementwise, returned, and used for nothing but the update.
  kState,           // Returned changed in another way: caches, places in them, random keys, …
  kInput,           // Read only.
};

// "parameter", "optimizer_state", "state", "input".
const char* roleName(Role role);

// The role of each argument, from the structure of the program:
//   - an argument is state if it has a next value (stateResults);
//   - its update is elementwise if the result is reached from it through ops that tie each dim of
//     the argument to the same dim of the result (w - lr * g; not a dynamic_update_slice), and
//     what is written over parts of it is made from it (`table.at[i].set(table[i] - lr * g)`, not
//     `cache.at[i].set(k)`);
//   - it is used by the model if something computed from it is summed over a dim of the data
//     (matmul, loss, …; not the norm of a moment); if there is no such sum, over any dim.
// In a program without such parameters, arguments whose gradients are returned are parameters
// (gradients.h); in one without state, too, those whose path says `param` or `weight` are.
std::vector<Role> classifyArguments(const Subject& subject);

// The result that is the next value of each argument, if there is one, and of no other: the result
// it is aliased to, or one of its type with the same path behind the first name (`state['w']` and
// `result[0]['w']`); of several, one that is its elementwise update. A module with neither aliases
// nor such paths is read by position: the longest run of results (two at least) that are
// elementwise updates of a run of arguments of their types, as `step(state, batch) -> (state,
// loss)` has it. A gradient is no next value.
std::vector<std::optional<uint32_t>> stateResults(const Subject& subject);

}  // namespace shardwright::plan
