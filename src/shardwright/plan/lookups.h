// Examples that are looked up by others and added up for others: the nodes and edges of a graph, a
// row and the items of its bag, the tokens of a batch and those that an expert gets.
#pragma once

#include <vector>

#include "shardwright/plan/plan.h"

namespace shardwright::plan {

// Whether the op reads or writes where indices say, and the colour is that of a dim in which they
// say so, or along which a scatter adds up.
bool isIndexedAt(const Subject& subject, program::OpId op, analysis::ColorId color);

// Whether dims of these colours meet by indices alone, each of them with another: to split all of
// them sends what is looked up and what is added up, and nothing is computed twice. Not queries and
// keys, which a product multiplies with each other.
bool meetByIndices(const Subject& subject, const std::vector<analysis::ColorId>& colors);

// Where dims meet by indices, one of the two takes the axis, and what shows the other alone is
// sent. Whether that is less if `color` wins against all of `others`: edges against the nodes that
// they join, eight rows for experts against the token that they are of.
bool winsOver(const Subject& subject, analysis::ColorId color,
              const std::vector<analysis::ColorId>& others);

// The same colours; each stands before those that it wins over.
std::vector<analysis::ColorId> winnersFirst(const Subject& subject,
                                            const std::vector<analysis::ColorId>& colors);

}  // namespace shardwright::plan
