#include "shardwright/rules/work.h"

#include <gtest/gtest.h>

namespace shardwright::rules {
namespace {

struct Case {
  const char* name;
  WorkKind kind;
};

TEST(Work, EachFamilyHasItsKind) {
  using enum WorkKind;
  for (const Case& c : {Case{"stablehlo.add", kElementwise},
                        Case{"stablehlo.select", kElementwise},
                        Case{"stablehlo.reshape", kView},
                        Case{"sdy.sharding_constraint", kView},
                        Case{"stablehlo.custom_call:Sharding", kView},
                        Case{"barrier", kBarrier},
                        Case{"stablehlo.iota", kSource},
                        Case{"stablehlo.broadcast_in_dim", kBroadcast},
                        Case{"stablehlo.transpose", kTranspose},
                        Case{"stablehlo.dynamic_slice", kMovement},
                        Case{"stablehlo.gather", kIndexing},
                        Case{"stablehlo.reduce", kReduce},
                        Case{"stablehlo.scatter", kUpdate},
                        Case{"stablehlo.dynamic_update_slice", kUpdate},
                        Case{"stablehlo.dot_general", kContraction},
                        Case{"stablehlo.convolution", kWindow},
                        Case{"stablehlo.sort", kOrdering},
                        Case{"stablehlo.rng", kOpaque},
                        Case{"while", kNone},
                        Case{"carry", kNone},
                        Case{"somebody.elses_op", kOpaque}}) {
    EXPECT_EQ(workOf(c.name, {}).kind, c.kind)
        << c.name << " is " << workKindName(workOf(c.name, {}).kind);
  }
}

TEST(Work, AConstantIsFreeOnlyIfItIsOneNumber) {
  EXPECT_EQ(workOf("stablehlo.constant", program::ConstantAttrs{true}).kind, WorkKind::kSource);
  EXPECT_EQ(workOf("stablehlo.constant", program::ConstantAttrs{false}).kind, WorkKind::kConstant);
}

TEST(Work, TranscendentalsAreExpensive) {
  EXPECT_TRUE(workOf("stablehlo.tanh", {}).expensive);
  EXPECT_TRUE(workOf("chlo.erf", {}).expensive);
  EXPECT_TRUE(workOf("stablehlo.custom_call:mhlo.tan", {}).expensive);
  EXPECT_FALSE(workOf("stablehlo.add", {}).expensive);
  EXPECT_FALSE(workOf("stablehlo.dot_general", {}).expensive);
}

TEST(Work, WhatTakesLongerCountsMore) {
  EXPECT_EQ(workOf("stablehlo.add", {}).effort, 1);
  EXPECT_EQ(workOf("stablehlo.dot_general", {}).effort, 1);
  EXPECT_GT(workOf("stablehlo.exponential", {}).effort, workOf("stablehlo.add", {}).effort);
  EXPECT_GT(workOf("stablehlo.tanh", {}).effort, workOf("stablehlo.exponential", {}).effort);
  EXPECT_GT(workOf("stablehlo.power", {}).effort, workOf("stablehlo.tanh", {}).effort);
  EXPECT_GT(workOf("stablehlo.gather", {}).effort, 1);
  EXPECT_GT(workOf("stablehlo.scatter", program::ScatterAttrs{}).effort,
            workOf("stablehlo.gather", {}).effort);
  EXPECT_EQ(workOf("stablehlo.dynamic_update_slice", {}).effort, 1);
}

TEST(Work, AdditionsAreKnown) {
  program::ScatterAttrs adding, replacing;
  adding.combiner = program::Combiner::kAdd;
  EXPECT_TRUE(workOf("stablehlo.add", {}).adds);
  EXPECT_FALSE(workOf("stablehlo.multiply", {}).adds);
  EXPECT_TRUE(workOf("stablehlo.scatter", adding).adds);
  EXPECT_FALSE(workOf("stablehlo.scatter", replacing).adds);
  EXPECT_TRUE(workOf("stablehlo.scatter", replacing).scatters);
  EXPECT_FALSE(workOf("stablehlo.dynamic_update_slice", {}).scatters);
}

TEST(Work, WhatDoesTheSameAgainIsKnown) {
  using program::Combiner;
  for (const char* name : {"stablehlo.add", "stablehlo.convert", "stablehlo.iota"}) {
    EXPECT_TRUE(workOf(name, {}).repeats) << name;
    EXPECT_FALSE(workOf(name, {}).varies) << name;
  }
  EXPECT_TRUE(workOf("stablehlo.dot_general", program::DotAttrs{}).repeats);
  EXPECT_TRUE(workOf("stablehlo.convolution", program::ConvolutionAttrs{}).repeats);
  EXPECT_FALSE(workOf("stablehlo.reduce_window", program::WindowAttrs{}).repeats);
  EXPECT_TRUE(workOf("stablehlo.reduce", program::ReduceAttrs{{0}, Combiner::kAdd}).repeats);
  EXPECT_FALSE(workOf("stablehlo.reduce", program::ReduceAttrs{{0}, Combiner::kOther}).repeats);
  for (const char* name : {"stablehlo.rng", "stablehlo.sort", "argument"}) {
    EXPECT_FALSE(workOf(name, {}).repeats) << name;
  }
}

TEST(Work, AnOpThatKeepsSomethingToItselfMayDifferFromItsTwin) {
  for (const char* name :
       {"stablehlo.compare", "chlo.broadcast_compare", "stablehlo.reduce_precision"}) {
    EXPECT_TRUE(workOf(name, {}).varies) << name;
  }
  EXPECT_TRUE(workOf("stablehlo.constant", program::ConstantAttrs{true, false}).varies);
  EXPECT_TRUE(workOf("stablehlo.constant", program::ConstantAttrs{}).varies);
}

}  // namespace
}  // namespace shardwright::rules
