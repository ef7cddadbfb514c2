// The rule of an op of which nothing is known. It is also that of `while` and `case`, which have no
// dims of their own: their values are tied by `carry` and `merge`, which are identities.
#include "shardwright/rules/families.h"

namespace shardwright::rules {

Result<Rule> whole(const OpView& view) {
  RuleBuilder builder(view);
  for (size_t t = 0; t < view.tensorCount(); ++t) blockAll(builder, view, t);
  return std::move(builder).finish();
}

}  // namespace shardwright::rules
