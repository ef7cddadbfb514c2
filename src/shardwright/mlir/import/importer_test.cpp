#include "shardwright/mlir/import/importer.h"

#include <gtest/gtest.h>

#include "shardwright/program/printer.h"

namespace shardwright {
namespace {

using program::Program;

Result<ImportedProgram> import(const std::string& text, const ImportOptions& options = {}) {
  return importText(text, "test.mlir", options);
}

// The flat program as text, or the diagnostic.
std::string flat(const std::string& text) {
  const Result<ImportedProgram> imported = import(text);
  return imported ? program::print(imported->program) : imported.error().str();
}

std::string loopWith(const std::string& condition, const std::string& step,
                     const std::string& start = "0") {
  return R"(func.func @main(%x: tensor<8xf32>, %flag: tensor<i1>) -> tensor<8xf32> {
  %start = stablehlo.constant dense<)" +
         start + R"(> : tensor<i32>
  %bound = stablehlo.constant dense<10> : tensor<i32>
  %r:3 = stablehlo.while(%i = %start, %v = %x, %n = %bound) : tensor<i32>, tensor<8xf32>, tensor<i32>
  cond {
    )" + condition +
         R"(
    stablehlo.return %go : tensor<i1>
  } do {
    %c = stablehlo.constant dense<2> : tensor<i32>
    )" + step +
         R"(
    %w = stablehlo.add %v, %v : tensor<8xf32>
    stablehlo.return %j, %w, %n : tensor<i32>, tensor<8xf32>, tensor<i32>
  }
  return %r#1 : tensor<8xf32>
})";
}

std::optional<program::WhileAttrs> loopOf(const Program& program) {
  for (uint32_t i = 0; i < program.opCount(); ++i) {
    const auto& attributes = program.attributes(program.op(program::OpId(i)).signature);
    if (const auto* loop = std::get_if<program::WhileAttrs>(&attributes)) return *loop;
  }
  return {};
}

TEST(Import, ArgumentsResultsAndDots) {
  EXPECT_EQ(
      flat(R"(
func.func public @main(%arg0: tensor<16x32xf32> loc("x"), %arg1: tensor<32x64xf32> loc("params['w']")) -> (tensor<16x64xf32> {jax.result_info = "result['y']"}) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
})"),
      "%0:f32[16,32] = argument \"x\"\n"
      "%1:f32[32,64] = argument \"params['w']\"\n"
      "%2:f32[16,64] = stablehlo.dot_general %0, %1 {lhs_contracting=[1], rhs_contracting=[0]}\n"
      "return %2 \"result['y']\"\n");
}

TEST(Import, ArgumentsWithoutNamesAreNumbered) {
  EXPECT_EQ(flat("func.func @main(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> { return %b : "
                 "tensor<i32> }"),
            "%0:i32[] = argument \"arg0\"\n%1:i32[] = argument \"arg1\"\nreturn %1 \"result0\"\n");
}

TEST(Import, InlinesCallsEachTime) {
  EXPECT_EQ(flat(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
})"),
            "%0:f32[4] = argument \"arg0\"\n"
            "%1:f32[4] = stablehlo.add %0, %0\n"
            "%2:f32[4] = stablehlo.add %1, %1\n"
            "return %2 \"result0\"\n");
}

// The second product is the first; the comparisons differ. JAX writes such chains for derivatives
// of derivatives.
TEST(Import, WhatIsComputedAgainIsLeftOut) {
  EXPECT_EQ(flat(R"(func.func @main(%x: tensor<8xf32>) -> tensor<8xi1> {
  %a = stablehlo.constant dense<2.0> : tensor<8xf32>
  %b = stablehlo.constant dense<2.0> : tensor<8xf32>
  %c = stablehlo.multiply %x, %a : tensor<8xf32>
  %d = stablehlo.multiply %x, %b : tensor<8xf32>
  %e = stablehlo.compare LT, %c, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %f = stablehlo.compare GT, %d, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %g = stablehlo.or %e, %f : tensor<8xi1>
  return %g : tensor<8xi1>
})"),
            "%0:f32[8] = argument \"arg0\"\n"
            "%1:f32[8] = stablehlo.constant {splat=true, zero=false}\n"
            "%2:f32[8] = stablehlo.multiply %0, %1\n"
            "%3:i1[8] = stablehlo.compare %2, %0\n"
            "%4:i1[8] = stablehlo.compare %2, %0\n"
            "%5:i1[8] = stablehlo.or %3, %4\n"
            "return %5 \"result0\"\n");
}

TEST(Import, LoopsHaveACarryPerValueThatChanges) {
  EXPECT_EQ(
      flat(loopWith("%go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>",
                    "%j = stablehlo.add %i, %c : tensor<i32>")),
      "%0:f32[8] = argument \"arg0\"\n"
      "%1:i1[] = argument \"arg1\"\n"
      "%2:i32[] = stablehlo.constant {splat=true, zero=true}\n"
      "%3:i32[] = stablehlo.constant {splat=true, zero=false}\n"
      "%4:i32[], %5:i32[], %6:i32[] = carry %2, %12\n"
      "%7:f32[8], %8:f32[8], %9:f32[8] = carry %0, %13\n"
      "while {trip_count=5, known=true}\n"
      "  condition yields %10\n"
      "    %10:i1[] = stablehlo.compare %4, %3\n"
      "  body yields %12, %13\n"
      "    %11:i32[] = stablehlo.constant {splat=true, zero=false}\n"
      "    %12:i32[] = stablehlo.add %5, %11\n"
      "    %13:f32[8] = stablehlo.add %8, %8\n"
      "return %9 \"result0\"\n");
}

struct TripCase {
  const char* condition;
  const char* step;
  const char* start;
  int64_t count;
  bool known;
};

TEST(Import, TripCounts) {
  const char* plus = "%j = stablehlo.add %i, %c : tensor<i32>";
  const char* minus = "%j = stablehlo.subtract %i, %c : tensor<i32>";
  const std::vector<TripCase> cases = {
      {"%go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>", plus, "0",
       5, true},
      {"%go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>", plus, "1",
       5, true},
      {"%go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>", plus, "10",
       0, true},
      {"%go = stablehlo.compare LE, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>", plus, "0",
       6, true},
      {"%go = stablehlo.compare GT, %n, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>", plus, "0",
       5, true},
      {"%go = stablehlo.compare NE, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>", plus, "4",
       3, true},
      {"%go = stablehlo.compare GT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>", minus, "20",
       5, true},
      // Never ends, or says nothing: the default.
      {"%go = stablehlo.compare GT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>", plus, "20",
       10, false},
      {"%go = stablehlo.compare NE, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>", plus, "1",
       10, false},
      {"%go = stablehlo.not %flag : tensor<i1>", plus, "0", 10, false},
      // An upper bound.
      {"%lt = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
       "%go = stablehlo.and %flag, %lt : tensor<i1>",
       plus, "0", 5, false},
  };
  for (const TripCase& c : cases) {
    const auto imported = import(loopWith(c.condition, c.step, c.start));
    ASSERT_TRUE(static_cast<bool>(imported)) << imported.error().str();
    const auto loop = loopOf(imported->program);
    ASSERT_TRUE(loop.has_value());
    EXPECT_EQ(loop->tripCount, c.count) << c.condition << " from " << c.start;
    EXPECT_EQ(loop->known, c.known) << c.condition << " from " << c.start;
    EXPECT_EQ(imported->program.remarks().empty(), c.known) << "whatever is assumed is reported";
  }
}

TEST(Import, NestedLoopsMultiplyTheirWeights) {
  const auto imported = import(
      loopWith("%go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>",
               "%j = stablehlo.add %i, %c : tensor<i32>"));
  ASSERT_TRUE(static_cast<bool>(imported));
  const Program& program = imported->program;
  EXPECT_EQ(program.region(program::RegionId(2u)).weight, 5);
}

TEST(Import, CaseMergesWhatItsBranchesYield) {
  EXPECT_EQ(flat(R"(
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%i) ({
    %a = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})"),
            "%0:i32[] = argument \"arg0\"\n"
            "%1:f32[4] = argument \"arg1\"\n"
            "case %0\n"
            "  branch yields %2\n"
            "    %2:f32[4] = stablehlo.negate %1\n"
            "  branch yields %1\n"
            "%3:f32[4] = merge %2, %1\n"
            "return %3 \"result0\"\n");
}

TEST(Import, BarriersKeepValuesApart) {
  EXPECT_EQ(flat(R"(
func.func @main(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0:2 = stablehlo.optimization_barrier %x, %y : tensor<4xf32>, tensor<8xf32>
  return %0#1 : tensor<8xf32>
})"),
            "%0:f32[4] = argument \"arg0\"\n%1:f32[8] = argument \"arg1\"\n"
            "%2:f32[4] = barrier %0\n%3:f32[8] = barrier %1\nreturn %3 \"result0\"\n");
}

TEST(Import, ReadsDonationAndShardings) {
  const auto imported = import(R"(
module {
  sdy.mesh @mesh = <["data"=4, "model"=2]>
  func.func @main(%x: tensor<8x4xf32> {tf.aliasing_output = 0 : i32, sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>},
                  %y: tensor<8x4xf32> {jax.buffer_donor = true}) -> tensor<8x4xf32> {
    %0 = stablehlo.add %x, %y : tensor<8x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"model"}]> : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
})");
  ASSERT_TRUE(static_cast<bool>(imported)) << imported.error().str();
  const Program& program = imported->program;
  ASSERT_EQ(program.meshes().size(), 1u);
  EXPECT_EQ(program.meshes()[0].axes, (std::vector<mesh::Axis>{{"data", 4}, {"model", 2}}));
  EXPECT_EQ(program.arguments()[0].aliasedResult, 0u);
  ASSERT_TRUE(program.arguments()[0].sharding.has_value());
  EXPECT_EQ(program.arguments()[0].sharding->str(), R"([{"data"}, {?}])");
  EXPECT_TRUE(program.arguments()[1].donated);
  EXPECT_FALSE(program.arguments()[1].aliasedResult.has_value());
  ASSERT_EQ(program.statedShardings().size(), 1u);
  EXPECT_EQ(program.statedShardings()[0].sharding.str(), R"([{}, {"model"}])");
}

// As JAX writes a function with `in_shardings` that another one calls.
TEST(Import, ReadsShardingsOfArgumentsFromConstraintsBehindThem) {
  const char* const text = R"(
module {
  sdy.mesh @mesh = <["data"=4]>
  func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f(%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %x <@mesh, [{"data"}]> : tensor<8xf32>
    %1 = stablehlo.add %0, %y : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
})";
  const auto sharding = [&](const ImportOptions& options, size_t argument) {
    const auto imported = importText(text, "test", options);
    EXPECT_TRUE(static_cast<bool>(imported)) << imported.error().str();
    const auto& found = imported->program.arguments()[argument].sharding;
    return found ? found->str() : "none";
  };
  EXPECT_EQ(sharding({.statedInside = {0, 1}}, 0), R"([{"data"}])");
  EXPECT_EQ(sharding({.statedInside = {0, 1}}, 1), "none");
  EXPECT_EQ(sharding({}, 0), "none") << "it says what the function makes of it";
}

TEST(Import, RecognizesCombiners) {
  const std::string text = flat(R"(
func.func @main(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %k = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1:2 = stablehlo.reduce(%x init: %z), (%i init: %k) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %p = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %q = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    %r = stablehlo.select %p, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %q, %r : tensor<f32>, tensor<i32>
  }
  return %0, %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
})");
  EXPECT_NE(text.find("{dims=[1], combiner=max}"), std::string::npos) << text;
  EXPECT_NE(text.find("{dims=[1], combiner=argmax}"), std::string::npos) << text;
}

TEST(Import, AScanThatWorksPointByPointNamesItsDim) {
  const auto scan = [](const std::string& body) {
    return flat(R"(
func.func @main(%x: tensor<4x8xf32>, %i: tensor<4xf32>) -> tensor<4x8xf32> {
  %0:2 = chlo.scan(%x) inits (%i) dimension=1 {
  ^bb0(%a: tensor<4xf32>, %c: tensor<4xf32>):
)" + body + R"(
    stablehlo.return %s, %s : tensor<4xf32>, tensor<4xf32>
  } : (tensor<4x8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return %0#0 : tensor<4x8xf32>
})");
  };
  const std::string sum = scan("%s = stablehlo.add %a, %c : tensor<4xf32>");
  EXPECT_NE(sum.find("chlo.scan %0, %1 {dim=1}"), std::string::npos) << sum;
  const std::string mixes = scan("%s = stablehlo.reverse %a, dims = [0] : tensor<4xf32>");
  EXPECT_NE(mixes.find("chlo.scan %0, %1\n"), std::string::npos) << mixes;
}

TEST(Import, UnknownOpsAreKept) {
  EXPECT_EQ(flat(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "foo.bar"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})"),
            "%0:f32[4] = argument \"arg0\"\n%1:f32[4] = foo.bar %0\nreturn %1 \"result0\"\n");
}

TEST(Import, WhatAnOpCapturesIsAnOperand) {
  const std::string text = flat(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "foo.region"() ({ "foo.yield"(%x) : (tensor<4xf32>) -> () }) : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
})");
  EXPECT_NE(text.find("%1:f32[4] = foo.region with captures %0\n"), std::string::npos) << text;
}

struct BadCase {
  const char* name;
  const char* text;
  const char* message;
};

TEST(Import, BadModulesGetADiagnosticWithAPlace) {
  const std::vector<BadCase> cases = {
      {"empty", "", "test.mlir:1:1: error: the file is empty"},
      {"blank", " \n\t\n", "test.mlir:1:1: error: the file is empty"},
      {"bytecode", "ML\xefR\x01", "test.mlir:1:1: error: this is MLIR bytecode"},
      {"no main", "func.func @f() { return }",
       "test.mlir:1:1: error: the module has no function @main with a body; its functions: @f"},
      {"index array", "module attributes {\n a.b = array< index: 1>} {}",
       "test.mlir:2:1: error: an array attribute cannot hold `index` elements"},
      {"no functions", "module {}", "it has no functions at all"},
      {"declared main", "func.func private @main() -> tensor<f32>",
       "no function @main with a body"},
      {"truncated", "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tens",
       "test.mlir:2:14: error: "},
      {"dynamic", "func.func @main(%x: tensor<?x4xf32>) { return }",
       "test.mlir:1:17: error: dim 0 of tensor<?x4xf32> is dynamic; plans need concrete sizes"},
      {"too large", "func.func @main(%x: tensor<4294967296x4294967296xf32>) { return }",
       "tensor<4294967296x4294967296xf32> has more than 2^52 elements"},
      {"unranked", "func.func @main(%x: tensor<*xf32>) { return }", "is not supported"},
      {"tuple", "func.func @main(%x: tuple<tensor<f32>>) { return }",
       "a value of type tuple is not supported: values are tensors of known rank"},
      {"recursion",
       "func.func @main(%x: tensor<f32>) { call @f(%x) : (tensor<f32>) -> () \n return }\n"
       "func.func @f(%x: tensor<f32>) {\n  call @f(%x) : (tensor<f32>) -> ()\n  return }",
       "test.mlir:4:3: error: function @f calls itself"},
      {"blocks", "func.func @main() {\n  \"cf.br\"()[^b] : () -> ()\n^b:\n  return }",
       "has 2 blocks"},
      {"alias",
       "func.func @main(%x: tensor<f32> {tf.aliasing_output = 7 : i32}) -> tensor<f32> { return %x "
       ": tensor<f32> }",
       "argument `arg0` is aliased to result 7; there are 1"},
  };
  for (const BadCase& c : cases) {
    const auto imported = import(c.text);
    ASSERT_FALSE(static_cast<bool>(imported)) << c.name;
    EXPECT_NE(imported.error().str().find(c.message), std::string::npos)
        << c.name << ": " << imported.error().str();
  }
}

TEST(Import, DeepNestingIsRefusedNotFollowed) {
  std::string text = "func.func @main() {\n";
  for (int i = 0; i < 100000; ++i) text += "\"foo.r\"() ({\n";
  const auto imported = import(text);
  ASSERT_FALSE(static_cast<bool>(imported));
  EXPECT_NE(imported.error().message.find("nest"), std::string::npos);
}

TEST(Import, CallsThatMultiplyAreRefused) {
  std::string text =
      "func.func @main(%x: tensor<f32>) { call @f0(%x) : (tensor<f32>) -> () \n return }\n";
  for (int i = 0; i < 40; ++i) {
    const std::string next = "@f" + std::to_string(i + 1) + "(%x) : (tensor<f32>) -> ()\n";
    text += "func.func private @f" + std::to_string(i) +
            "(%x: tensor<f32>) {\n%0 = stablehlo.add %x, %x : tensor<f32>\n";
    if (i < 39) text += "call " + next + "call " + next;
    text += "return }\n";
  }
  const auto imported = import(text, {.defaultTripCount = 10, .mostOps = 10000});
  ASSERT_FALSE(static_cast<bool>(imported));
  EXPECT_NE(imported.error().message.find("more than 10000 ops once calls are inlined"),
            std::string::npos);
}

TEST(Import, LongCallChainsAreRefusedNotFollowed) {
  std::string text = "func.func @main() { call @f0() : () -> () \n return }\n";
  for (int i = 0; i < 20000; ++i) {
    text += "func.func private @f" + std::to_string(i) + "() { ";
    if (i < 19999) text += "call @f" + std::to_string(i + 1) + "() : () -> ()\n";
    text += "return }\n";
  }
  const auto imported = import(text);
  ASSERT_FALSE(static_cast<bool>(imported));
  EXPECT_NE(imported.error().message.find("calls nest more than 1000 deep"), std::string::npos);
}

TEST(Import, ZeroSizedDimsAndScalarsAreFine) {
  EXPECT_EQ(flat("func.func @main(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {\n"
                 "%0 = stablehlo.add %x, %x : tensor<0x4xf32>\nreturn %0 : tensor<0x4xf32> }"),
            "%0:f32[0,4] = argument \"arg0\"\n%1:f32[0,4] = stablehlo.add %0, %0\nreturn %1 "
            "\"result0\"\n");
}

TEST(Import, LocationsPointAtTheSource) {
  const auto imported = import(
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = stablehlo.negate %x : tensor<f32> "
      "loc(\"jit(f)/neg\"(callsite(\"g\"(\"model.py\":3:7) at \"main.py\":1:1)))\n"
      "  return %0 : tensor<f32> }");
  ASSERT_TRUE(static_cast<bool>(imported));
  const Program& program = imported->program;
  const program::Location& location = program.location(program.op(program::OpId(1u)).location);
  EXPECT_EQ(program.source(program::OpId(1u)).str(), "model.py:3:7");
  EXPECT_EQ(program.name(location.name), "jit(f)/neg");
}

// As JAX says where the loops of its own functions are.
TEST(Import, WhatHasNoFileIsWhereItsFunctionIsCalled) {
  const auto imported = import(
      "func.func private @f(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = stablehlo.negate %x : tensor<f32> loc(\"while/body/neg\")\n"
      "  return %0 : tensor<f32> }\n"
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = func.call @f(%x) : (tensor<f32>) -> tensor<f32> loc(\"jit\"(\"model.py\":3:7))\n"
      "  %1 = func.call @f(%0) : (tensor<f32>) -> tensor<f32> loc(\"jit\"(\"model.py\":4:7))\n"
      "  return %1 : tensor<f32> }");
  ASSERT_TRUE(static_cast<bool>(imported));
  const Program& program = imported->program;
  EXPECT_EQ(program.source(program::OpId(1u)).str(), "model.py:3:7");
  EXPECT_EQ(program.source(program::OpId(2u)).str(), "model.py:4:7");
  const program::Location& location = program.location(program.op(program::OpId(1u)).location);
  EXPECT_EQ(program.name(location.name), "while/body/neg");
}

TEST(Import, WhatHasNoLocationIsWhereItsFunctionIsCalled) {
  const auto imported = import(
      "func.func private @f(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = stablehlo.negate %x : tensor<f32> loc(unknown)\n"
      "  return %0 : tensor<f32> }\n"
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = func.call @f(%x) : (tensor<f32>) -> tensor<f32> loc(\"model.py\":3:7)\n"
      "  %1 = func.call @f(%0) : (tensor<f32>) -> tensor<f32> loc(\"model.py\":4:7)\n"
      "  return %1 : tensor<f32> }");
  ASSERT_TRUE(static_cast<bool>(imported));
  EXPECT_EQ(imported->program.source(program::OpId(1u)).str(), "model.py:3:7");
  EXPECT_EQ(imported->program.source(program::OpId(2u)).str(), "model.py:4:7");
}

}  // namespace
}  // namespace shardwright
