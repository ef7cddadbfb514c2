#include "shardwright/search/plan_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "shardwright/plan/assignment.h"
#include "shardwright/plan/testing.h"
#include "shardwright/search/experts.h"
#include "shardwright/search/neighbours.h"
#include "shardwright/search/rng.h"
#include "shardwright/search/search.h"

namespace shardwright::search {
namespace {

using plan::testing::Analysed;

// relu(softmaxless attention of x with itself, times w1) times w2: rows meet themselves, and all
// dims meet others.
program::Program attentionWithMlp() {
  using namespace program;
  ProgramBuilder b;
  const auto f32 = [&](std::vector<int64_t> shape) { return b.type(DType::kF32, shape); };
  const ValueId x = b.addArgument({.path = "x"}, f32({1024, 512}));
  const ValueId w1 = b.addArgument({.path = "w1"}, f32({512, 2048}));
  const ValueId w2 = b.addArgument({.path = "w2"}, f32({2048, 512}));
  const auto dot = [&](DotAttrs attrs, ValueId l, ValueId r, std::vector<int64_t> shape) {
    return b.result(b.addOp("stablehlo.dot_general", attrs, {l, r}, {f32(shape)}));
  };
  const ValueId s = dot({{}, {}, {1}, {1}}, x, x, {1024, 1024});
  const ValueId y = dot({{}, {}, {1}, {0}}, s, x, {1024, 512});
  const ValueId h = dot({{}, {}, {1}, {0}}, y, w1, {1024, 2048});
  const ValueId z = dot({{}, {}, {1}, {0}}, h, w2, {1024, 512});
  const OpId sum = b.addOp("stablehlo.add", {}, {x, z}, {f32({1024, 512})});
  b.addResult({.path = "out"}, b.result(sum));
  return std::move(b).finish();
}

// Sums of the squares of x repeated: whatever shows the new dim also shows the rows.
program::Program repeatedRows() {
  using namespace program;
  ProgramBuilder b;
  const auto f32 = [&](std::vector<int64_t> shape) { return b.type(DType::kF32, shape); };
  const ValueId x = b.addArgument({.path = "x"}, f32({1024}));
  const ValueId wide =
      b.result(b.addOp("stablehlo.broadcast_in_dim", DimsAttrs{{0}}, {x}, {f32({1024, 512})}));
  const ValueId y = b.result(
      b.addOp("stablehlo.dot_general", DotAttrs{{0}, {0}, {1}, {1}}, {wide, wide}, {f32({1024})}));
  b.addResult({.path = "out"}, y);
  return std::move(b).finish();
}

// Counts how often it is asked, and likes ops that are split.
class Counting final : public PlanEvaluator {
 public:
  explicit Counting(const plan::Subject& subject) : subject_(subject) {}
  Score evaluate(const plan::Plan& plan) const override {
    const plan::Assignment assignment = plan::assign(subject_, plan);
    double seconds = 0;
    for (uint32_t i = 0; i < subject_.program.opCount(); ++i) {
      const auto used = assignment.used(program::OpId(i));
      seconds += 1.0 / static_cast<double>(mesh::deviceCount(plan.mesh, used));
    }
    return {seconds, 1, 1};
  }

 private:
  plan::Subject subject_;
};

struct Fixture {
  explicit Fixture(program::Program program = attentionWithMlp()) : analysed(std::move(program)) {}
  Analysed analysed;
  plan::Subject subject = analysed.subject();
  Counting evaluator{subject};

  Frame frame(const char* mesh) const {
    Frame frame{plan::testing::planOf(mesh), plan::testing::planOf(mesh)};
    return frame;
  }
  PlanProblem problem(const char* mesh, std::vector<uint32_t> axes,
                      std::vector<Expert> experts = {}) const {
    ProblemOptions options;
    options.actions.axes = std::move(axes);
    return PlanProblem(subject, frame(mesh), std::move(experts), evaluator, options);
  }
};

Path randomPath(const Problem& problem, Rng& rng, size_t most) {
  Path path;
  for (size_t length = rng.below(most + 1); length > 0; --length) {
    const std::vector<ActionId> legal = problem.legal(path);
    if (legal.empty()) break;
    path.push_back(legal[rng.below(legal.size())]);
  }
  return path;
}

// The path with a turn or a pin more, half the time, and less one of its actions.
Path varied(const Problem& problem, Path path, Rng& rng) {
  const std::vector<Path> variants = problem.variants(path);
  if (variants.empty() || rng.below(2) == 0) return path;
  path = variants[rng.below(variants.size())];
  return without(path, rng.below(path.size()));
}

void expectEqualKeysToBeEqualAssignments(const Fixture& fixture) {
  for (const char* mesh : {"a=4", "a=4,b=2", "a=2,b=3", "a=512,b=4,c=1"}) {
    std::vector<uint32_t> axes(plan::testing::planOf(mesh).mesh.axes.size());
    for (uint32_t i = 0; i < axes.size(); ++i) axes[i] = i;
    const PlanProblem problem = fixture.problem(mesh, axes);
    std::map<Key, plan::Assignment> seen;
    Rng rng(7);
    for (int i = 0; i < 1000; ++i) {
      const Path path = varied(problem, randomPath(problem, rng, 6), rng);
      const plan::Assignment assignment = plan::assign(fixture.subject, problem.planOf(path));
      const auto [entry, isNew] = seen.try_emplace(problem.key(path), assignment);
      EXPECT_EQ(entry->second, assignment) << mesh;
    }
    EXPECT_GT(seen.size(), 5u) << mesh;
  }
}

TEST(PlanProblem, EqualKeysAreEqualAssignments) { expectEqualKeysToBeEqualAssignments(Fixture()); }

// The new dim gets an axis only where a turn says so.
TEST(PlanProblem, KeysSayWhatOnlyATurnShows) {
  expectEqualKeysToBeEqualAssignments(Fixture(repeatedRows()));
}

TEST(PlanProblem, CanonicalPathsAreTheSamePlan) {
  const Fixture fixture;
  const PlanProblem problem = fixture.problem("a=4,b=2", {0, 1});
  Rng rng(3);
  for (int i = 0; i < 500; ++i) {
    const Path path = randomPath(problem, rng, 6);
    const Path canonical = problem.canonical(path);
    EXPECT_EQ(problem.key(path), problem.key(canonical));
    EXPECT_EQ(problem.canonical(canonical), canonical);
  }
}

TEST(PlanProblem, LegalActionsChangeSomething) {
  const Fixture fixture;
  const PlanProblem problem = fixture.problem("a=4,b=2", {0, 1});
  Rng rng(5);
  for (int i = 0; i < 100; ++i) {
    const Path path = randomPath(problem, rng, 4);
    for (const ActionId action : problem.legal(path)) {
      Path longer = path;
      longer.push_back(action);
      EXPECT_NE(problem.key(longer), problem.key(path)) << problem.words(action);
    }
  }
}

TEST(PlanProblem, OffersBothSidesOfAConflict) {
  const Fixture fixture;
  const PlanProblem problem = fixture.problem("a=4", {0});
  const analysis::ColorId rows = fixture.analysed.color(0, 0);
  size_t sides = 0;
  for (const ActionId id : problem.legal({})) {
    const Action& action = problem.action(id);
    sides += std::ranges::find(action.colors, rows) != action.colors.end() ? 1 : 0;
  }
  EXPECT_EQ(sides, 2u);
  EXPECT_TRUE(problem.excludes(problem.legal({})[0], problem.legal({})[0]));
}

TEST(PlanProblem, LeavesOtherAxesAlone) {
  const Fixture fixture;
  const PlanProblem problem = fixture.problem("a=4,b=2", {1});
  Rng rng(1);
  for (int i = 0; i < 50; ++i) {
    for (const plan::Decision& decision : problem.planOf(randomPath(problem, rng, 4)).decisions)
      EXPECT_EQ(decision.axis, 1u);
  }
}

TEST(PlanProblem, SaysWhatNoAxisDivides) {
  const Fixture fixture;
  const PlanProblem problem = fixture.problem("a=7", {0});
  EXPECT_TRUE(problem.legal({}).empty());
  ASSERT_FALSE(problem.leftOut().empty());
  EXPECT_NE(problem.leftOut()[0].find("no size that a=7 divides"), std::string::npos);
}

// x times weights of growing width, as the channels of a convolutional network: each width is a
// class of its own.
program::Program widening() {
  using namespace program;
  ProgramBuilder b;
  const auto f32 = [&](std::vector<int64_t> shape) { return b.type(DType::kF32, shape); };
  ValueId x = b.addArgument({.path = "x"}, f32({64, 32}));
  for (int64_t width = 32, layer = 0; layer < 3; width *= 2, ++layer) {
    const std::string path = "layers/" + std::to_string(layer) + "/w";
    const ValueId w = b.addArgument({.path = path}, f32({width, 2 * width}));
    x = b.result(b.addOp("stablehlo.dot_general", DotAttrs{{}, {}, {1}, {0}}, {x, w},
                         {f32({64, 2 * width})}));
  }
  b.addResult({.path = "out"}, x);
  return std::move(b).finish();
}

// One class has the same name.
ActionId allColumns(const PlanProblem& problem) {
  for (const ActionId id : problem.legal({})) {
    if (problem.words(id) == "layers/*/w.1 on a" && problem.action(id).coarse) return id;
  }
  return {};
}

TEST(PlanProblem, OffersLikeNamedArgumentsOfSeveralClassesAtOnce) {
  const Fixture fixture(widening());
  const PlanProblem problem = fixture.problem("a=4", {0});
  const ActionId columns = allColumns(problem);
  ASSERT_TRUE(columns.valid());
  // Taking them is taking one class after the other, so that each can be moved by itself.
  const Path singly = problem.steps(columns);
  ASSERT_EQ(singly.size(), 3u);
  EXPECT_EQ(problem.canonical({columns}), problem.canonical(singly));
  EXPECT_EQ(problem.key({columns}), problem.key(singly));
}

TEST(PlanProblem, ClassesThatAreThereAreNotGivenAgain) {
  const Fixture fixture(widening());
  const PlanProblem problem = fixture.problem("a=4", {0});
  const ActionId columns = allColumns(problem);
  const Path singly = problem.steps(columns);
  const auto offers = [&](const Path& path) {
    const std::vector<ActionId> actions = problem.legal(path);
    return std::ranges::find(actions, columns) != actions.end();
  };
  EXPECT_TRUE(offers({singly[1]})) << "two classes are left to give";
  EXPECT_FALSE(offers(singly)) << "nothing is left to give";
  const Path rest = {singly[1], columns};
  EXPECT_EQ(problem.canonical(rest).size(), 3u);
  EXPECT_EQ(problem.key(rest), problem.key(problem.canonical(rest)));
  EXPECT_EQ(problem.planOf(rest).decisions.size(), 3u);
}

TEST(PlanProblem, RelativesAreTheSameDecisionElsewhere) {
  const Fixture fixture;
  const PlanProblem problem = fixture.problem("a=4,b=2", {0, 1});
  for (const ActionId id : problem.legal({})) {
    const Action& action = problem.action(id);
    if (action.kind != ActionKind::kGive) continue;
    ASSERT_FALSE(problem.relatives(id).empty()) << action.words;
    for (const ActionId other : problem.relatives(id)) {
      EXPECT_EQ(problem.action(other).colors, action.colors) << action.words;
      EXPECT_TRUE(problem.action(other).axis != action.axis ||
                  problem.action(other).seconds != action.seconds)
          << action.words;
    }
  }
}

// A decision over colours of several classes is several actions.
TEST(PlanProblem, ExpertsMayGiveSeveralClassesAtOnce) {
  const Fixture fixture(widening());
  const PlanProblem alone = fixture.problem("a=4", {0});
  Expert expert{"columns", fixture.frame("a=4").before};
  plan::Decision all{0, {}};
  for (const ActionId step : alone.steps(allColumns(alone))) {
    const auto& colors = alone.action(step).colors;
    all.colors.insert(all.colors.end(), colors.begin(), colors.end());
  }
  expert.plan.decisions.push_back(all);
  const PlanProblem problem = fixture.problem("a=4", {0}, {expert});
  ASSERT_EQ(problem.suggestions().size(), 1u);
  const Path& path = problem.suggestions()[0].path;
  EXPECT_EQ(path.size(), 3u);
  EXPECT_TRUE(std::ranges::none_of(path, [&](ActionId id) { return problem.isForeign(id); }));
}

// What a strategy gives beside the classes that are searched can be taken apart too.
TEST(PlanProblem, ExpertsMayGiveWhatIsNotSearched) {
  const Fixture fixture;
  Expert expert{"by hand", fixture.frame("a=4").before};
  const analysis::ColorId rows = fixture.analysed.color(0, 0),
                          hidden = fixture.analysed.color(1, 1);
  expert.plan.decisions = {{0, {rows}}, {0, {hidden}}};
  ProblemOptions options;
  options.actions.axes = {0};
  options.actions.mostClasses = 1;
  const PlanProblem problem(fixture.subject, fixture.frame("a=4"), {expert}, fixture.evaluator,
                            options);
  const Path& path = problem.suggestions()[0].path;
  ASSERT_EQ(path.size(), 2u);
  const std::vector<ActionId> offered = problem.legal({});
  const auto isOffered = [&](ActionId id) {
    return std::ranges::find(offered, id) != offered.end();
  };
  EXPECT_EQ(std::ranges::count_if(path, isOffered), 1);
  EXPECT_TRUE(std::ranges::none_of(path, [&](ActionId id) { return problem.isForeign(id); }));
  EXPECT_EQ(plan::assign(fixture.subject, problem.planOf(path)),
            plan::assign(fixture.subject, expert.plan));
}

TEST(PlanProblem, StartsFromAFrame) {
  const Fixture fixture;
  Frame frame = fixture.frame("a=4");
  const analysis::ColorId rows = fixture.analysed.color(0, 0);
  frame.before.decisions.push_back({0, {rows}});
  ProblemOptions options;
  options.actions.axes = {0};
  const PlanProblem problem(fixture.subject, frame, {}, fixture.evaluator, options);
  const plan::Plan root = problem.planOf({});
  ASSERT_EQ(root.decisions.size(), 1u);
  for (const ActionId id : problem.legal({})) {
    const Action& action = problem.action(id);
    EXPECT_EQ(std::ranges::find(action.colors, rows), action.colors.end())
        << "what the axis has already is not offered: " << action.words;
  }
}

TEST(PlanProblem, ExpertsBecomePathsOrStarts) {
  const Fixture fixture;
  const mesh::Mesh mesh = plan::testing::planOf("a=4,b=2").mesh;
  std::vector<Expert> experts = expertPlans(fixture.subject, mesh, {}, {0, 1}, true);
  ASSERT_FALSE(experts.empty());
  std::vector<plan::Plan> plans;
  for (const Expert& expert : experts) plans.push_back(expert.plan);
  const PlanProblem problem = fixture.problem("a=4,b=2", {0, 1}, experts);
  ASSERT_EQ(problem.suggestions().size(), plans.size());
  for (size_t i = 0; i < plans.size(); ++i) {
    EXPECT_EQ(plan::assign(fixture.subject, problem.planOf(problem.suggestions()[i].path)),
              plan::assign(fixture.subject, plans[i]))
        << problem.suggestions()[i].name;
  }
}

TEST(Experts, ThoseThatLeaveAxesIdleComeLast) {
  const Fixture fixture;
  const mesh::Mesh mesh = plan::testing::planOf("a=4,b=2").mesh;
  bool idle = false;
  for (const Expert& expert : expertPlans(fixture.subject, mesh, {}, {0, 1}, true)) {
    const bool both =
        expert.name.find("(a") != std::string::npos && expert.name.find("(b") != std::string::npos;
    EXPECT_FALSE(idle && both) << expert.name;
    idle = idle || !both;
  }
  EXPECT_TRUE(idle);
}

TEST(PlanProblem, MctsEqualsExhaustiveForEverySeed) {
  const Fixture fixture;
  const PlanProblem problem = fixture.problem("a=4", {0});
  const Outcome best = runSearch("exhaustive", problem, {});
  ASSERT_TRUE(best.proved);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SearchOptions options;
    options.seed = seed;
    options.budget.evaluations = 2'000;
    const Outcome a = runSearch("mcts", problem, options), b = runSearch("mcts", problem, options);
    EXPECT_DOUBLE_EQ(a.score.seconds, best.score.seconds) << "seed " << seed;
    EXPECT_EQ(a.trace, b.trace);
  }
}

// (x + exp(b)) @ w: rows, columns and depth meet at the product, and each is alone somewhere.
program::Program biasedProduct() {
  using namespace program;
  ProgramBuilder b;
  const auto f32 = [&](std::vector<int64_t> shape) { return b.type(DType::kF32, shape); };
  const ValueId x = b.addArgument({.path = "x"}, f32({1024, 512}));
  const ValueId bias = b.addArgument({.path = "b"}, f32({512}));
  const ValueId w = b.addArgument({.path = "w"}, f32({512, 2048}));
  const ValueId e = b.result(b.addOp("stablehlo.exponential", {}, {bias}, {f32({512})}));
  const ValueId wide =
      b.result(b.addOp("stablehlo.broadcast_in_dim", DimsAttrs{{1}}, {e}, {f32({1024, 512})}));
  const ValueId sum = b.result(b.addOp("stablehlo.add", {}, {x, wide}, {f32({1024, 512})}));
  const ValueId y = b.result(
      b.addOp("stablehlo.dot_general", DotAttrs{{}, {}, {1}, {0}}, {sum, w}, {f32({1024, 2048})}));
  b.addResult({.path = "y"}, y);
  return std::move(b).finish();
}

// Of the turns at one op only those that agree go together.
TEST(PlanProblem, TurnsDoNotContradictEachOther) {
  const Fixture fixture(biasedProduct());
  const PlanProblem problem = fixture.problem("a=4", {0});
  std::vector<Path> paths = {{}};
  for (size_t i = 0; i < paths.size(); ++i) {
    for (const ActionId action : problem.legal(paths[i])) {
      Path longer = paths[i];
      longer.push_back(action);
      if (longer.size() <= 3) paths.push_back(longer);
    }
  }
  size_t pairs = 0;
  for (const Path& path : paths) {
    for (const Path& once : problem.variants(path)) {
      for (const Path& twice : problem.variants(once)) {
        const Status bad = plan::checkPlan(fixture.subject, problem.planOf(twice));
        ASSERT_FALSE(bad) << bad->str();
        ++pairs;
      }
    }
  }
  EXPECT_GT(pairs, 10u);
}

// Walks take turns and pins too, and drop decisions that these were about.
TEST(PlanProblem, WalksMeetValidPlansOnly) {
  for (const bool biased : {false, true}) {
    const Fixture fixture(biased ? biasedProduct() : attentionWithMlp());
    const PlanProblem problem = fixture.problem("a=4,b=2", {0, 1});
    const ActionValues values(problem);
    Rng rng(1);
    Path path;
    size_t turns = 0;
    for (int n = 0; n < 500; ++n) {
      path = randomNeighbour(problem, values, path, rng);
      if (path.size() > 8) path = cleared(problem, path, rng);
      const plan::Plan plan = problem.planOf(path);
      const Status bad = plan::checkPlan(fixture.subject, plan);
      ASSERT_FALSE(bad) << bad->str();
      EXPECT_EQ(problem.key(path), problem.key(problem.canonical(path)));
      turns += plan.turns.size();
    }
    EXPECT_GT(turns, 20u);
  }
}

// Where one turn, or one argument that stays whole, pays on an axis only if the other axis follows.
TEST(PlanProblem, VariantsAreOnAllAxesAtOnce) {
  const Fixture fixture;
  const PlanProblem problem = fixture.problem("a=4,b=2", {0, 1});
  Rng rng(1);
  const ActionValues values(problem);
  size_t turns = 0;
  Path path;
  for (int n = 0; n < 200; ++n) {
    for (const Path& variant : problem.variants(path)) {
      if (variant.size() != path.size() + 2) continue;
      const Action &first = problem.action(variant[path.size()]),
                   &second = problem.action(variant.back());
      ASSERT_EQ(first.kind, second.kind);
      EXPECT_EQ(first.meeting, second.meeting);
      EXPECT_EQ(first.firstWins, second.firstWins);
      EXPECT_EQ(first.arguments, second.arguments);
      EXPECT_NE(first.axis, second.axis);
      ++turns;
    }
    path = randomNeighbour(problem, values, path, rng);
  }
  EXPECT_GT(turns, 10u);
}

// Two columns are cut out of each.
TEST(PlanProblem, IndicesMayStayWhole) {
  program::ProgramBuilder b;
  const auto f32 = program::DType::kF32, i32 = program::DType::kI32;
  for (const auto& [path, dtype] : {std::pair{"values", f32}, {"rows", i32}}) {
    const program::ValueId table = b.addArgument({.path = path}, b.type(dtype, {1024, 2}));
    for (const int64_t column : {0, 1}) {
      const program::OpId cut =
          b.addOp("stablehlo.slice", program::SliceAttrs{{0, column}, {1024, column + 1}, {1, 1}},
                  {table}, {b.type(dtype, {1024, 1})});
      b.addResult({.path = "out"}, b.result(cut));
    }
  }
  const Fixture fixture(std::move(b).finish());
  const PlanProblem problem = fixture.problem("a=4", {0});
  std::vector<std::string> whole;
  for (uint32_t i = 0; i < problem.actionCount(); ++i) {
    const Action& action = problem.action(ActionId(i));
    if (action.kind == ActionKind::kWhole) whole.push_back(action.words);
  }
  EXPECT_EQ(whole, std::vector<std::string>{"rows whole along a"});
}

// x is read at the start, 40 ops later and 50 ops after that.
TEST(Actions, GapsAfterWhichCopiesAreMadeAgainAreThoseOfTheProgram) {
  plan::testing::Net net;
  const program::ValueId x = net.argument("x", {64, 64});
  program::ValueId y = net.same("stablehlo.tanh", {x});
  for (int i = 0; i < 39; ++i) y = net.same("stablehlo.tanh", {y});
  y = net.same("stablehlo.add", {y, x});
  for (int i = 0; i < 49; ++i) y = net.same("stablehlo.tanh", {y});
  net.result("y", net.same("stablehlo.add", {y, x}));
  const Analysed analysed = net.build();
  EXPECT_EQ(remakeGaps(analysed.subject()), (std::vector<uint32_t>{16, 40}));
}

// With the real estimate, so that a data race in anything below the search would show.
TEST(PlanProblem, ThreadsShareTheEstimate) {
  const Fixture fixture;
  const cost::Device device = *cost::loadDevice("h100");
  const mesh::Mesh mesh = plan::testing::planOf("a=4,b=2").mesh;
  const cost::Topology topology = cost::defaultTopology(device, mesh);
  const cost::Estimator estimator(fixture.subject, device.flavor);
  const EstimateEvaluator evaluator(fixture.subject, estimator, device, topology,
                                    cost::Bytes{16 << 20});
  ProblemOptions problemOptions;
  problemOptions.actions.axes = {0, 1};
  std::vector<Expert> experts = expertPlans(fixture.subject, mesh, {}, {0, 1}, true);
  const PlanProblem problem(fixture.subject, fixture.frame("a=4,b=2"), std::move(experts),
                            evaluator, problemOptions);
  double seconds[2];
  for (const bool many : {false, true}) {
    SearchOptions options;
    options.threads = many ? 4 : 1;
    options.budget.evaluations = 3'000;  // Enough for either to find the best.
    options.suggestions = problem.suggestions();
    const Outcome found = runSearch("mcts", problem, options);
    EXPECT_EQ(found.score, evaluator.evaluate(problem.planOf(found.path)));
    seconds[many] = found.score.seconds;
  }
  EXPECT_LE(seconds[1], seconds[0] * 1.01);
}

}  // namespace
}  // namespace shardwright::search
