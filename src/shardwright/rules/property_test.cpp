// What must hold for every rule, tried on random ops.
#include <random>

#include "shardwright/rules/testing.h"
#include "shardwright/rules/window.h"

namespace shardwright::rules {
namespace {

using program::Combiner;
using program::IntList;

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  int64_t upTo(int64_t most) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(most + 1));
  }
  // Mostly small and often wrong; now and then as bad as it gets.
  int64_t number() {
    constexpr int64_t kHuge = int64_t{1} << 62;
    const int64_t choice = upTo(20);
    return choice == 0 ? kHuge : choice == 1 ? -kHuge - kHuge : upTo(5) - 1;
  }
  IntList list() {
    IntList numbers(static_cast<size_t>(upTo(4)));
    for (int64_t& n : numbers) n = number();
    return numbers;
  }
  IntList shape() {
    IntList sizes(static_cast<size_t>(upTo(4)));
    for (int64_t& size : sizes) size = upTo(30) == 0 ? int64_t{1} << 62 : upTo(4);
    return sizes;
  }
  std::vector<TypeSpec> types() {
    std::vector<TypeSpec> specs(static_cast<size_t>(upTo(4)));
    for (TypeSpec& spec : specs) spec.shape = shape();
    return specs;
  }
  std::vector<std::vector<IntList>> mappings() {
    std::vector<std::vector<IntList>> tensors(static_cast<size_t>(upTo(3)));
    for (auto& dims : tensors) {
      dims.resize(static_cast<size_t>(upTo(3)));
      for (IntList& factors : dims) factors = list();
    }
    return tensors;
  }
  Combiner combiner() { return static_cast<Combiner>(upTo(10)); }
  program::Attributes attributes();

 private:
  std::mt19937 engine_;
};

program::Attributes Random::attributes() {
  switch (upTo(13)) {
    case 0:
      return program::DimsAttrs{list()};
    case 1:
      return program::DimAttrs{number()};
    case 2:
      return program::DotAttrs{list(), list(), list(), list(), list(), list()};
    case 3:
      return program::ReduceAttrs{list(), combiner()};
    case 4:
      return program::SliceAttrs{list(), list(), list()};
    case 5:
      return program::PadAttrs{list(), list(), list()};
    case 6:
      return program::WindowAttrs{list(), list(), list(), list(), list(), combiner()};
    case 7:
      return program::GatherAttrs{list(), list(), list(), list(), list(), list(), number()};
    case 8:
      return program::ScatterAttrs{list(), list(), list(), list(), list(), number(), combiner()};
    case 9:
      return program::ConvolutionAttrs{
          number(), number(), number(), number(), number(), number(), list(),   list(),
          list(),   list(),   list(),   list(),   list(),   number(), number(), upTo(1) == 0};
    case 10:
      return program::ConstantAttrs{};
    case 11:
      return program::WhileAttrs{};
    case 12:
      return program::ExplicitRuleAttrs{list(), mappings(), mappings(), list(), list(), list()};
    default:
      return {};
  }
}

// A rule function answers with a rule that keeps the laws, or with a diagnostic that names the op.
TEST(Property, NoInputBreaksARule) {
  Random random(1);
  size_t rules = 0;
  for (int round = 0; round < 300; ++round) {
    for (const std::string_view name : opsWithRules()) {
      const OpSpec spec{std::string(name), random.attributes(), random.types(), random.types()};
      const Result<OpRule> rule = ruleOf(spec);
      if (!rule) {
        EXPECT_EQ(rule.error().message.substr(0, name.size()), name);
        continue;
      }
      ++rules;
      const Built built = build(spec);
      const OpView view(built.program, built.program.op(built.op).signature);
      EXPECT_FALSE(check(rule->rule, view)) << name;
    }
  }
  EXPECT_GT(rules, 1000u);
}

// The value of each factor at one element: its position along each dim, taken apart minor first.
void readFactors(const Rule& rule, size_t tensor, const IntList& shape, int64_t element,
                 std::vector<int64_t>& values) {
  for (size_t d = shape.size(); d-- > 0;) {
    int64_t position = element % shape[d];
    element /= shape[d];
    const auto factors = rule.dim(tensor, d);
    for (size_t f = factors.size(); f-- > 0;) {
      const int64_t size = rule.factor(factors[f]).size;
      values[factors[f].index()] = position % size;
      position /= size;
    }
  }
}

IntList randomFactorisation(Random& random, int64_t elements) {
  IntList shape;
  while (elements > 1) {
    int64_t size = 2 + random.upTo(elements - 2);
    while (elements % size != 0) --size;
    shape.push_back(size);
    if (size > 1) elements /= size;
  }
  return shape;
}

// An element of the operand and the element of the result it becomes agree on every parallel
// factor: that is what lets a device keep its part.
TEST(Property, ReshapeFactorsMeanTheSameOnBothSides) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const int64_t elements = 1 + random.upTo(400);
    const IntList in = randomFactorisation(random, elements),
                  out = randomFactorisation(random, elements);
    const Result<OpRule> rule = ruleOf({"stablehlo.reshape", {}, {{in}}, {{out}}});
    ASSERT_TRUE(rule);
    std::vector<int64_t> left(rule->rule.factorCount()), right(rule->rule.factorCount());
    for (int64_t element = 0; element < elements; ++element) {
      readFactors(rule->rule, 0, in, element, left);
      readFactors(rule->rule, 1, out, element, right);
      for (size_t f = 0; f < left.size(); ++f) {
        if (rule->rule.factors()[f].kind == FactorKind::kParallel) {
          ASSERT_EQ(left[f], right[f]) << rule->rule.str();
        }
      }
    }
  }
}

// Which part of the input each output reads, or each position of the window, is what the name says.
TEST(Property, WindowShapesMeanWhatTheySay) {
  Random random(3);
  size_t seen[4] = {};
  for (int round = 0; round < 20000; ++round) {
    WindowDim dim{
        .in = 1 + random.upTo(23), .size = 1 + random.upTo(7), .stride = 1 + random.upTo(7)};
    dim.windowDilation = 1 + random.upTo(3) * random.upTo(2);
    const int64_t reach = (dim.size - 1) * dim.windowDilation;
    if (reach >= dim.in) continue;
    // As many outputs as fit, or fewer: what is cropped on the high side is never read.
    dim.out = (dim.in - 1 - reach) / dim.stride + 1 - random.upTo(1);
    if (dim.out < 1) continue;
    const WindowShape shape = windowShape(dim);
    ++seen[static_cast<size_t>(shape)];
    for (int64_t o = 0; o < dim.out; ++o) {
      for (int64_t k = 0; k < dim.size; ++k) {
        const int64_t read = o * dim.stride + k * dim.windowDilation;
        if (shape == WindowShape::kInterleaved) {
          ASSERT_EQ(read / dim.windowDilation, k);
          ASSERT_EQ(dim.in, dim.size * dim.windowDilation);
        } else if (shape != WindowShape::kOverlapping) {
          ASSERT_EQ(read / (dim.in / dim.out), o);
        }
        if (shape == WindowShape::kTiles) {
          ASSERT_EQ(read % dim.size, k);
        }
      }
    }
  }
  for (const size_t count : seen) EXPECT_GT(count, 20u);
}

}  // namespace
}  // namespace shardwright::rules
