#include "shardwright/search/evaluator.h"

namespace shardwright::search {

Score EstimateEvaluator::evaluate(const plan::Plan& plan) const {
  const cost::Estimate estimate =
      estimator_.estimate(partitioner_.partition(plan), device_, topology_, cost::Detail::kTotals);
  return {estimate.step.value, estimate.memory.peak.value, limit_.value};
}

}  // namespace shardwright::search
