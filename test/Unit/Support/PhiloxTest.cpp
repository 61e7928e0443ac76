//===- PhiloxTest.cpp - Random numbers of a counter -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/Philox.h"

#include "weir/Support/ScalarExpr.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

using namespace weir;

namespace {
using Words = std::array<uint32_t, 4>;
using Key = std::array<uint32_t, 2>;

template <typename T>
T evaluateRandom(std::vector<T> operands, std::string_view text) {
  const ScalarExpr expr = *ScalarExpr::parse(text);
  std::vector<T> scratch(expr.nodes().size());
  return evaluate<T>(expr, operands, std::vector<double>(scratch.size()),
                     scratch);
}
} // namespace

// The known answers of Random123, in its file kat_vectors.
TEST(PhiloxTest, givesTheKnownAnswers) {
  constexpr uint32_t most = 0xffffffff;
  EXPECT_EQ(Philox::apply({}, {}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox::apply(Words{most, most, most, most}, Key{most, most}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox::apply(Words{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                          Key{0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Every bit of the four numbers has a place in the counter or the key.
TEST(PhiloxTest, placesSeedStepStreamAndIndex) {
  EXPECT_EQ(drawBits(0, 0, 0, 0), 0x6627e8d5u);
  EXPECT_EQ(drawBits(-1, -1, 0, -1), 0x408f276du);
  EXPECT_EQ(
      drawBits(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3, 0x243f6a88),
      0xd16cfe09u);
  EXPECT_EQ(drawBits(1, 2, 3, int64_t{5} << 32), drawBits(1, 2, 3 ^ 5, 0));
  EXPECT_EQ(drawBits(1, int64_t{5} << 32, 0, 4),
            drawBits(1, 0, int64_t{5} << 32, 4));
}

// An expression draws the same, whatever type it computes in. Integers keep all
// their bits.
TEST(PhiloxTest, isAFunctionOfExpressions) {
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  constexpr int64_t highest = std::numeric_limits<int64_t>::max();
  const std::string_view text = "random(a, b, c + 1, d)";
  EXPECT_EQ(evaluateRandom<int64_t>({highest, lowest, 6, 9}, text),
            drawBits(highest, lowest, 7, 9));
  EXPECT_EQ(evaluateRandom<int64_t>({highest - 1, lowest, 6, 9}, text),
            drawBits(highest - 1, lowest, 7, 9));
  EXPECT_EQ(
      evaluateRandom<uint64_t>({static_cast<uint64_t>(lowest), 1, 6, 9}, text),
      drawBits(lowest, 1, 7, 9));
  EXPECT_EQ(evaluateRandom<double>({3, -4, 6, 9}, text), drawBits(3, -4, 7, 9));
  EXPECT_EQ(ScalarExpr::parse("random(1, 2, 3)").status().message(),
            "expected ',' at column 15 of scalar expression 'random(1, 2, 3)'");
}

// Numbers are spread evenly: of 2^16 in 16 bins, no bin is 5 standard
// deviations from its mean. Neighbours along each argument have half of their
// bits in common.
TEST(PhiloxTest, spreadsItsNumbers) {
  std::array<int, 16> bins = {};
  constexpr int64_t count = 1 << 16;
  std::array<int64_t, 4> numEqual = {};
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t bits = drawBits(5, 0, 0, i);
    ++bins[bits >> 28];
    const std::array<uint32_t, 4> next = {
        drawBits(6, 0, 0, i), drawBits(5, 1, 0, i), drawBits(5, 0, 1, i),
        drawBits(5, 0, 0, i + 1)};
    for (size_t n = 0; n < next.size(); ++n)
      numEqual[n] += std::popcount(~(next[n] ^ bits));
  }
  for (int bin : bins)
    EXPECT_NEAR(bin, count / 16.0, 5 * 62);
  for (int64_t equal : numEqual)
    EXPECT_NEAR(static_cast<double>(equal) / (32 * count), 0.5, 0.002);
}
