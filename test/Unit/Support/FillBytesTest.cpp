//===- FillBytesTest.cpp - Random elements --------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/FillBytes.h"

#include "weir/Support/NormalQuantile.h"
#include "weir/Support/Random.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace weir;

static std::vector<std::byte> make(const RandomFill &fill, DType type,
                                   size_t begin, size_t bytes) {
  std::vector<std::byte> made(bytes);
  fillBytes(fill, type, begin, made);
  return made;
}

// The first number is that of the authors' C program for this seed. The
// elements were computed by another program.
TEST(FillBytes, IsUniform) {
  EXPECT_EQ(SplitMix64(1234567).next(), 6457827717110365317u);
  EXPECT_EQ(SplitMix64::from(1234567, 1).next(), 3203168211198807973u);
  const auto bytes = make(UniformFill{7, -1.5, 2.5}, DType::F64, 0, 24);
  double values[3];
  std::memcpy(values, bytes.data(), sizeof(values));
  EXPECT_EQ(values[0], 0x1.e5f0f22c99040p-5);
  EXPECT_EQ(values[1], -0x1.6ecf0ca02f0e8p+0);
  EXPECT_EQ(values[2], 0x1.0d30810175625p+1);
  double sum = 0, least = 9, most = -9;
  const auto many = make(UniformFill{3, -2, 4}, DType::F32, 0, 400000);
  for (int64_t i = 0; i < 100000; ++i) {
    const double value = loadFloat(DType::F32, many.data(), i);
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_NEAR(sum / 100000, 1, 0.02);
  EXPECT_NEAR(least, -2, 0.001);
  EXPECT_NEAR(most, 4, 0.001);
  EXPECT_GE(least, -2);
  EXPECT_LE(most, 4);
}

// Python's statistics.NormalDist computed the first three, and scipy the tails.
TEST(FillBytes, IsNormal) {
  const auto bytes = make(NormalFill{7, 10, 2}, DType::F64, 0, 24);
  double values[3];
  std::memcpy(values, bytes.data(), sizeof(values));
  EXPECT_NEAR(values[0], 10 + 2 * -0x1.1e7a236ec31c8p-2, 1e-14);
  EXPECT_NEAR(values[1], 10 + 2 * -0x1.1003efd907725p+1, 1e-14);
  EXPECT_NEAR(values[2], 10 + 2 * 0x1.49309d9b2e2dcp+0, 1e-14);
  EXPECT_NEAR(normalAt(0), -8.292361075813597, 1e-14);
  EXPECT_NEAR(normalAt(1), -8.160707840858585, 1e-14);
  EXPECT_NEAR(normalAt(1000), -7.3347380140439435, 1e-14);
  constexpr double last = 0x1p53 - 1;
  for (const double bits : {0.0, 1.0, 7e5, 3e12, 8e14, 4e15})
    EXPECT_EQ(normalAt(bits), -normalAt(last - bits));
  const auto many = make(NormalFill{3, 0, 1}, DType::F32, 0, 400000);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < 100000; ++i) {
    const double value = loadFloat(DType::F32, many.data(), i);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 100000, 0, 0.01);
  EXPECT_NEAR(squares / 100000, 1, 0.02);
}

// Any part has the bytes that it has in the whole, also parts of elements.
TEST(FillBytes, MakesAnyPart) {
  const UniformFill fill{11, -1, 1};
  for (const DType type : {DType::F32, DType::F64, DType::BF16, DType::F16}) {
    const auto whole = make(fill, type, 0, 96);
    for (size_t begin = 0; begin < 20; ++begin)
      for (size_t bytes = 0; bytes < 40; ++bytes) {
        const auto part = make(fill, type, begin, bytes);
        EXPECT_TRUE(std::equal(part.begin(), part.end(),
                               whole.begin() + static_cast<ptrdiff_t>(begin)))
            << toString(type) << " " << begin << " " << bytes;
      }
  }
}

TEST(FillBytes, ChecksTypesAndBounds) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(checkFill(UniformFill{1, 0, 0}, DType::BF16).isOk());
  EXPECT_FALSE(checkFill(UniformFill{1, 0, 1}, DType::I32).isOk());
  EXPECT_FALSE(checkFill(UniformFill{1, 0, 1}, DType::I1).isOk());
  EXPECT_FALSE(checkFill(UniformFill{1, 1, 0}, DType::F32).isOk());
  EXPECT_FALSE(checkFill(UniformFill{1, 0, infinity}, DType::F32).isOk());
  EXPECT_FALSE(checkFill(UniformFill{1, nan, 1}, DType::F32).isOk());
  EXPECT_FALSE(checkFill(UniformFill{1, -1e308, 1e308}, DType::F32).isOk());
  EXPECT_TRUE(checkFill(NormalFill{1, 0, 0}, DType::F16).isOk());
  EXPECT_FALSE(checkFill(NormalFill{1, 0, 1}, DType::I8).isOk());
  EXPECT_FALSE(checkFill(NormalFill{1, 0, -1}, DType::F32).isOk());
  EXPECT_FALSE(checkFill(NormalFill{1, nan, 1}, DType::F32).isOk());
  EXPECT_FALSE(checkFill(NormalFill{1, 0, infinity}, DType::F32).isOk());
}
