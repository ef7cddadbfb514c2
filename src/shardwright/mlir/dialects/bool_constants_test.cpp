#include "shardwright/mlir/dialects/bool_constants.h"

#include <gtest/gtest.h>

namespace shardwright {
namespace {

const std::string kBytes =
    R"(%0 = stablehlo.constant dense<"0x010001010000000001"> : tensor<3x3xi1> loc(#l))";
const std::string kBits = R"(%0 = stablehlo.constant dense<"0x0D01"> : tensor<3x3xi1> loc(#l))";

TEST(BoolConstants, PackKeepsColumns) {
  const std::string packed = packBoolConstants(kBytes);
  EXPECT_EQ(packed.size(), kBytes.size());
  EXPECT_EQ(packed,
            R"(%0 = stablehlo.constant dense<"0x0D01"              > : tensor<3x3xi1> loc(#l))");
}

TEST(BoolConstants, UnpackIsTheInverse) {
  EXPECT_EQ(unpackBoolConstants(kBits), kBytes);
  EXPECT_EQ(unpackBoolConstants(packBoolConstants(kBytes)).find("dense<\"0x010001010000000001\""),
            kBytes.find("dense<\"0x010001010000000001\""));
}

TEST(BoolConstants, OtherTextIsLeftAlone) {
  for (const std::string text :
       {R"(dense<"0x0D01"> : tensor<3x3xi1>)",                               // Packed already.
        R"(dense<"0x0102030405060708"> : tensor<8xi8>)",                     // Not boolean.
        R"(dense<"0x01"> : tensor<1xi1>)", R"(dense<"0x01> : tensor<2xi1)",  // One element; no end.
        R"(dense<"0x0100"> : tensor<99999999999999999999xi1>)", R"(dense<"0xZZ00"> : tensor<2xi1>)",
        ""}) {
    EXPECT_EQ(packBoolConstants(text), text);
  }
}

}  // namespace
}  // namespace shardwright
