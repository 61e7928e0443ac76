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
  EXPECT_EQ(parseDType("ui8"), DType::U8);
  EXPECT_EQ(parseDType("ui64"), DType::U64);
  EXPECT_EQ(parseDType("uif32"), std::nullopt);
  EXPECT_EQ(parseDType("uu8"), std::nullopt);
  EXPECT_EQ(parseDType("i"), std::nullopt);
  EXPECT_EQ(parseDType("ui"), std::nullopt);
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

// What is beyond 2^63 keeps its value in a u64, in both directions.
TEST(DTypeTest, unsignedNumbersStayPositive) {
  uint64_t value = UINT64_MAX;
  EXPECT_EQ(loadFloat(DType::U64, &value, 0), std::ldexp(1, 64));
  EXPECT_EQ(loadInt(DType::U64, &value, 0), -1);
  storeFloat(DType::U64, &value, 0, std::ldexp(3, 62));
  EXPECT_EQ(value, uint64_t(3) << 62);
  storeFloat(DType::U64, &value, 0, -1.0);
  EXPECT_EQ(value, 0u);
  float real = 0;
  storeUnsigned(DType::F32, &real, 0, uint64_t(1) << 63);
  EXPECT_EQ(real, std::ldexp(1.0f, 63));
  double wide = 0;
  storeUnsigned(DType::F64, &wide, 0, uint64_t(1) << 63);
  EXPECT_EQ(wide, std::ldexp(1, 63));
  uint16_t small = 0;
  storeInt(DType::U16, &small, 0, -1);
  EXPECT_EQ(loadInt(DType::U16, &small, 0), 65535);
  uint32_t word = 0;
  storeInt(DType::U32, &word, 0, -1);
  EXPECT_EQ(loadInt(DType::U32, &word, 0), 4294967295);
  EXPECT_TRUE(isUnsigned(DType::U64) && isUnsigned(DType::I1));
  EXPECT_FALSE(isUnsigned(DType::I64) || isUnsigned(DType::F32));
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
