// Small programs on one device, for the tests of this layer.
#pragma once

#include <string>
#include <vector>

#include "shardwright/cost/estimate.h"
#include "shardwright/cost/fusion.h"
#include "shardwright/cost/graph.h"
#include "shardwright/cost/memory.h"
#include "shardwright/cost/schedule.h"
#include "shardwright/plan/testing.h"

namespace shardwright::cost::testing {

using plan::testing::Analysed;
using program::DType;
using program::ValueId;

// Writes f32 programs tersely.
class Writer {
 public:
  program::TypeId type(std::initializer_list<int64_t> shape) {
    return builder.type(DType::kF32, shape);
  }
  ValueId argument(const char* path, std::initializer_list<int64_t> shape) {
    return builder.addArgument({.path = path}, type(shape));
  }
  // An argument whose buffer result number `result` takes over.
  ValueId donated(const char* path, std::initializer_list<int64_t> shape, uint32_t result) {
    return builder.addArgument({.path = path, .donated = true, .aliasedResult = result},
                               type(shape));
  }
  ValueId op(const char* name, std::initializer_list<ValueId> operands,
             std::initializer_list<int64_t> shape, const program::Attributes& attributes = {}) {
    return builder.result(builder.addOp(name, attributes, operands, {type(shape)}));
  }
  ValueId unary(const char* name, ValueId x) { return elementwise(name, {x}); }
  ValueId add(ValueId x, ValueId y) { return elementwise("stablehlo.add", {x, y}); }
  ValueId multiply(ValueId x, ValueId y) { return elementwise("stablehlo.multiply", {x, y}); }
  ValueId elementwise(const char* name, std::initializer_list<ValueId> operands) {
    const program::TypeId same = builder.program().value(*operands.begin()).type;
    return builder.result(builder.addOp(name, {}, operands, {same}));
  }
  // x[i, k] @ y[k, j].
  ValueId matmul(ValueId x, ValueId y) {
    const int64_t rows = builder.program().shape(x)[0], columns = builder.program().shape(y)[1];
    return op("stablehlo.dot_general", {x, y}, {rows, columns},
              program::DotAttrs{{}, {}, {1}, {0}});
  }
  // transpose(x)[i, k] @ y[k, j], of x[k, i].
  ValueId transposedMatmul(ValueId x, ValueId y) {
    const int64_t rows = builder.program().shape(x)[1], columns = builder.program().shape(y)[1];
    return op("stablehlo.dot_general", {x, y}, {rows, columns},
              program::DotAttrs{{}, {}, {0}, {0}});
  }
  // The sum over the last of two dims.
  ValueId sumRows(ValueId x) {
    const ValueId zero = op("stablehlo.constant", {}, {}, program::ConstantAttrs{true});
    return op("stablehlo.reduce", {x, zero}, {builder.program().shape(x)[0]},
              program::ReduceAttrs{{1}, program::Combiner::kAdd});
  }
  // Repeats x[i] along a new last dim.
  ValueId repeatRows(ValueId x, int64_t columns) {
    return op("stablehlo.broadcast_in_dim", {x}, {builder.program().shape(x)[0], columns},
              program::DimsAttrs{{0}});
  }
  // A loop of ten turns whose body is open; its carries have been added.
  program::OpId openLoop() {
    const program::OpId loop =
        builder.addOp(program::kWhile, program::WhileAttrs{10, true}, {}, {});
    builder.openRegion(loop, program::RegionKind::kCondition, 10);
    const ValueId going = builder.result(builder.addOp(
        "stablehlo.constant", program::ConstantAttrs{true}, {}, {builder.type(DType::kPred, {})}));
    builder.closeRegion(std::vector<ValueId>{going});
    builder.openRegion(loop, program::RegionKind::kBody, 10);
    return loop;
  }
  void result(const char* path, ValueId value) { builder.addResult({.path = path}, value); }
  Analysed finish() { return Analysed(std::move(builder).finish()); }

  program::ProgramBuilder builder;
};

// The whole model of a program on one device.
struct OnOneDevice {
  OnOneDevice(const Analysed& analysed, Flavor f)
      : flavor(f),
        subject(analysed.subject()),
        spmd(oneDeviceProgram(subject)),
        work(rules::workTable(analysed.program)),
        graph(makeGraph(subject, spmd, work, flavor)),
        fusion(fuse(graph, flavor)),
        steps(makeSteps(graph, fusion)),
        order(orderSteps(graph, steps, baseOrder(graph, steps), flavor)) {}

  // Whether a value of the program has a buffer of its own.
  bool stored(ValueId value) const {
    return fusion.buffer[value.index()] == spmd::LocalId(value.index());
  }
  // The names of the kernels' roots, in the order in which they run, without their dialect.
  std::vector<std::string> kernels() const { return kernels(subject.program.entry()); }
  std::vector<std::string> kernels(program::RegionId region) const {
    std::vector<std::string> names;
    for (const StepId step : order[region]) {
      const std::string name(
          subject.program.name(graph.instruction(steps.steps[step].instruction).op));
      names.push_back(name.substr(name.find('.') + 1));
    }
    return names;
  }
  Memory memory() const { return memoryOf(graph, steps, order, flavor); }

  Flavor flavor;
  plan::Subject subject;
  spmd::SpmdProgram spmd;
  IdVector<program::SignatureId, rules::Work> work;
  Graph graph;
  Fusion fusion;
  Steps steps;
  Order order;
};

// One device of 1 TB/s and 100 TFLOP/s, everything at full efficiency, that waits 1 us per kernel;
// all devices on one switch at 100 GB/s with 1 us per hop.
inline Device plainDevice(Flavor flavor = Flavor::kGpu) {
  Device device;
  device.name = "plain";
  device.flavor = flavor;
  device.memory = Bytes{80'000'000'000};
  device.hbmBandwidth = BytesPerSecond{1e12};
  for (ComputeRate& rate : device.matmul) rate = {FlopsPerSecond{1e14}, 1};
  device.vector = {FlopsPerSecond{1e13}, 1};
  device.launchOverhead = Seconds{1e-6};
  device.links.push_back({.kind = LinkKind::kNvlink,
                          .bandwidth = BytesPerSecond{1e11},
                          .efficiency = 1,
                          .latency = Seconds{1e-6},
                          .overhead = Seconds{},
                          .domain = 0,
                          .torus = {},
                          .wrapMultiple = 1});
  return device;
}

}  // namespace shardwright::cost::testing
