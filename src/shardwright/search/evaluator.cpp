#include "shardwright/search/evaluator.h"

#include "shardwright/spmd/partition.h"

namespace shardwright::search {

Score EstimateEvaluator::evaluate(const plan::Plan& plan) const {
  const cost::Estimate estimate =
      estimator_.estimate(spmd::partition(subject_, plan), device_, topology_);
  return {estimate.step.value, estimate.memory.peak.value, limit_.value};
}

}  // namespace shardwright::search
