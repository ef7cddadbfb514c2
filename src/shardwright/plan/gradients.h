// Which results are gradients: those of jax.value_and_grad(loss) with the optimizer elsewhere.
//
// PAIRS are floating arguments and results of their type that the caller found to belong together
// (by path or donation); without any, the run of arguments and results along which most pairs have
// the same colours, dim by dim.
//
// A pair is a WITNESS if the result is made as the gradient of a weight is, from a product:
//   - it is no elementwise update of the argument, and its dims have the argument's colours;
//   - the product sums over a dim of the data: a colour of an argument of no pair, or of no
//     argument at all, and of no other witness;
//   - both sides of the product depend on arguments of pairs and on others: an activation, and what
//     flows back to it. A product with a weight, a cache or a constant matrix has a side that
//     depends on less;
//   - the result depends on the argument of another pair and the result of that on this argument,
//     as a loss links all parameters. The states of layers depend on those before them alone.
// If the argument's path says `param` or `weight`, one side may be data alone, as in the gradient
// of a first layer, and nothing need be linked.
//
// With a witness, all pairs are gradients but those that show a dim of the data and are not summed
// over another: what a step carries from batch to batch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "shardwright/plan/plan.h"

namespace shardwright::plan {

// Whether a result is an elementwise update of the argument.
using IsUpdate = std::function<bool(uint32_t argument, uint32_t result)>;

// The gradient of each argument, if there is one. `paired` are results by argument; those of other
// types are left aside.
std::vector<std::optional<uint32_t>> gradientResults(
    const Subject& subject, const std::vector<std::optional<uint32_t>>& paired,
    const IsUpdate& isUpdate);

// Whether a path says `param` or `weight`, in any case.
bool saysParameter(std::string_view path);

}  // namespace shardwright::plan
