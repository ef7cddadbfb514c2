#include "shardwright/plan/roles.h"

#include <gtest/gtest.h>

#include "shardwright/plan/testing.h"

namespace shardwright::plan {
namespace {

using namespace testing;
using program::ValueId;

std::string rolesOf(const Analysed& m) {
  std::string text;
  for (const Role role : classifyArguments(m.subject()))
    text += (text.empty() ? "" : " ") + std::string(roleName(role));
  return text;
}

// tanh(x @ w1) @ w2, and the gradients of a loss whose derivative is its value.
struct TwoLayers {
  ValueId y, g1, g2;
  TwoLayers(Net& net, ValueId x, ValueId w1, ValueId w2) {
    const ValueId hidden = net.same("stablehlo.tanh", {net.dot(x, 1, w1, 0)});
    y = net.dot(hidden, 1, w2, 0);
    g2 = net.dot(hidden, 0, y, 0);
    g1 = net.dot(x, 0, net.same("stablehlo.multiply", {hidden, net.dot(y, 1, w2, 1)}), 0);
  }
};

// Optimizers that scale an update by its norm, or orthogonalize it.
TEST(Roles, MomentsThatAreSummedAreNoParameters) {
  for (const bool data : {true, false}) {
    Net net;
    const ValueId w1 = net.argument("p['w1']", {32, 64}), w2 = net.argument("p['w2']", {64, 16});
    const ValueId m1 = net.argument("m['w1']", {32, 64}), m2 = net.argument("m['w2']", {64, 16});
    const TwoLayers layers(net, net.argument("x", {data ? 8 : 1, 32}), w1, w2);
    const ValueId n1 = net.same("stablehlo.add", {m1, layers.g1});
    const ValueId n2 = net.same("stablehlo.add", {m2, layers.g2});
    net.result("result[0]['w1']",
               net.same("stablehlo.subtract", {w1, net.dot(net.dot(n1, 1, n1, 1), 1, n1, 0)}));
    net.result("result[0]['w2']",
               net.same("stablehlo.subtract", {w2, net.dot(net.dot(n2, 1, n2, 1), 1, n2, 0)}));
    net.result("result[1]['w1']", n1);
    net.result("result[1]['w2']", n2);
    EXPECT_EQ(rolesOf(net.build()),
              data ? "parameter parameter optimizer_state optimizer_state input"
                   : "parameter parameter parameter parameter input")
        << "one row sums over nothing, so there is nothing to tell by";
  }
}

TEST(Roles, ArgumentsWhoseGradientsAreReturnedAreParameters) {
  for (const bool named : {true, false}) {
    Net net;
    const ValueId w1 = net.argument(named ? "p['w1']" : "arg0", {32, 64});
    const ValueId w2 = net.argument(named ? "p['w2']" : "arg1", {64, 16});
    const TwoLayers layers(net, net.argument("x", {8, 32}), w1, w2);
    net.result(named ? "result[1]['w1']" : "result0", layers.g1);
    net.result(named ? "result[1]['w2']" : "result1", layers.g2);
    const Analysed m = net.build();
    EXPECT_EQ(rolesOf(m), "parameter parameter input");
    for (const std::optional<uint32_t>& next : stateResults(m.subject()))
      EXPECT_FALSE(next) << "a gradient is no next value";
  }
}

// step(a, b, x) -> (loss, b', a') without and with donation, which pairs results of one type as
// they come.
TEST(Roles, EachOfTwoTreesHasItsOwnResults) {
  for (const bool donated : {false, true}) {
    Net net;
    const auto alias = [&](uint32_t result) {
      return donated ? std::optional<uint32_t>(result) : std::nullopt;
    };
    const ValueId a = net.argument("a['w']", {32, 32}, alias(0));
    const ValueId b = net.argument("b['w']", {32, 32}, alias(1));
    const TwoLayers layers(net, net.argument("x", {8, 32}), a, b);
    net.result("result[0]['w']", net.same("stablehlo.subtract", {b, layers.g2}));
    net.result("result[1]['w']", net.same("stablehlo.subtract", {a, layers.g1}));
    const Analysed m = net.build();
    EXPECT_EQ(rolesOf(m), "parameter parameter input");
    EXPECT_EQ(stateResults(m.subject())[0], 1u);
    EXPECT_EQ(stateResults(m.subject())[1], 0u);
  }
}

// An average of parameters is an elementwise update of both; it stands first.
TEST(Roles, AMovingAverageLeavesTheParametersTheirResult) {
  Net net;
  const ValueId w1 = net.argument("p['w1']", {32, 64}), w2 = net.argument("p['w2']", {64, 16});
  const ValueId mean = net.argument("ema['w1']", {32, 64});
  const TwoLayers layers(net, net.argument("x", {8, 32}), w1, w2);
  const ValueId next = net.same("stablehlo.subtract", {w1, layers.g1});
  net.result("result[0]['w1']", net.same("stablehlo.add", {mean, next}));
  net.result("result[1]['w1']", next);
  net.result("result[1]['w2']", net.same("stablehlo.subtract", {w2, layers.g2}));
  const Analysed m = net.build();
  EXPECT_EQ(rolesOf(m), "parameter parameter optimizer_state input");
  EXPECT_EQ(stateResults(m.subject())[0], 1u);
  EXPECT_EQ(stateResults(m.subject())[2], 0u);
}

TEST(Roles, TheGradientOfAFirstLayerNeedsANameThatSaysSo) {
  for (const bool named : {true, false}) {
    Net net;
    const ValueId w = net.argument(named ? "params['w']" : "p['w']", {32, 16});
    const ValueId x = net.argument("x", {8, 32});
    net.result("result['w']", net.dot(x, 0, net.dot(x, 1, w, 0), 0));
    EXPECT_EQ(rolesOf(net.build()), named ? "parameter input" : "state input");
  }
}

TEST(Roles, WhatIsCarriedFromBatchToBatchIsNoParameter) {
  Net net;
  const ValueId w1 = net.argument("p['w1']", {32, 64}), w2 = net.argument("p['w2']", {64, 32});
  const ValueId carried = net.argument("s['h']", {8, 32}), x = net.argument("x", {8, 32});
  const TwoLayers layers(net, net.same("stablehlo.add", {x, carried}), w1, w2);
  net.result("result[0]['w1']", layers.g1);
  net.result("result[0]['w2']", layers.g2);
  net.result("result[1]['h']", layers.y);
  EXPECT_EQ(rolesOf(net.build()), "parameter parameter state input");
}

// Autoencoders return what they were given; the gradient of |x @ w + y @ v|^2 by x and y is the
// same program.
TEST(Roles, AReconstructionIsNoGradient) {
  for (const bool named : {true, false}) {
    Net net;
    const ValueId x = net.argument(named ? "b['x']" : "arg0", {8, 32});
    const ValueId y = net.argument(named ? "b['y']" : "arg1", {8, 24});
    const ValueId w = net.argument("w", {32, 16}), v = net.argument("v", {24, 16});
    const ValueId code = net.same("stablehlo.add", {net.dot(x, 1, w, 0), net.dot(y, 1, v, 0)});
    net.result("result['x']", net.dot(code, 1, w, 1));
    net.result("result['y']", net.dot(code, 1, v, 1));
    EXPECT_EQ(rolesOf(net.build()), named ? "state state input input" : "input input input input");
  }
}

// x' = (x (y w)^T + m) (y w), y' = (y (x w)^T) (x w): attention of two sequences to one another.
TEST(Roles, AttentionIsNoGradient) {
  Net net;
  const ValueId x = net.argument("s['x']", {8, 32}), y = net.argument("s['y']", {16, 32});
  const ValueId w = net.argument("w", {32, 32}), mask = net.argument("m", {8, 16});
  const ValueId ofX = net.dot(x, 1, w, 0), ofY = net.dot(y, 1, w, 0);
  const ValueId scores = net.same("stablehlo.add", {net.dot(x, 1, ofY, 1), mask});
  net.result("result['x']", net.dot(scores, 1, ofY, 0));
  net.result("result['y']", net.dot(net.dot(y, 1, ofX, 1), 1, ofX, 0));
  EXPECT_EQ(rolesOf(net.build()), "state state input input");
}

// s' = (x v)^T (x v), x' = x + (x v) s' without names: the sum over a dim of `v` is part of an
// update.
TEST(Roles, AResidualIsNoGradient) {
  Net net;
  const ValueId v = net.argument("arg0", {32, 16});
  const ValueId s = net.argument("arg1", {16, 16}), x = net.argument("arg2", {8, 32});
  const ValueId code = net.dot(net.dot(x, 1, v, 0), 1, s, 0);
  const ValueId next = net.dot(code, 0, code, 0);
  net.result("result0", next);
  net.result("result1",
             net.same("stablehlo.add", {x, net.dot(code, 1, net.dot(v, 1, next, 0), 1)}));
  EXPECT_EQ(rolesOf(net.build()).find("parameter"), std::string::npos);
}

// s' = (k^T k) s + k^T v in two layers, the states of linear attention.
TEST(Roles, StatesOfLayersAreNoParameters) {
  Net net;
  const ValueId s[] = {net.argument("s[0]", {16, 16}), net.argument("s[1]", {16, 16})};
  ValueId x = net.argument("x", {8, 16});
  const ValueId k = net.argument("wk", {16, 16}), v = net.argument("wv", {16, 16});
  for (const char* path : {"result[0]", "result[1]"}) {
    const ValueId state = s[path[7] - '0'];
    const ValueId keys = net.dot(x, 1, k, 0), values = net.dot(x, 1, v, 0);
    const ValueId read = net.dot(net.dot(keys, 0, keys, 0), 1, state, 0);
    const ValueId next = net.same("stablehlo.add", {read, net.dot(keys, 0, values, 0)});
    net.result(path, next);
    x = net.dot(keys, 1, next, 0);
  }
  EXPECT_EQ(rolesOf(net.build()).find("parameter"), std::string::npos);
}

// Rows that indices name are written over: with keys that the data make, or with what was there
// less its gradient.
TEST(Roles, WhatIsWrittenIntoIsAParameterIfItIsWrittenFromItself) {
  for (const bool fromItself : {false, true}) {
    Net net;
    const ValueId rows = net.argument("rows['r']", {64, 32});
    const ValueId keys = net.dot(net.argument("x", {8, 16}), 1, net.argument("w", {16, 32}), 0);
    const ValueId indices =
        net.b.addArgument({.path = "i"}, net.b.type(program::DType::kI32, {8, 1}));
    const ValueId read = net.dot(net.dot(keys, 1, rows, 1), 1, rows, 0);
    const program::ScatterAttrs put{{1}, {0}, {}, {}, {0}, 1, program::Combiner::kReplace};
    const ValueId written = net.b.result(net.b.addOp("stablehlo.scatter", put,
                                                     {rows, indices, fromItself ? read : keys},
                                                     {net.b.program().value(rows).type}));
    net.result("result[0]['r']", written);
    net.result("result[1]", read);
    EXPECT_EQ(rolesOf(net.build()),
              std::string(fromItself ? "parameter" : "state") + " input input input");
  }
}

// place' = place + place, where a sum looks at places.
TEST(Roles, WholeNumbersAreNoParameters) {
  for (const program::DType dtype : {program::DType::kI32, program::DType::kF32}) {
    Net net;
    const ValueId place = net.b.addArgument({.path = "s['i']"}, net.b.type(dtype, {8, 8}));
    const ValueId x = net.b.addArgument({.path = "x"}, net.b.type(dtype, {8, 8}));
    net.result("result[0]['i']", net.same("stablehlo.add", {place, place}));
    net.result("result[1]", net.dot(place, 1, x, 0));
    EXPECT_EQ(rolesOf(net.build()),
              dtype == program::DType::kI32 ? "state input" : "parameter input");
  }
}

}  // namespace
}  // namespace shardwright::plan
