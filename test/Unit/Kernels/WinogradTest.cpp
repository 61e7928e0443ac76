//===- WinogradTest.cpp - conv by Winograd's minimal filtering --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include "Runtime/Kernels/CPU/LibraryStatus.h"
#include "weir/Support/DType.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace weir;
using namespace weir::test;

namespace {
/// Channels, outputs, size and padding of a 3x3 convolution of two images.
struct Case {
  int64_t channels, outputs, height, width;
  Dims pads = {1, 1, 1, 1};

  Dims input() const { return {2, channels, height, width}; }
  Dims weights() const { return {outputs, channels, 3, 3}; }
  Dims result() const {
    return {2, outputs, height + pads[0] + pads[2] - 2,
            width + pads[1] + pads[3] - 2};
  }
};
} // namespace

static Array convolve(const Case &c, const Array &x, const Array &w) {
  return computed(c.result(), [&](const Dims &o) {
    double sum = 0;
    for (int64_t channel = 0; channel < c.channels; ++channel)
      for (int64_t i = 0; i < 9; ++i) {
        const int64_t row = o[2] + i / 3 - c.pads[0];
        const int64_t column = o[3] + i % 3 - c.pads[1];
        const int64_t plane = o[0] * c.channels + channel;
        const int64_t at = (plane * c.height + row) * c.width + column;
        const int64_t by = (o[1] * c.channels + channel) * 9 + i;
        if (row >= 0 && row < c.height && column >= 0 && column < c.width)
          sum += x.values[static_cast<size_t>(at)] *
                 w.values[static_cast<size_t>(by)];
      }
    return sum;
  });
}

static KernelTester testerFor(const Case &c, const Array &x, const Array &w) {
  KernelTester tester("conv");
  tester.attr("pads", c.pads)
      .operand(channelsLast(DType::F32, c.input()), x)
      .constant(rowMajor(DType::F32, c.weights()), w)
      .result(channelsLast(DType::F32, c.result()));
  return tester;
}

static bool isWinograd(const KernelTester &tester) {
  return tester.implementation.find("winograd") != std::string::npos;
}

// Sizes that are and are not multiples of tiles, uneven padding, teams that do
// not divide the tiles, and more than one block of tiles per thread.
TEST(Winograd, MatchesDefinition) {
  const Case cases[] = {{32, 48, 16, 24},
                        {48, 32, 31, 37},
                        {32, 32, 29, 34, {0, 2, 1, 0}},
                        {32, 32, 18, 18, {0, 0, 0, 0}},
                        {24, 40, 22, 20},
                        {32, 32, 62, 49}};
  for (const Case &c : cases) {
    Array x = patterned(c.input(), 1), w = patterned(c.weights(), 2);
    Array expected = convolve(c, x, w);
    for (int threads : {1, 2, 3}) {
      KernelTester tester = testerFor(c, x, w);
      SCOPED_TRACE(tester.spec.operands[0].toString() + " on " +
                   std::to_string(threads) + " threads");
      tester.threads(threads).expect(expected, 2e-4);
      EXPECT_TRUE(isWinograd(tester)) << tester.implementation;
      EXPECT_EQ(tester.mostReads(), 1u);
    }
  }
}

static void expectNear(double found, double right, size_t i) {
  if (std::isfinite(right))
    ASSERT_NEAR(found, right, 2e-4 * (1 + std::abs(right))) << i;
  else if (std::isnan(right))
    ASSERT_TRUE(std::isnan(found)) << i << ": " << found;
  else
    ASSERT_EQ(found, right) << i;
}

// An element that is not finite reaches the results that read it, and no
// others. In the first row and column of a tile, in its middle, and at the end
// of an image that is no multiple of tiles.
TEST(Winograd, KeepsInfinityAndNaNWhereTheyAreRead) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Case c{24, 40, 22, 21};
  Array x = patterned(c.input(), 1), w = patterned(c.weights(), 2);
  x.at({0, 3, 0, 0}) = infinity;
  x.at({0, 5, 9, 10}) = -infinity;
  x.at({1, 0, 14, 3}) = std::nan("");
  x.at({1, 23, 21, 20}) = infinity;
  // Finite, but the transforms of the tile are not.
  x.at({1, 7, 2, 17}) = 0x1p127;
  const Array expected = convolve(c, x, w);
  Array extra = patterned(c.result(), 4);
  KernelTester plain = testerFor(c, x, w), added = testerFor(c, x, w);
  added.postOp("eltwise_relu", 0, 0)
      .postOp("binary_add", channelsLast(DType::F32, c.result()), extra);
  const Array results = plain.threads(2).run();
  const Array sums = added.threads(2).run();
  EXPECT_TRUE(isWinograd(plain)) << plain.implementation;
  EXPECT_TRUE(isWinograd(added)) << added.implementation;
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const double sum = expected.values[i];
    expectNear(results.values[i], sum, i);
    expectNear(sums.values[i], (sum < 0 ? 0 : sum) + extra.values[i], i);
  }
}

// The product of an infinity has the sign of the weight, however small the
// weight is, beside the others of its window or at all, and is a NaN for a zero
// only.
TEST(Winograd, MultipliesInfinityByTheSmallestWeights) {
  const Case c{64, 72, 40, 28};
  for (DType type : {DType::F32, DType::BF16}) {
    Array x = patterned(c.input(), 1), w = patterned(c.weights(), 2);
    const double least = type == DType::F32 ? 0x1p-149 : 0x1p-133;
    const double smallest[] = {0x1p-30,   -0x1p-30, 0x1p-100, 0,
                               -0x1p-100, least,    -least};
    for (int64_t o = 0; o < c.outputs; ++o)
      for (int64_t tap = 0; tap < 9; ++tap)
        w.at({o, 3, tap / 3, tap % 3}) =
            (tap + o) % 2 ? smallest[(tap + o) / 2 % 7] : 0.75;
    x.at({0, 3, 0, 0}) = std::numeric_limits<double>::infinity();
    x.at({1, 3, 9, 10}) = -std::numeric_limits<double>::infinity();
    KernelTester tester("conv");
    tester.attr("pads", c.pads)
        .operand(channelsLast(type, c.input()), x)
        .constant(rowMajor(type, c.weights()), w)
        .result(channelsLast(DType::F32, c.result()));
    const Array results = tester.threads(2).run();
    EXPECT_TRUE(isWinograd(tester)) << tester.implementation;
    const Array expected = convolve(c, x, w);
    for (size_t i = 0; i < expected.values.size(); ++i)
      expectNear(results.values[i], expected.values[i], i);
  }
}

// bf16 results, 16 outputs at a time or the last 8, are f32 sums rounded once.
TEST(Winograd, RoundsBFloat16Once) {
  const Case c{64, 72, 40, 28};
  Array x = patterned(c.input(), 1), w = patterned(c.weights(), 2);
  std::vector<Array> results;
  for (DType type : {DType::F32, DType::BF16}) {
    KernelTester tester("conv");
    tester.attr("pads", c.pads)
        .operand(channelsLast(DType::BF16, c.input()), x)
        .constant(rowMajor(DType::BF16, c.weights()), w)
        .result(channelsLast(type, c.result()))
        .threads(2);
    results.push_back(tester.run());
    EXPECT_TRUE(isWinograd(tester)) << tester.implementation;
    if (type == DType::F32)
      tester.expect(convolve(c, x, w), 2e-4);
  }
  for (size_t i = 0; i < results[0].values.size(); ++i)
    ASSERT_EQ(results[1].values[i],
              bfloat16ToFloat(
                  floatToBFloat16(static_cast<float>(results[0].values[i]))))
        << "element " << i;
}

// Bias, activation and residual ride along in the order of the list.
static void checkPostOps(const Case &c, DType type, double tolerance) {
  Array x = patterned(c.input(), 1), w = patterned(c.weights(), 2);
  Array sum = convolve(c, x, w);
  Array bias = patterned({c.outputs}, 3), extra = patterned(c.result(), 4);
  for (bool isAddFirst : {false, true}) {
    Array expected = computed(c.result(), [&](const Dims &i) {
      double value = sum.at(i) + bias.at({i[1]});
      return isAddFirst ? std::max(value + extra.at(i), 0.0)
                        : std::max(value, 0.0) + extra.at(i);
    });
    KernelTester tester("conv");
    tester.attr("pads", c.pads)
        .operand(channelsLast(type, c.input()), x)
        .constant(rowMajor(type, c.weights()), w)
        .constant(rowMajor(DType::F32, {c.outputs}), bias)
        .result(channelsLast(type, c.result()));
    TensorDesc like = channelsLast(type, c.result());
    if (isAddFirst)
      tester.postOp("binary_add", like, extra).postOp("eltwise_relu", 0, 0);
    else
      tester.postOp("eltwise_relu", 0, 0).postOp("binary_add", like, extra);
    tester.threads(2).expect(expected, tolerance);
    EXPECT_TRUE(isWinograd(tester)) << tester.implementation;
  }
}

TEST(Winograd, AppliesPostOps) {
  checkPostOps({32, 32, 19, 18}, DType::F32, 2e-4);
  checkPostOps({64, 64, 30, 28}, DType::BF16, 4e-3);
}

// Shapes that the transforms do not support, or that they would slow down, are
// left to the library.
TEST(Winograd, IsNotTakenWhereItDoesNotFit) {
  const Case c{32, 32, 16, 16};
  Array x = patterned(c.input(), 1), w = patterned(c.weights(), 2);
  Array sum = convolve(c, x, w);
  auto expectLibrary = [](KernelTester &tester, const Array &expected) {
    tester.expect(expected, 1e-4);
    EXPECT_FALSE(isWinograd(tester)) << tester.implementation;
  };
  KernelTester unknown("conv");
  unknown.attr("pads", c.pads)
      .operand(channelsLast(DType::F32, c.input()), x)
      .operand(rowMajor(DType::F32, c.weights()), w)
      .result(channelsLast(DType::F32, c.result()));
  expectLibrary(unknown, sum);
  // A sum that is added to the result must have its type.
  Array extra = patterned(c.result(), 4);
  KernelTester mixed("conv");
  mixed.attr("pads", c.pads)
      .operand(channelsLast(DType::BF16, c.input()), x)
      .constant(rowMajor(DType::BF16, c.weights()), w)
      .result(channelsLast(DType::F32, c.result()))
      .postOp("binary_add", channelsLast(DType::BF16, c.result()), extra);
  mixed.expect(computed(c.result(),
                        [&](const Dims &i) { return sum.at(i) + extra.at(i); }),
               2e-4);
  // Without instructions for bf16 all is f32.
  EXPECT_EQ(isWinograd(mixed), !cpu::hasBFloat16()) << mixed.implementation;
  KernelTester leaky = testerFor(c, x, w);
  leaky.postOp("eltwise_relu", 0.5, 0);
  expectLibrary(leaky, computed(c.result(), [&](const Dims &i) {
                  return sum.at(i) > 0 ? sum.at(i) : 0.5 * sum.at(i);
                }));
  for (const Case &small :
       {Case{28, 32, 16, 16}, Case{32, 28, 16, 16}, Case{64, 64, 4, 4}}) {
    Array from = patterned(small.input(), 1), by = patterned(small.weights());
    KernelTester tester = testerFor(small, from, by);
    expectLibrary(tester, convolve(small, from, by));
  }
}
