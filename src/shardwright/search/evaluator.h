// From a plan to its score.
#pragma once

#include "shardwright/cost/estimate.h"
#include "shardwright/plan/plan.h"
#include "shardwright/search/score.h"
#include "shardwright/spmd/partition.h"

namespace shardwright::search {

// Pure: may be used by several threads at once.
class PlanEvaluator {
 public:
  virtual ~PlanEvaluator() = default;
  // The plan must pass plan::checkPlan.
  virtual Score evaluate(const plan::Plan& plan) const = 0;
};

// The estimate of the partitioned program: what is costed is what runs.
class EstimateEvaluator final : public PlanEvaluator {
 public:
  // All of it outlives the evaluator.
  EstimateEvaluator(const plan::Subject& subject, const cost::Estimator& estimator,
                    const cost::Device& device, const cost::Topology& topology, cost::Bytes limit)
      : partitioner_(subject),
        estimator_(estimator),
        device_(device),
        topology_(topology),
        limit_(limit) {}

  Score evaluate(const plan::Plan& plan) const override;

 private:
  spmd::Partitioner partitioner_;
  const cost::Estimator& estimator_;
  const cost::Device& device_;
  const cost::Topology& topology_;
  cost::Bytes limit_;
};

}  // namespace shardwright::search
