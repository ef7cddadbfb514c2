#include "shardwright/mlir/export/export.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "mlir/IR/Matchers.h"
#include "shardwright/mlir/export/collectives.h"
#include "shardwright/mlir/export/positions.h"
#include "shardwright/plan/plan_file.h"
#include "shardwright/spmd/partition.h"

namespace shardwright {
namespace {

using mesh::AxisList;
using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

// One argument dim whose colour goes to an axis.
struct Split {
  uint32_t argument, dim, axis;
};

// A layout of an argument (or of a result, from 100 on).
struct Layout {
  uint32_t value;
  std::vector<AxisList> dims;
};

struct Forms {
  std::string spmd;
  Result<std::string> explicitForm{std::string()}, annotated{std::string()};
};

Forms forms(const std::string& text, const char* mesh, const std::vector<Split>& splits,
            const std::vector<Layout>& layouts = {}, const std::string& planText = "") {
  const Result<ImportedProgram> imported = importText(text, "test.mlir");
  EXPECT_TRUE(imported) << imported.error().str();
  const program::Program& program = imported->program;
  const auto rules = *rules::RuleTable::make(program);
  const auto analysis = analysis::Analysis::make(program, rules);
  const plan::Subject subject{program, rules, analysis};
  plan::Plan plan;
  plan.mesh = *mesh::parseMesh(mesh);
  for (const Split& split : splits) {
    const auto op = program.value(program.arguments()[split.argument].value).definition;
    plan.decisions.push_back(
        {split.axis, {analysis.color({op, subject.rule(op).dim(0, split.dim).front()})}});
  }
  for (const Layout& layout : layouts) {
    const bool isResult = layout.value >= 100;
    const auto op = isResult ? program.results()[layout.value - 100].returnOp
                             : program.value(program.arguments()[layout.value].value).definition;
    plan.pins.push_back({op, 0, layout.dims});
  }
  const Status bad = plan::checkPlan(subject, plan);
  EXPECT_FALSE(bad) << bad->str();
  const spmd::SpmdProgram spmd = spmd::partition(subject, plan);
  return {spmd::print(spmd, program), exportExplicit(*imported, spmd),
          exportAnnotated(*imported, spmd, planText)};
}

// Whether the pieces stand in `text`, in this order.
AssertionResult inOrder(const std::string& text, const std::vector<std::string>& pieces) {
  size_t at = 0;
  for (const std::string& piece : pieces) {
    at = text.find(piece, at);
    if (at == std::string::npos) return AssertionFailure() << "no `" << piece << "` in\n" << text;
    at += piece.size();
  }
  return AssertionSuccess();
}

size_t count(const std::string& text, const std::string& piece) {
  size_t found = 0;
  for (size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1))
    ++found;
  return found;
}

const char* const kMatmul = R"(
module @jit_f attributes {mhlo.num_partitions = 1 : i32, some.other = "kept"} {
func.func public @main(%x: tensor<16x32xf32> {tf.aliasing_output = 0 : i32}, %w: tensor<32x32xf32>) -> (tensor<16x32xf32> {jax.result_info = "y"}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}})";

TEST(Explicit, IsOneManualComputationOnLocalShapes) {
  const Forms made = forms(kMatmul, "data=4,model=2", {{0, 0, 0}});
  ASSERT_TRUE(made.explicitForm) << made.explicitForm.error().str();
  EXPECT_TRUE(inOrder(
      *made.explicitForm,
      {"mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, some.other = \"kept\"",
       R"(sdy.mesh @mesh = <["data"=4, "model"=2]>)",
       R"(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>, tf.aliasing_output = 0 : i32})",
       R"({jax.result_info = "y", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})",
       R"(in_shardings=[<@mesh, [{"data"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"data"}, {}]>] manual_axes={"data", "model"})",
       "(%arg2: tensor<4x32xf32>, %arg3: tensor<32x32xf32>)",
       "(tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>",
       "sdy.return %1 : tensor<4x32xf32>"}));
  EXPECT_EQ(made.explicitForm->find("loc("), std::string::npos) << "the input had no locations";
}

TEST(Explicit, KeepsLocationsThatTheInputHas) {
  const Forms made = forms(R"(
func.func public @main(%x: tensor<8xf32> loc("state['x']")) -> tensor<8xf32> {
  %0 = stablehlo.tanh %x : tensor<8xf32> loc("jit(f)/tanh"("model.py":3:7))
  return %0 : tensor<8xf32>
})",
                           "a=2", {{0, 0, 0}});
  ASSERT_TRUE(made.explicitForm);
  EXPECT_TRUE(inOrder(*made.explicitForm, {"stablehlo.tanh", "loc(", "loc(\"model.py\":3:7)"}));
  EXPECT_NE(made.explicitForm->find("\"state['x']\""), std::string::npos);
}

TEST(Explicit, CollectivesNameTheirGroups) {
  const Forms made = forms(kMatmul, "data=4,model=2", {{0, 1, 1}});
  ASSERT_TRUE(made.explicitForm);
  EXPECT_TRUE(inOrder(*made.explicitForm,
                      {"\"stablehlo.reduce_scatter\"",
                       "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>",
                       "replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>",
                       "scatter_dimension = 1", "use_global_device_ids", "stablehlo.add"}));
}

const char* const kIdentity = R"(
func.func public @main(%x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  return %x : tensor<16x32xf32>
})";

// The op that turns `from` into `to`.
std::string resharded(const std::vector<AxisList>& from, const std::vector<AxisList>& to) {
  const Forms made = forms(kIdentity, "a=2,b=2,c=2", {}, {{0, from}, {100, to}});
  EXPECT_TRUE(made.explicitForm);
  const size_t begin = made.explicitForm->find("(%arg1: ");
  return made.explicitForm->substr(begin, made.explicitForm->find("sdy.return") - begin);
}

TEST(Explicit, GathersAndScattersFollowTheOrderOfAxes) {
  EXPECT_TRUE(inOrder(resharded({{0, 2}, {}}, {{}, {}}),
                      {"all_gather_dim = 0", "[[0, 1, 4, 5], [2, 3, 6, 7]]",
                       "use_global_device_ids", "(tensor<4x32xf32>) -> tensor<16x32xf32>"}));
  EXPECT_TRUE(inOrder(resharded({{2, 0}, {}}, {{}, {}}), {"[[0, 4, 1, 5], [2, 6, 3, 7]]"}));
  EXPECT_TRUE(inOrder(
      resharded({{0, 1}, {}}, {{0}, {1}}),
      {"stablehlo.all_to_all", "concat_dimension = 0", "[[0, 2], [1, 3], [4, 6], [5, 7]]",
       "split_count = 2", "split_dimension = 1", "(tensor<4x32xf32>) -> tensor<8x16xf32>"}));
}

TEST(Explicit, ASliceIsTakenAtTheDevicesPosition) {
  EXPECT_TRUE(inOrder(resharded({{}, {}}, {{}, {2}}),
                      {"stablehlo.partition_id", "dense<2> : tensor<ui32>", "stablehlo.remainder",
                       "dense<16> : tensor<i32>", "stablehlo.multiply", "stablehlo.dynamic_slice",
                       "sizes = [16, 16]"}));
}

// The ops that say where a device stands along `axes` of a=2,b=3,c=4, without what is constant.
std::string positionOps(AxisList axes, const std::vector<int64_t>& deviceIds = {}) {
  mlir::MLIRContext context;
  context.loadDialect<stablehlo::StablehloDialect>();
  mesh::Mesh mesh = *mesh::parseMesh("a=2,b=3,c=4");
  mesh.deviceIds = deviceIds;
  mlir::Block block;
  Positions positions(mesh, block, mlir::UnknownLoc::get(&context));
  const mlir::Value first = positions.position(axes);
  EXPECT_EQ(first, positions.position(axes)) << "made once";
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (mlir::Operation& op : block) {
    mlir::DenseIntElementsAttr number;
    if (mlir::matchPattern(&op, mlir::m_Constant(&number)) && number.isSplat()) {
      stream << number.getSplatValue<llvm::APInt>() << " ";
    } else {
      stream << op.getName().stripDialect() << " ";
    }
  }
  return text;
}

TEST(Positions, AreDigitsOfTheDevicesNumber) {
  EXPECT_EQ(positionOps({0}), "partition_id 12 divide convert ");
  EXPECT_EQ(positionOps({1}), "partition_id 4 divide 3 remainder convert ");
  EXPECT_EQ(positionOps({2}), "partition_id 4 remainder convert ");
  EXPECT_EQ(positionOps({1, 2}), "partition_id 12 remainder convert ") << "neighbours are one";
  EXPECT_EQ(positionOps({2, 0}),
            "partition_id 4 remainder convert 12 divide convert 2 multiply add ");
  EXPECT_EQ(positionOps({0, 1, 2}), "partition_id convert ");
}

TEST(Positions, FollowTheOrderOfDevicesInTheMesh) {
  std::vector<int64_t> ids(24);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int64_t>(ids.size() - 1 - i);
  EXPECT_EQ(positionOps({0}, ids),
            "partition_id constant dynamic_slice reshape 12 divide convert ");
}

TEST(Permutation, EveryDeviceSendsOnceAndReceivesOnce) {
  const mesh::Mesh mesh = *mesh::parseMesh("a=2,b=2,c=2");
  mesh::LayoutTable layouts;
  const std::vector<std::vector<AxisList>> all = {
      {{0}, {1}}, {{1}, {0}}, {{2}, {}}, {{0}, {}}, {{0, 1}, {2}}, {{1, 2}, {0}}, {{2, 0}, {1}}};
  for (const auto& from : all) {
    for (const auto& to : all) {
      const auto a = layouts.intern(from), b = layouts.intern(to);
      bool sameShape = true;
      for (size_t d = 0; d < 2; ++d) sameShape = sameShape && from[d].size() == to[d].size();
      if (!sameShape) continue;
      std::map<int64_t, int64_t> sources, targets;
      for (const auto& [source, target] : permutation(mesh, layouts, a, b)) {
        EXPECT_TRUE(sources.emplace(source, target).second);
        EXPECT_TRUE(targets.emplace(target, source).second);
        for (size_t d = 0; d < 2; ++d) {
          EXPECT_EQ(mesh::position(mesh, source, from[d]), mesh::position(mesh, target, to[d]));
        }
      }
      EXPECT_EQ(targets.size(), 8u);
    }
  }
}

TEST(Permutation, ADeviceThatHasItsPartKeepsIt) {
  const mesh::Mesh mesh = *mesh::parseMesh("a=2,b=2");
  mesh::LayoutTable layouts;
  const std::vector<AxisList> ab = {{0}, {1}}, ba = {{1}, {0}};
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(permutation(mesh, layouts, layouts.intern(ab), layouts.intern(ba)),
            (Pairs{{0, 0}, {2, 1}, {1, 2}, {3, 3}}));
  const std::vector<AxisList> a = {{0}}, b = {{1}};
  EXPECT_EQ(permutation(mesh, layouts, layouts.intern(a), layouts.intern(b)),
            (Pairs{{0, 0}, {2, 1}, {1, 2}, {3, 3}}));
}

// Partial over b on both sides: a term must not come from another place along b.
TEST(Permutation, TermsStayWithTheirDevices) {
  const mesh::Mesh mesh = *mesh::parseMesh("a=2,b=2,c=2");
  mesh::LayoutTable layouts;
  const std::vector<AxisList> a = {{0}}, c = {{2}};
  for (const auto& [source, target] :
       permutation(mesh, layouts, layouts.intern(a, {1}), layouts.intern(c, {1}))) {
    EXPECT_EQ(mesh::position(mesh, source, 1u), mesh::position(mesh, target, 1u));
  }
}

TEST(Explicit, ALookupInASplitDimIsShiftedAndMasked) {
  const Forms made = forms(R"(
func.func public @main(%table: tensor<8x4xf32>, %i: tensor<6x1xui8>) -> tensor<6x4xf32> {
  %0 = "stablehlo.gather"(%table, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<6x1xui8>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
})",
                           "a=4,b=2", {{0, 0, 0}, {0, 1, 1}});
  ASSERT_TRUE(made.explicitForm);
  EXPECT_TRUE(inOrder(
      *made.explicitForm,
      {"dense<0> : tensor<6x1xui8>", "dense<7> : tensor<6x1xui8>", "stablehlo.clamp",
       "(tensor<6x1xui8>) -> tensor<6x1xi32>", "stablehlo.subtract", "\"stablehlo.gather\"",
       "indices_are_sorted = false", "slice_sizes = array<i64: 1, 2>",
       "(tensor<2x2xf32>, tensor<6x1xi32>)", "stablehlo.select", "\"stablehlo.all_reduce\""}));
}

TEST(Explicit, AJointBarrierStaysJoint) {
  const Forms made = forms(R"(
func.func public @main(%x: tensor<8xf32>, %y: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %0:2 = stablehlo.optimization_barrier %x, %y : tensor<8xf32>, tensor<4xf32>
  %1:2 = stablehlo.optimization_barrier %0#0, %0#1 : tensor<8xf32>, tensor<4xf32>
  return %1#0, %1#1 : tensor<8xf32>, tensor<4xf32>
})",
                           "a=2", {{0, 0, 0}});
  ASSERT_TRUE(made.explicitForm);
  EXPECT_EQ(count(*made.explicitForm, "stablehlo.optimization_barrier"), 2u);
  EXPECT_TRUE(inOrder(*made.explicitForm,
                      {"optimization_barrier %arg2, %arg3 : tensor<4xf32>, tensor<4xf32>",
                       "optimization_barrier %1#0, %1#1"}));
  EXPECT_TRUE(
      inOrder(*made.annotated,
              {R"(sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{}]>]>)"}));
}

const char* const kLoop = R"(
func.func private @step(%v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.tanh %v : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
func.func public @main(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %unused = stablehlo.constant dense<0.0> : tensor<4xf32>
  %r:4 = stablehlo.while(%i = %start, %v = %x, %k = %w, %u = %unused) : tensor<i32>, tensor<8x4xf32>, tensor<4x4xf32>, tensor<4xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %p = stablehlo.dot_general %v, %k, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %q = func.call @step(%p) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %t = stablehlo.add %u, %u : tensor<4xf32>
    stablehlo.return %j, %q, %k, %t : tensor<i32>, tensor<8x4xf32>, tensor<4x4xf32>, tensor<4xf32>
  }
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%r#1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %r#1, %s : tensor<8x4xf32>, tensor<4xf32>
})";

TEST(Explicit, ALoopCarriesWhatChangesAndIsUsed) {
  const Forms made = forms(kLoop, "a=4", {{0, 0, 0}});
  ASSERT_TRUE(made.explicitForm) << made.explicitForm.error().str();
  EXPECT_TRUE(inOrder(*made.explicitForm,
                      {"stablehlo.while(", ") : tensor<i32>, tensor<2x4xf32>\n", "cond {",
                       "stablehlo.compare LT", "} do {", "stablehlo.dot_general", "stablehlo.tanh",
                       "stablehlo.return", ": tensor<i32>, tensor<2x4xf32>", "stablehlo.reduce"}));
  EXPECT_EQ(count(*made.explicitForm, "func.func"), 1u) << "calls are inlined";
}

TEST(Annotated, EveryValueHasAClosedSharding) {
  const Forms made = forms(kLoop, "a=4", {{0, 0, 0}});
  ASSERT_TRUE(made.annotated) << made.annotated.error().str();
  EXPECT_TRUE(inOrder(
      *made.annotated,
      {R"(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})",
       R"(stablehlo.while()",
       R"(attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"a"}, {}]>]>})",
       R"(stablehlo.tanh %)", R"({sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>})",
       R"(stablehlo.reduce()",
       // Partial where it is made; Shardy sees it whole.
       R"({sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>})"}));
}

TEST(Annotated, ConstraintsSayLayoutsToXla) {
  const Forms made = forms(R"(
func.func public @main(%x: tensor<16x32xf32>, %w: tensor<32x32xf32>) -> tensor<16x32xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
  %0 = stablehlo.add %x, %ones : tensor<16x32xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
  %2 = stablehlo.tanh %1 : tensor<16x32xf32>
  return %2 : tensor<16x32xf32>
})",
                           "a=2", {{0, 1, 0}}, {{100, {mesh::AxisList({0}), {}}}});
  ASSERT_TRUE(made.annotated) << made.annotated.error().str();
  const std::string mark = "{shardwright.for_xla}";
  EXPECT_TRUE(
      inOrder(*made.annotated,
              {"stablehlo.add %arg0", R"(sdy.sharding_constraint %1 <@mesh, [{}, {"a"}]> )" + mark,
               "stablehlo.dot_general %2, %arg1",
               // Partial where it is made, and reduced before the next op.
               "sdy.sharding_constraint %3 <@mesh, [{}, {}]> " + mark, "stablehlo.tanh %4",
               "sdy.sharding_constraint %5 <@mesh, [{}, {}]> " + mark,
               R"(sdy.sharding_constraint %6 <@mesh, [{"a"}, {}]> )" + mark, "return %7"}));
  EXPECT_EQ(count(*made.annotated, mark), 4u);
}

// Of two sums that one op makes, one starts from 0 and one from 3.
const char* const kStarts = R"(
func.func public @main(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %k = stablehlo.constant dense<3.0> : tensor<f32>
  %0:2 = stablehlo.reduce(%x init: %z), (%x init: %k) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>) {
    %p = stablehlo.add %a, %b : tensor<f32>
    %q = stablehlo.add %c, %d : tensor<f32>
    stablehlo.return %p, %q : tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
})";

TEST(Starts, AreNeutralForXla) {
  const Forms made = forms(kStarts, "a=2", {{0, 1, 0}});
  for (const Result<std::string>* form : {&made.explicitForm, &made.annotated}) {
    ASSERT_TRUE(*form) << form->error().str();
    EXPECT_TRUE(inOrder(**form, {"dense<0.000000e+00>", "stablehlo.reduce(", "stablehlo.return",
                                 "stablehlo.broadcast_in_dim", "stablehlo.add",
                                 "{shardwright.for_xla} : tensor<4xf32>", "return"}));
    EXPECT_EQ(count(**form, "stablehlo.broadcast_in_dim"), 1u) << **form;
  }
}

TEST(Starts, AreThoseOfTheProgramWhenTheModuleIsReadAgain) {
  const Forms made = forms(kStarts, "a=2", {{0, 1, 0}});
  ASSERT_TRUE(made.annotated) << made.annotated.error().str();
  const Result<ImportedProgram> before = importText(kStarts, "before.mlir");
  const Result<ImportedProgram> after = importText(*made.annotated, "after.mlir");
  ASSERT_TRUE(before && after);
  EXPECT_EQ(plan::programHash(after->program), plan::programHash(before->program));
}

TEST(Annotated, CarriesThePlanAndOnlyTheNewOne) {
  const std::string text = R"(
module attributes {shardwright.plan = "old"} {
func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}})";
  EXPECT_NE(forms(text, "a=2", {}, {}, "new").annotated->find("shardwright.plan = \"new\""),
            std::string::npos);
  EXPECT_EQ(forms(text, "a=2", {}).annotated->find("shardwright.plan"), std::string::npos);
  EXPECT_EQ(forms(text, "a=2", {}).explicitForm->find("shardwright.plan"), std::string::npos);
}

TEST(Annotated, ReplacesShardingsOfTheInput) {
  const Forms made = forms(R"(
module {
sdy.mesh @other = <["x"=2]>
sdy.mesh @mesh = <["y"=4]>
func.func public @main(%x: tensor<8xf32> {mhlo.sharding = "{replicated}", sdy.sharding = #sdy.sharding<@other, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@other, [{?}]>]>} : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@other, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}})",
                           "a=2", {{0, 0, 0}});
  ASSERT_TRUE(made.annotated) << made.annotated.error().str();
  EXPECT_TRUE(inOrder(*made.annotated, {R"(sdy.mesh @mesh_0 = <["a"=2]>)", R"(@mesh_0, [{"a"}])",
                                        R"(sdy.sharding_constraint %0 <@mesh_0, [{"a"}]>)"}));
  EXPECT_EQ(count(*made.annotated, "sdy.mesh "), 1u);
  EXPECT_EQ(made.annotated->find("mhlo.sharding"), std::string::npos);
  EXPECT_EQ(made.explicitForm->find("sharding_constraint"), std::string::npos);
}

TEST(Annotated, TakesTheMeshOfTheModuleIfItIsTheSame) {
  const Forms made = forms(R"(
module {
sdy.mesh @devices = <["a"=2]>
func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}})",
                           "a=2", {{0, 0, 0}});
  EXPECT_TRUE(inOrder(*made.annotated, {R"(sdy.mesh @devices = <["a"=2]>)", "<@devices, "}));
}

TEST(Explicit, TheBodyOfAScanSeesPartsOfSlices) {
  const Forms made = forms(R"(
func.func public @main(%x: tensor<8x6xf32>, %i: tensor<8xf32>) -> tensor<8x6xf32> {
  %0:2 = chlo.scan(%x) inits (%i) dimension=1 {
  ^bb0(%a: tensor<8xf32>, %c: tensor<8xf32>):
    %1 = stablehlo.add %a, %c : tensor<8xf32>
    stablehlo.return %1, %1 : tensor<8xf32>, tensor<8xf32>
  } : (tensor<8x6xf32>, tensor<8xf32>) -> (tensor<8x6xf32>, tensor<8xf32>)
  return %0#0 : tensor<8x6xf32>
})",
                           "a=2", {{0, 0, 0}});
  ASSERT_TRUE(made.explicitForm) << made.explicitForm.error().str();
  EXPECT_TRUE(inOrder(*made.explicitForm,
                      {"chlo.scan", "(%input: tensor<4xf32>, %carry: tensor<4xf32>)",
                       "stablehlo.add %input, %carry : tensor<4xf32>",
                       "(tensor<4x6xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4xf32>)"}));
}

// What JAX says to cuDNN: [4, 8, 16, 64] scores, queries as [batch, length, heads, width].
constexpr const char* kAttention = R"(
func.func public @main(%q: tensor<4x16x8x32xbf16>, %k: tensor<4x64x2x32xbf16>) -> tensor<4x8x16x32xbf16> {
  %0:2 = stablehlo.custom_call @__cudnn$fmhaSoftmax(%q, %k, %k) {api_version = 2 : i32,
    backend_config = "{\22cudnn_fmha_backend_config\22: {\22intermediate_tensor_shape\22: {\22dimensions\22: [\224\22, \228\22, \2216\22, \2264\22]}, \22fmha_scale\22: 0.125}}",
    operand_layouts = [dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>, dense<[3, 2, 1, 0]> : tensor<4xindex>],
    result_layouts = [dense<[3, 1, 2, 0]> : tensor<4xindex>, dense<0> : tensor<1xindex>]}
    : (tensor<4x16x8x32xbf16>, tensor<4x64x2x32xbf16>, tensor<4x64x2x32xbf16>) -> (tensor<4x8x16x32xbf16>, tensor<0xui8>)
  return %0#0 : tensor<4x8x16x32xbf16>
})";

TEST(Explicit, AttentionIsToldTheScoresOfItsPart) {
  const Forms batch = forms(kAttention, "a=2", {{0, 0, 0}});
  ASSERT_TRUE(batch.explicitForm) << batch.explicitForm.error().str();
  EXPECT_TRUE(inOrder(*batch.explicitForm,
                      {"@__cudnn$fmhaSoftmax", R"([\222\22,\228\22,\2216\22,\2264\22])",
                       "(tensor<2x16x8x32xbf16>, tensor<2x64x2x32xbf16>, tensor<2x64x2x32xbf16>)"}))
      << *batch.explicitForm;
  const Forms heads = forms(kAttention, "a=2", {{0, 2, 0}});
  ASSERT_TRUE(heads.explicitForm) << heads.explicitForm.error().str();
  EXPECT_TRUE(inOrder(*heads.explicitForm,
                      {"@__cudnn$fmhaSoftmax", R"([\224\22,\224\22,\2216\22,\2264\22])",
                       "(tensor<4x16x4x32xbf16>, tensor<4x64x1x32xbf16>, tensor<4x64x1x32xbf16>)"}))
      << *heads.explicitForm;
}

// No layout that something else chooses reaches a transform.
TEST(Explicit, TransformsStandBetweenValuesOfOneDim) {
  const Forms split = forms(R"(
func.func public @main(%x: tensor<2x4x8xcomplex<f32>>) -> tensor<2x4x8xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<2x4x8xcomplex<f32>>) -> tensor<2x4x8xcomplex<f32>>
  return %0 : tensor<2x4x8xcomplex<f32>>
})",
                            "a=2", {{0, 0, 0}});
  ASSERT_TRUE(split.explicitForm) << split.explicitForm.error().str();
  EXPECT_TRUE(inOrder(*split.explicitForm, {"-> tensor<32xcomplex<f32>>", "optimization_barrier",
                                            "-> tensor<1x4x8xcomplex<f32>>", "stablehlo.fft",
                                            "-> tensor<32xcomplex<f32>>", "optimization_barrier",
                                            "-> tensor<1x4x8xcomplex<f32>>"}))
      << *split.explicitForm;
}

TEST(Explicit, RegionsReadFromOutside) {
  const Forms made = forms(R"(
func.func public @main(%x: tensor<8x6xf32>, %s: tensor<f32>) -> tensor<8x6xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.multiply %a, %s : tensor<f32>
    %2 = stablehlo.compare LT, %1, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
})",
                           "a=2", {{0, 0, 0}});
  ASSERT_TRUE(made.explicitForm);
  EXPECT_TRUE(
      inOrder(*made.explicitForm, {"\"stablehlo.sort\"", "stablehlo.multiply %arg4, %arg3"}));
  EXPECT_TRUE(inOrder(*made.annotated, {"\"stablehlo.sort\"", "stablehlo.multiply %arg2, %arg1"}));
}

TEST(Explicit, FunctionsThatAreOnlyNamedComeAlong) {
  const Forms made = forms(R"(
func.func private @combine(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = func.call @deeper(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @deeper(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @nobody(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @mystery(%x) {called_computations = [@combine]} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
})",
                           "a=2", {});
  ASSERT_TRUE(made.explicitForm) << made.explicitForm.error().str();
  EXPECT_TRUE(inOrder(*made.explicitForm, {"@main", "@combine", "@deeper"}));
  EXPECT_EQ(made.explicitForm->find("@nobody"), std::string::npos);
}

TEST(Explicit, AShardMapHasNoExplicitForm) {
  const Forms made = forms(R"(
module {
sdy.mesh @mesh = <["a"=2]>
func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>) {
    %1 = stablehlo.tanh %y : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}})",
                           "a=2", {});
  ASSERT_FALSE(made.explicitForm);
  EXPECT_EQ(
      made.explicitForm.error().str(),
      "test.mlir:5:8: error: sdy.manual_computation: a computation that is written for single "
      "devices (shard_map) cannot stand inside the explicit form; use the annotated form");
  ASSERT_TRUE(made.annotated) << made.annotated.error().str();
  EXPECT_NE(made.annotated->find("sdy.manual_computation"), std::string::npos);
}

TEST(Explicit, CollectivesOfTheInputHaveNoExplicitForm) {
  const Forms made = forms(R"(
func.func public @main() -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
})",
                           "a=2", {});
  ASSERT_FALSE(made.explicitForm);
  EXPECT_NE(made.explicitForm.error().message.find("speaks of single devices"), std::string::npos);
}

TEST(Neutral, ChangesNothing) {
  mlir::MLIRContext context;
  const auto text = [&](mlir::Type type, program::Combiner combiner) {
    std::string result;
    llvm::raw_string_ostream(result) << neutral(type, {2}, combiner);
    return result;
  };
  using enum program::Combiner;
  const auto integer = [&](unsigned width, mlir::IntegerType::SignednessSemantics sign) {
    return mlir::IntegerType::get(&context, width, sign);
  };
  const mlir::Type f32 = mlir::Float32Type::get(&context),
                   i1 = integer(1, mlir::IntegerType::Signless);
  EXPECT_EQ(text(f32, kAdd), "dense<0.000000e+00> : tensor<2xf32>");
  EXPECT_EQ(text(f32, kMax), "dense<0xFF800000> : tensor<2xf32>");
  EXPECT_EQ(text(mlir::BFloat16Type::get(&context), kMin), "dense<0x7F80> : tensor<2xbf16>");
  EXPECT_EQ(text(mlir::ComplexType::get(f32), kMul),
            "dense<(1.000000e+00,0.000000e+00)> : tensor<2xcomplex<f32>>");
  EXPECT_EQ(text(integer(8, mlir::IntegerType::Signless), kMax), "dense<-128> : tensor<2xi8>");
  EXPECT_EQ(text(integer(8, mlir::IntegerType::Unsigned), kMin), "dense<255> : tensor<2xui8>");
  EXPECT_EQ(text(integer(8, mlir::IntegerType::Unsigned), kMax), "dense<0> : tensor<2xui8>");
  EXPECT_EQ(text(i1, kAnd), "dense<true> : tensor<2xi1>");
  EXPECT_EQ(text(i1, kMin), "dense<true> : tensor<2xi1>");
  EXPECT_EQ(text(i1, kMax), "dense<false> : tensor<2xi1>");
  // No infinity in this one: the least number.
  EXPECT_EQ(text(mlir::Float8E4M3FNType::get(&context), kMax),
            "dense<-4.480000e+02> : tensor<2xf8E4M3FN>");
}

}  // namespace
}  // namespace shardwright
