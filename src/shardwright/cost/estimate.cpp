#include "shardwright/cost/estimate.h"

namespace shardwright::cost {

Estimator::Estimator(const plan::Subject& subject, Flavor flavor)
    : subject_(subject), flavor_(flavor), work_(rules::workTable(subject.program)) {
  const spmd::SpmdProgram oneDevice = oneDeviceProgram(subject_);
  const Graph graph = makeGraph(subject_, oneDevice, work_, flavor_);
  mayRepeat_ = repeatedOps(graph);
  const Fusion fusion = fuse(graph, flavor_);
  order_ = baseOrder(graph, makeSteps(graph, fusion));
  barriers_ = findJointBarriers(subject_.program);
}

Estimate Estimator::estimate(const spmd::SpmdProgram& spmd, const Device& device,
                             const Topology& topology, Detail detail) const {
  SW_CHECK(device.flavor == flavor_);
  const Graph graph = makeGraph(subject_, spmd, work_, flavor_, mayRepeat_);
  const Fusion fusion = fuse(graph, flavor_);
  const Steps steps = makeSteps(graph, fusion);
  const Order order = orderSteps(graph, steps, order_, flavor_);
  const std::vector<KernelCost> costs = kernelCosts(graph, fusion, device);

  Estimate estimate;
  estimate.memory = memoryOf(graph, steps, order, flavor_, detail);
  Timeline timeline = simulate(graph, steps, order, costs, barriers_, topology, flavor_, detail);
  estimate.step = timeline.end;
  estimate.compute = timeline.compute;
  estimate.collectives = timeline.collectives;
  for (const CollectiveCost& cost : timeline.collectives) estimate.exposed += cost.exposed;
  estimate.events = std::move(timeline.events);
  for (size_t n = 0; n < costs.size(); ++n) {
    const spmd::InstructionId root = fusion.kernels[KernelId(n)].root;
    if (graph.node(root).role == Role::kCollective) continue;
    const double weight = graph.weight(root);
    estimate.flops += costs[n].flops * weight;
    estimate.traffic += static_cast<double>(costs[n].traffic.value) * weight;
    if (fusion.kernels[KernelId(n)].leader == KernelId(n)) estimate.kernels += weight;
  }
  return estimate;
}

Estimate estimate(const plan::Subject& subject, const spmd::SpmdProgram& spmd, const Device& device,
                  const Topology& topology) {
  return Estimator(subject, device.flavor).estimate(spmd, device, topology);
}

}  // namespace shardwright::cost
