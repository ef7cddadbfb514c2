// The checker on real programs: it accepts what the partitioner makes of random plans, and rejects
// it when any one thing in it is broken.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "mutations.h"
#include "random_plans.h"
#include "shardwright/mlir/import/importer.h"
#include "shardwright/plan/tactic.h"
#include "shardwright/spmd/checker.h"
#include "shardwright/spmd/partition.h"

namespace shardwright::testing {
namespace {

namespace fs = std::filesystem;

void addPrograms(const fs::path& folder, std::vector<fs::path>& files) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
}

// The models, the programs that show every rule, and those of one more folder if the environment
// names one.
std::vector<fs::path> programs() {
  std::vector<fs::path> files;
  addPrograms(fs::path(SHARDWRIGHT_TEST_DATA) / "models", files);
  addPrograms(fs::path(SHARDWRIGHT_TEST_DATA) / "rules", files);
  if (const char* more = std::getenv("SHARDWRIGHT_MORE_PROGRAMS")) addPrograms(more, files);
  std::ranges::sort(files);
  return files;
}

std::string nameOf(const fs::path& file) {
  return file.parent_path().filename().string() + "_" + file.stem().string();
}

// More rounds than the default for a thorough run.
int rounds(int usual) {
  const char* factor = std::getenv("SHARDWRIGHT_ROUNDS");
  return factor != nullptr ? usual * std::atoi(factor) : usual;
}

class Programs : public ::testing::TestWithParam<fs::path> {
 protected:
  void SetUp() override {
    std::ostringstream text;
    text << std::ifstream(GetParam()).rdbuf();
    auto imported = importText(text.str(), GetParam().string());
    ASSERT_TRUE(static_cast<bool>(imported)) << imported.error().str();
    imported_ = std::make_unique<ImportedProgram>(*std::move(imported));
    auto rules = rules::RuleTable::make(imported_->program);
    ASSERT_TRUE(static_cast<bool>(rules)) << rules.error().str();
    rules_ = std::make_unique<rules::RuleTable>(*std::move(rules));
    analysis_ =
        std::make_unique<analysis::Analysis>(analysis::Analysis::make(imported_->program, *rules_));
  }
  plan::Subject subject() const { return {imported_->program, *rules_, *analysis_}; }

 private:
  std::unique_ptr<ImportedProgram> imported_;
  std::unique_ptr<rules::RuleTable> rules_;
  std::unique_ptr<analysis::Analysis> analysis_;
};

std::string describe(const plan::Subject& subject, const plan::Plan& plan) {
  std::string text = "mesh " + mesh::str(plan.mesh);
  for (const plan::Decision& decision : plan.decisions) {
    text += "; " + plan.mesh.axes[decision.axis].name + ": colour";
    for (const auto color : decision.colors) text += " " + std::to_string(color.index());
  }
  for (const plan::Pin& pin : plan.pins) {
    text += "; pin of op " + std::to_string(pin.op.index()) + " " +
            std::string(subject.program.name(pin.op)) + " " + plan::specText(plan.mesh, pin);
  }
  text += "; " + std::to_string(plan.resolutions.size()) + " resolutions, " +
          std::to_string(plan.turns.size()) + " turns";
  if (plan.remakeGap) text += "; remake gap " + std::to_string(*plan.remakeGap);
  return text;
}

TEST_P(Programs, WhatThePartitionerMakesIsAccepted) {
  RandomPlans plans(subject(), 1);
  for (int round = 0; round < rounds(10); ++round) {
    const plan::Plan plan = plans.next();
    ASSERT_FALSE(plan::checkPlan(subject(), plan)) << describe(subject(), plan);
    const spmd::SpmdProgram made = spmd::partition(subject(), plan);
    const Status bad = spmd::check(subject(), plan, made);
    EXPECT_FALSE(bad) << "round " << round << ": " << bad->str() << "\n"
                      << describe(subject(), plan);
  }
}

TEST_P(Programs, AnythingBrokenIsRejected) {
  RandomPlans plans(subject(), 2);
  int tried = 0;
  for (int round = 0; round < rounds(4); ++round) {
    const plan::Plan plan = plans.next();
    const spmd::SpmdProgram made = spmd::partition(subject(), plan);
    if (spmd::check(subject(), plan, made)) continue;
    for (int i = 0; i < 40; ++i) {
      spmd::SpmdProgram broken = made;
      const Broken what = Mutator(subject().program, broken, plans.random()).breakOneThing();
      if (!what) continue;
      ++tried;
      EXPECT_TRUE(spmd::check(subject(), plan, broken)) << "accepted though " << *what << "\n"
                                                        << describe(subject(), plan);
    }
  }
  EXPECT_GT(tried, 10);
}

// Checking is cheap beside everything else: far below what import or search take.
TEST_P(Programs, IsFast) {
  RandomPlans plans(subject(), 3);
  const plan::Plan plan = plans.next();
  const spmd::SpmdProgram made = spmd::partition(subject(), plan);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(spmd::check(subject(), plan, made));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const auto ops = static_cast<double>(subject().program.opCount());
  RecordProperty("microseconds_per_op", std::to_string(1e6 * seconds.count() / ops));
  EXPECT_LT(seconds.count(), 1e-5 * ops + 0.1);
}

INSTANTIATE_TEST_SUITE_P(All, Programs, ::testing::ValuesIn(programs()),
                         [](const auto& file) { return nameOf(file.param); });

}  // namespace
}  // namespace shardwright::testing
