#include "shardwright/plan/pattern.h"

#include <gtest/gtest.h>

#include "shardwright/program/builder.h"

namespace shardwright::plan {
namespace {

program::Program withArguments(const std::vector<std::string>& paths) {
  program::ProgramBuilder b;
  const program::TypeId type = b.type(program::DType::kF32, {4});
  for (const std::string& path : paths) b.addArgument({.path = path}, type);
  return std::move(b).finish();
}

TEST(NormalPath, TakesBracketsQuotesAndDots) {
  EXPECT_EQ(normalPath("state['params']['layers'][0]['wq']"), "state/params/layers/0/wq");
  EXPECT_EQ(normalPath("state.params[\"w\"].value"), "state/params/w/value");
  EXPECT_EQ(normalPath("state/params/w"), "state/params/w");
  EXPECT_EQ(normalPath("arg0"), "arg0");
  EXPECT_EQ(normalPath("p['a.b']['c]d']"), "p/a.b/c]d");
  EXPECT_EQ(normalPath("p['unclosed"), "p/unclosed");
}

TEST(MatchesGlob, StarIsAnyText) {
  EXPECT_TRUE(matchesGlob("*", ""));
  EXPECT_TRUE(matchesGlob("a*b*c", "abbc"));
  EXPECT_TRUE(matchesGlob("*aab", "aaaab"));
  EXPECT_FALSE(matchesGlob("a*b", "abc"));
  EXPECT_FALSE(matchesGlob("", "a"));
  EXPECT_FALSE(matchesGlob("ab", "a"));
}

TEST(MatchesPath, EitherSpelling) {
  const std::string path = "state['params']['layers'][0]['wq']";
  EXPECT_TRUE(matchesPath("state/params/layers/*/wq", path));
  EXPECT_TRUE(matchesPath("state['params']['layers'][*]['wq']", path));
  EXPECT_TRUE(matchesPath("*wq*", path));
  EXPECT_TRUE(matchesPath(path, path));
  EXPECT_FALSE(matchesPath("wq", path));
  EXPECT_FALSE(matchesPath("params*", path));
}

TEST(MatchingArguments, InOrder) {
  const program::Program program = withArguments({"arg0", "batch['x']", "batch['y']"});
  EXPECT_EQ(matchingArguments(program, "batch*"), (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(matchingArguments(program, "arg0"), (std::vector<uint32_t>{0}));
  EXPECT_TRUE(matchingArguments(program, "arg").empty());
}

TEST(NearPatterns, ThePatternInsideAPathOrTheNearestSpelling) {
  const program::Program program = withArguments({"state['params']['wq']", "batch['tokens']"});
  EXPECT_EQ(nearPatterns(program, "params*"), (std::vector<std::string>{"*params*"}));
  EXPECT_EQ(nearPatterns(program, "batch/token").front(), "*batch/token*");
  EXPECT_EQ(nearPatterns(program, "batch/tokns", 1), (std::vector<std::string>{"batch/tokens"}));
}

}  // namespace
}  // namespace shardwright::plan
