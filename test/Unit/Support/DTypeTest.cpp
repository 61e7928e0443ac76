//===- DTypeTest.cpp - Element types --------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/DType.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace weir;

// Every type's name is read back as that type, and nothing else is a name.
TEST(DTypeTest, namesRoundTrip) {
  for (int i = 0; i < numDTypes; ++i) {
    DType type = static_cast<DType>(i);
    EXPECT_EQ(parseDType(toString(type)), type);
  }
  EXPECT_EQ(parseDType("f8"), std::nullopt);
}

// The bit patterns are those of IEEE 754 binary16 and of bfloat16, ties going
// to the even neighbour.
TEST(DTypeTest, roundsToNearestEven) {
  EXPECT_EQ(floatToHalf(1.0f), 0x3c00);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(floatToBFloat16(1.0f), 0x3f80);
  EXPECT_EQ(floatToBFloat16(1.00390625f), 0x3f80);
  EXPECT_EQ(floatToBFloat16(1.01171875f), 0x3f82);
  EXPECT_TRUE(std::isnan(bfloat16ToFloat(
      floatToBFloat16(std::numeric_limits<float>::quiet_NaN()))));
}

// A float outside an integer type's range is clamped, NaN becomes zero.
TEST(DTypeTest, integersClamp) {
  int8_t value = 0;
  storeFloat(DType::I8, &value, 0, 1000.0);
  EXPECT_EQ(value, 127);
  storeFloat(DType::I8, &value, 0, -1000.0);
  EXPECT_EQ(value, -128);
  storeFloat(DType::I8, &value, 0, std::nan(""));
  EXPECT_EQ(value, 0);
}
