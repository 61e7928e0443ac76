//===- KnownIntegersTest.cpp - What is known of computed indices ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/KnownIntegers.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::analysis;
using Kind = Factor::Kind;

/// The value of `text`, in which index(n) is the position along `along`.
static KnownIntegers evaluateText(const char *text, Digit along,
                                  std::vector<KnownIntegers> operands) {
  StatusOr<ScalarExpr> expression = ScalarExpr::parse(text);
  EXPECT_TRUE(expression.isOk());
  return evaluateKnown(*expression, operands, [&](std::string_view) {
    return KnownIntegers{{{along, 1}}, 0, 0};
  });
}

// A limited number next to a multiple of the position.
TEST(KnownIntegers, FollowsArithmetic) {
  const Digit rows{5, 2};
  EXPECT_EQ(evaluateText("index(n) * 3 + min(max(a, 0), 2)", rows, {{}}),
            (KnownIntegers{{{rows, 3}}, 0, 2}));
  EXPECT_EQ(evaluateText("7 - index(n)", rows, {}),
            (KnownIntegers{{{rows, -1}}, 7, 7}));
  EXPECT_EQ(evaluateText("select(a < 0, 4, index(n))", rows, {{}}),
            (KnownIntegers{{}, 0, 4}));
  EXPECT_EQ(evaluateText("a / 2", rows, {{{}, 4, 6}}), KnownIntegers());
}

// What may wrap is any number.
TEST(KnownIntegers, MayWrap) {
  const KnownIntegers large = {{}, 0, int64_t(1) << 62};
  EXPECT_EQ(evaluateText("a + a", {}, {large}), KnownIntegers());
  EXPECT_EQ(evaluateText("a * 4", {}, {large}), KnownIntegers());
  EXPECT_EQ(evaluateText("a + 1", {}, {{}}), KnownIntegers());
}

/// Rows of one element of a tensor of 12 elements, taken at 20 places.
static DimRelation takeAny() {
  BoundSpec bound;
  bound.loops = {{"p", 20}};
  AffineIndex indirect;
  indirect.indirect = 1;
  bound.operands = {{indirect}, {{{{0, 1}}, 0, false}}};
  bound.result = {{{{0, 1}}, 0, false}};
  bound.resultDims = {20};
  const std::vector<int64_t> shapes[] = {{12}, {20}};
  return relateBound(bound, 0, shapes);
}

// Two digits of the position choose a block of a block.
TEST(KnownIntegers, ChoosesBlocks) {
  DimRelation narrowed =
      narrowGathered(takeAny(), {1, 12}, {{{{10, 2}, 6}, {{5, 2}, 3}}, 0, 2});
  EXPECT_TRUE(narrowed.allows(0, 0));
  EXPECT_TRUE(narrowed.allows(2, 4));
  EXPECT_FALSE(narrowed.allows(3, 4));
  EXPECT_TRUE(narrowed.allows(11, 19));
  EXPECT_FALSE(narrowed.allows(8, 19));
}

// The last of three blocks of 4, or the one in the middle.
TEST(KnownIntegers, ChoosesFromABlockOn) {
  DimRelation narrowed =
      narrowGathered(takeAny(), {1, 12}, {{{{10, 2}, 4}}, 4, 7});
  EXPECT_FALSE(narrowed.allows(0, 0));
  EXPECT_TRUE(narrowed.allows(4, 0));
  EXPECT_TRUE(narrowed.allows(8, 10));
  EXPECT_FALSE(narrowed.allows(4, 10));
}

// Nothing is known where a number goes beyond its block or the tensor.
TEST(KnownIntegers, LeavesBlocks) {
  const KnownIntegers::Growth growth = {{10, 2}, 6};
  EXPECT_EQ(narrowGathered(takeAny(), {1, 12}, {{growth}, -1, 2}), takeAny());
  EXPECT_EQ(narrowGathered(takeAny(), {1, 12}, {{growth}, 0, 6}), takeAny());
  EXPECT_EQ(narrowGathered(takeAny(), {1, 12}, {{{{10, 2}, 5}}, 0, 4}),
            takeAny());
  EXPECT_EQ(narrowGathered(takeAny(), {1, 12}, {{{{10, 2}, 4}}, 2, 5}),
            takeAny());
}

// Digits that the result lacks become a part of the range.
TEST(KnownIntegers, LosesDigits) {
  const KnownIntegers known = {{{{4, 3}, 10}, {{1, 4}, 1}}, 0, 0};
  EXPECT_EQ(carry(known, makeIdentity(12)), known);
  EXPECT_EQ(carry(known, makeOpaque(12, 5)), (KnownIntegers{{}, 0, 23}));
}
