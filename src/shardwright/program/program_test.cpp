#include "shardwright/program/program.h"

#include <gtest/gtest.h>

#include "shardwright/program/builder.h"
#include "shardwright/program/printer.h"
#include "shardwright/program/prune.h"
#include "shardwright/program/verify.h"

namespace shardwright::program {
namespace {

TEST(TypeTable, InternsAndMeasures) {
  TypeTable types;
  const TypeId a = types.intern(DType::kF32, std::vector<int64_t>{16, 64});
  EXPECT_EQ(types.intern(DType::kF32, std::vector<int64_t>{16, 64}), a);
  EXPECT_NE(types.intern(DType::kBF16, std::vector<int64_t>{16, 64}), a);
  EXPECT_EQ(types.str(a), "f32[16,64]");
  EXPECT_EQ(types.bytes(a), 4096);
  EXPECT_EQ(types.bytes(types.intern(DType::kI4, std::vector<int64_t>{3})), 2);
  EXPECT_EQ(types.bytes(types.intern(DType::kF32, std::vector<int64_t>{0, 5})), 0);
}

TEST(TypeTable, SaturatesInsteadOfOverflowing) {
  TypeTable types;
  const TypeId huge =
      types.intern(DType::kF64, std::vector<int64_t>{int64_t{1} << 40, int64_t{1} << 40});
  EXPECT_EQ(types.elements(huge), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(types.bytes(huge), std::numeric_limits<int64_t>::max());
}

TEST(Attributes, EncodeTellsFieldsApart) {
  std::vector<uint64_t> a, b;
  encode(DotAttrs{{0}, {}, {1}, {}}, a);
  encode(DotAttrs{{}, {0}, {1}, {}}, b);
  EXPECT_NE(a, b);
  EXPECT_EQ(str(Attributes(DotAttrs{{0}, {}, {1}, {}})), "{lhs_batch=[0], lhs_contracting=[1]}");
  EXPECT_EQ(str(Attributes()), "");
}

// for i in range(10): x = x + x
struct LoopBuilder {
  ProgramBuilder builder;
  TypeId type = builder.type(DType::kF32, {8});
  TypeId pred = builder.type(DType::kPred, {});
  ValueId x = builder.addArgument(
      {.value = {}, .path = "x", .donated = false, .aliasedResult = {}, .sharding = {}}, type);
  OpId carry = builder.addCarry(0, x);

  Program build(size_t usedResult, bool closeTie) {
    const OpId loop = builder.addOp(kWhile, WhileAttrs{10, true}, {}, {});
    builder.openRegion(loop, RegionKind::kCondition, 10);
    const OpId test = builder.addOp("stablehlo.constant", {}, {}, {pred});
    builder.closeRegion(std::vector{builder.result(test)});
    builder.openRegion(loop, RegionKind::kBody, 10);
    const ValueId inBody = builder.result(carry, usedResult);
    const OpId add = builder.addOp("stablehlo.add", {}, {inBody, inBody}, {type});
    builder.closeRegion(std::vector{builder.result(add)});
    if (closeTie) builder.setOperand(carry, 1, builder.result(add));
    builder.addResult({.returnOp = {}, .path = "y", .sharding = {}}, builder.result(carry, 2));
    return std::move(builder).finish();
  }
};

TEST(Program, PrintsALoop) {
  const Program program = LoopBuilder().build(1, true);
  EXPECT_FALSE(verify(program).has_value());
  EXPECT_EQ(print(program),
            "%0:f32[8] = argument \"x\"\n"
            "%1:f32[8], %2:f32[8], %3:f32[8] = carry %0, %5\n"
            "while {trip_count=10, known=true}\n"
            "  condition yields %4\n"
            "    %4:i1[] = stablehlo.constant\n"
            "  body yields %5\n"
            "    %5:f32[8] = stablehlo.add %2, %2\n"
            "return %3 \"y\"\n");
}

TEST(Verify, P4ResultOfACarryUsedInTheWrongPlace) {
  const Status status = verify(LoopBuilder().build(2, true));
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->message,
            "P4: op 4 (stablehlo.add): operand %3 of a carry is used in the wrong place");
}

TEST(Verify, P6CarryNotTiedToTheBody) {
  const Status status = verify(LoopBuilder().build(1, false));
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->message, "P6: op 1 (carry): second operand is not what the body yields");
}

TEST(Verify, P3UseOfAValueFromARegionThatHasEnded) {
  ProgramBuilder builder;
  const TypeId type = builder.type(DType::kI32, {});
  const ValueId selector = builder.addArgument(
      {.value = {}, .path = "i", .donated = false, .aliasedResult = {}, .sharding = {}}, type);
  const OpId branch = builder.addOp(kCase, {}, {selector}, {});
  builder.openRegion(branch, RegionKind::kBranch, 1);
  const OpId inner = builder.addOp("stablehlo.constant", {}, {}, {type});
  builder.closeRegion({});
  builder.addResult({.returnOp = {}, .path = "y", .sharding = {}}, builder.result(inner));
  const Status status = verify(std::move(builder).finish());
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->message, "P3: op 3 (return): operand %1 is defined in a region that has ended");
}

TEST(Verify, P7AliasOfAnotherType) {
  ProgramBuilder builder;
  const TypeId type = builder.type(DType::kI32, {});
  const TypeId other = builder.type(DType::kF32, {});
  const ValueId x = builder.addArgument(
      {.value = {}, .path = "x", .donated = true, .aliasedResult = 0, .sharding = {}}, type);
  const OpId convert = builder.addOp("stablehlo.convert", {}, {x}, {other});
  builder.addResult({.returnOp = {}, .path = "y", .sharding = {}}, builder.result(convert));
  const Status status = verify(std::move(builder).finish());
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->message, "P7: op 0 (argument): `x` is aliased to a result of another type");
}

// for _ in range(10): x = x + w, with w carried along.
TEST(Prune, AValueThatALoopNeverChangesIsTakenFromOutside) {
  ProgramBuilder builder;
  const TypeId type = builder.type(DType::kF32, {8});
  const ValueId x = builder.addArgument({.path = "x"}, type);
  const ValueId w = builder.addArgument({.path = "w"}, type);
  const OpId carry = builder.addCarry(0, x);
  const OpId constant = builder.addCarry(1, w);
  const OpId loop = builder.addOp(kWhile, WhileAttrs{10, true}, {}, {});
  builder.openRegion(loop, RegionKind::kCondition, 10);
  const OpId test = builder.addOp("stablehlo.constant", {}, {}, {builder.type(DType::kPred, {})});
  builder.closeRegion(std::vector{builder.result(test)});
  builder.openRegion(loop, RegionKind::kBody, 10);
  const OpId add = builder.addOp("stablehlo.add", {},
                                 {builder.result(carry, 1), builder.result(constant, 1)}, {type});
  builder.closeRegion(std::vector{builder.result(add), builder.result(constant, 1)});
  builder.setOperand(carry, 1, builder.result(add));
  builder.setOperand(constant, 1, builder.result(constant, 1));
  builder.addResult({}, builder.result(carry, 2));
  builder.addResult({}, builder.result(constant, 2));
  Program program = std::move(builder).finish();
  const std::vector<char> removable(program.opCount(), 0);
  const Pruned pruned = prune(std::move(program), removable);
  EXPECT_EQ(pruned.removed, 0u) << "nothing of the user's is lost";
  EXPECT_FALSE(verify(pruned.program).has_value());
  EXPECT_EQ(pruned.program.operands(pruned.program.results()[1].returnOp)[0],
            pruned.program.arguments()[1].value);
  EXPECT_EQ(pruned.program.region(RegionId(2u)).yields.size(), 1u);
}

TEST(Prune, RemovesWhatReachesNothing) {
  ProgramBuilder builder;
  const TypeId type = builder.type(DType::kF32, {8});
  const TypeId pred = builder.type(DType::kPred, {});
  program::Argument argument;
  argument.path = "x";
  const ValueId x = builder.addArgument(argument, type);
  const OpId dead = builder.addOp("stablehlo.tanh", {}, {x}, {type});
  builder.addOp("stablehlo.add", {}, {builder.result(dead), x}, {type});
  const OpId carry = builder.addCarry(0, x);
  const OpId idle = builder.addCarry(1, x);  // Passed along for nothing.
  const OpId loop = builder.addOp(kWhile, WhileAttrs{10, true}, {}, {});
  builder.openRegion(loop, RegionKind::kCondition, 10);
  const OpId test = builder.addOp("stablehlo.constant", {}, {}, {pred});
  builder.closeRegion(std::vector{builder.result(test)});
  builder.openRegion(loop, RegionKind::kBody, 10);
  const OpId sine = builder.addOp("stablehlo.sine", {}, {builder.result(idle, 1)}, {type});
  const OpId add = builder.addOp("stablehlo.add", {}, {builder.result(carry, 1), x}, {type});
  builder.closeRegion(std::vector{builder.result(add), builder.result(sine)});
  builder.setOperand(carry, 1, builder.result(add));
  builder.setOperand(idle, 1, builder.result(sine));
  builder.addResult({}, builder.result(carry, 2));
  Program program = std::move(builder).finish();
  std::vector<char> removable;
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    removable.push_back(program.name(OpId(i)).starts_with("stablehlo.") ? 1 : 0);
  }
  const Pruned pruned = prune(std::move(program), removable);
  EXPECT_EQ(pruned.removed, 4u);
  EXPECT_EQ(pruned.program.tieIndex(OpId(1u)), 0u);
  EXPECT_FALSE(verify(pruned.program).has_value());
  EXPECT_EQ(print(pruned.program),
            "%0:f32[8] = argument \"x\"\n"
            "%1:f32[8], %2:f32[8], %3:f32[8] = carry %0, %5\n"
            "while {trip_count=10, known=true}\n"
            "  condition yields %4\n"
            "    %4:i1[] = stablehlo.constant\n"
            "  body yields %5\n"
            "    %5:f32[8] = stablehlo.add %2, %0\n"
            "return %3 \"\"\n");
}

TEST(Builder, SharesSignaturesOfEqualOps) {
  ProgramBuilder builder;
  const TypeId type = builder.type(DType::kF32, {4});
  const ValueId x = builder.addArgument(
      {.value = {}, .path = "x", .donated = false, .aliasedResult = {}, .sharding = {}}, type);
  const OpId a = builder.addOp("stablehlo.add", {}, {x, x}, {type});
  const OpId b = builder.addOp("stablehlo.add", {}, {builder.result(a), x}, {type});
  const OpId c = builder.addOp("stablehlo.multiply", {}, {x, x}, {type});
  const Program program = std::move(builder).finish();
  EXPECT_EQ(program.op(a).signature, program.op(b).signature);
  EXPECT_NE(program.op(a).signature, program.op(c).signature);
}

}  // namespace
}  // namespace shardwright::program
