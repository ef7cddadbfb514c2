#include "shardwright/mlir/import/repetitions.h"

#include <gtest/gtest.h>

namespace shardwright {
namespace {

using program::DType;
using program::TypeId;
using program::ValueId;

// Adds ops as the importer does: those that repeat others are not.
class Writer {
 public:
  ValueId argument(std::initializer_list<int64_t> shape) {
    return builder.addArgument({.path = "x"}, type(shape));
  }
  TypeId type(std::initializer_list<int64_t> shape) { return builder.type(DType::kF32, shape); }

  ValueId op(std::string_view name, std::initializer_list<ValueId> operands,
             std::initializer_list<int64_t> shape, const program::Attributes& attributes = {},
             uint32_t variant = 1) {
    const std::vector<ValueId> list(operands);
    const auto nameId = builder.name(name);
    const auto attributesId = builder.attributes(attributes);
    const TypeId result = type(shape);
    const ValueId equal = repetitions.find({nameId, attributesId, variant, list, result});
    if (equal.valid()) return equal;
    const auto added = builder.addOp(nameId, attributesId, list, std::span(&result, 1));
    repetitions.add(builder.result(added));
    return builder.result(added);
  }
  ValueId constant(std::initializer_list<int64_t> shape, uint32_t variant) {
    return op("stablehlo.constant", {}, shape, program::ConstantAttrs{true, false}, variant);
  }

  program::ProgramBuilder builder;
  Repetitions repetitions{builder};
};

TEST(Repetitions, WhatIsDoneAgainIsThereAlready) {
  Writer w;
  const ValueId x = w.argument({8, 4}), y = w.argument({8, 4});
  const ValueId a = w.op("stablehlo.tanh", {x}, {8, 4});
  EXPECT_EQ(w.op("stablehlo.tanh", {x}, {8, 4}), a);
  EXPECT_NE(w.op("stablehlo.tanh", {y}, {8, 4}), a);
  EXPECT_NE(w.op("stablehlo.exponential", {x}, {8, 4}), a);
  const ValueId sum = w.op("stablehlo.add", {a, y}, {8, 4});
  EXPECT_EQ(w.op("stablehlo.add", {a, y}, {8, 4}), sum);
  EXPECT_NE(w.op("stablehlo.add", {y, a}, {8, 4}), sum);
}

TEST(Repetitions, OpsThatDifferInWhatTheySayAreNot) {
  Writer w;
  const ValueId x = w.argument({8, 4});
  const ValueId less = w.op("stablehlo.compare", {x, x}, {8, 4}, {}, 1);
  EXPECT_NE(w.op("stablehlo.compare", {x, x}, {8, 4}, {}, 2), less);
  EXPECT_EQ(w.op("stablehlo.compare", {x, x}, {8, 4}, {}, 1), less);
  const program::DimsAttrs ij{{0, 1}}, ji{{1, 0}};
  EXPECT_NE(w.op("stablehlo.transpose", {x}, {8, 4}, ij),
            w.op("stablehlo.transpose", {x}, {8, 4}, ji));
}

TEST(Repetitions, OpsThatMayDoAnotherThingEachTimeStay) {
  Writer w;
  const ValueId x = w.argument({8, 4});
  for (const char* name : {"stablehlo.custom_call:mine", "stablehlo.rng", "barrier"}) {
    EXPECT_NE(w.op(name, {x}, {8, 4}), w.op(name, {x}, {8, 4})) << name;
  }
}

// Weights of one shape must not be tied to one another by the number they are multiplied with.
TEST(Repetitions, ConstantsAndWhatTheyFillAreEqualButStay) {
  Writer w;
  const ValueId x = w.argument({8, 4}), rate = w.argument({});
  const ValueId two = w.constant({}, 2), again = w.constant({}, 2);
  EXPECT_NE(two, again);
  const auto fill = [&](ValueId number) {
    return w.op("stablehlo.broadcast_in_dim", {number}, {8, 4}, program::DimsAttrs{});
  };
  const ValueId twos = fill(two), others = fill(again);
  EXPECT_NE(twos, others);
  EXPECT_NE(fill(rate), fill(rate));
  EXPECT_NE(w.op("stablehlo.negate", {twos}, {8, 4}), w.op("stablehlo.negate", {others}, {8, 4}));
  const ValueId doubled = w.op("stablehlo.multiply", {x, twos}, {8, 4});
  EXPECT_EQ(w.op("stablehlo.multiply", {x, others}, {8, 4}), doubled);
  EXPECT_NE(w.op("stablehlo.multiply", {x, fill(w.constant({}, 3))}, {8, 4}), doubled);
}

// A product has the columns of its second operand.
TEST(Repetitions, DimsOfWhatStaysStay) {
  Writer w;
  const ValueId x = w.argument({8, 4}), y = w.argument({4, 2});
  const ValueId ones = w.constant({4, 2}, 1), more = w.constant({4, 2}, 1);
  const auto dot = [&](ValueId a, ValueId b) {
    return w.op("stablehlo.dot_general", {a, b}, {8, 2}, program::DotAttrs{{}, {}, {1}, {0}});
  };
  EXPECT_NE(dot(x, ones), dot(x, more));
  EXPECT_EQ(dot(x, y), dot(x, y));
}

TEST(Repetitions, RegionsAreApart) {
  Writer w;
  const ValueId x = w.argument({8, 4});
  const ValueId outside = w.op("stablehlo.tanh", {x}, {8, 4});
  const auto loop = w.builder.addOp(program::kWhile, program::WhileAttrs{10, true}, {}, {});
  w.builder.openRegion(loop, program::RegionKind::kBody, 10);
  EXPECT_NE(w.op("stablehlo.tanh", {x}, {8, 4}), outside);
}

}  // namespace
}  // namespace shardwright
