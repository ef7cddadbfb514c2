#include <gtest/gtest.h>

#include "shardwright/base/ids.h"
#include "shardwright/base/interner.h"
#include "shardwright/base/result.h"
#include "shardwright/base/spelling.h"

namespace shardwright {
namespace {

struct ThingTag;
using ThingId = Id<ThingTag>;

TEST(Id, IsInvalidUntilSet) {
  EXPECT_FALSE(ThingId().valid());
  EXPECT_TRUE(ThingId(0u).valid());
  EXPECT_EQ(ThingId(3u).plus(2), ThingId(5u));
}

TEST(EditDistance, CountsLetters) {
  EXPECT_EQ(editDistance("partitoin", "partition"), 2u);
  EXPECT_EQ(editDistance("", "apply"), 5u);
  EXPECT_EQ(editDistance("apply", "apply"), 0u);
}

TEST(WordInterner, GivesEqualSequencesOneNumber) {
  WordInterner interner;
  std::vector<uint64_t> words;
  for (uint64_t i = 0; i < 1000; ++i) {
    words.push_back(i % 7);
    EXPECT_EQ(interner.intern(words), std::make_pair(static_cast<uint32_t>(i), true));
  }
  words.clear();
  for (uint64_t i = 0; i < 1000; ++i) {
    words.push_back(i % 7);
    EXPECT_EQ(interner.intern(words), std::make_pair(static_cast<uint32_t>(i), false));
  }
  EXPECT_EQ(interner.words(2).size(), 3u);
  EXPECT_EQ(interner.words(2)[2], 2u);
}

TEST(WordInterner, TellsTheEmptySequenceFromAZero) {
  WordInterner interner;
  const std::vector<uint64_t> zero = {0};
  EXPECT_EQ(interner.intern({}).first, 0u);
  EXPECT_EQ(interner.intern(zero).first, 1u);
}

TEST(Diagnostic, PrintsFileLineColumnAndNotes) {
  const Diagnostic diagnostic{
      "dim 1 has size 3", {"m.mlir", 4, 7}, {{"defined here", {"m.mlir", 2, 0}, {}}}};
  EXPECT_EQ(diagnostic.str(), "m.mlir:4:7: error: dim 1 has size 3\nm.mlir:2: note: defined here");
}

TEST(Result, HoldsAValueOrADiagnostic) {
  const Result<int> value = 3;
  const Result<int> error = Diagnostic{"no", {}, {}};
  ASSERT_TRUE(static_cast<bool>(value));
  EXPECT_EQ(*value, 3);
  ASSERT_FALSE(static_cast<bool>(error));
  EXPECT_EQ(error.error().str(), "error: no");
}

}  // namespace
}  // namespace shardwright
