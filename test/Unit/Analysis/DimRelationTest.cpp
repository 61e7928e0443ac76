//===- DimRelationTest.cpp - Relations of dims ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// DimRelationsTest compares the analysis of ops with brute force. Here are its
// limits.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/DimRelation.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::analysis;
using Kind = Factor::Kind;

/// A tensor of one dim of which every `stride`-th element is taken, from
/// `offset` on.
static DimRelation takeEvery(int64_t stride, int64_t offset, int64_t from,
                             int64_t to) {
  BoundSpec bound;
  bound.loops.push_back({"x", to});
  bound.operands = {{{{{0, stride}}, offset, false}}};
  bound.result = {{{{0, 1}}, 0, false}};
  bound.resultDims = {to};
  const std::vector<int64_t> shapes[] = {{from}};
  return relateBound(bound, 0, shapes);
}

// Strides multiply, and offsets add up.
TEST(DimRelation, ComposesStrides) {
  DimRelation both =
      compose(takeEvery(3, 1, 100, 30), takeEvery(-2, 20, 30, 10));
  ASSERT_EQ(both.factors.size(), 1u);
  const Factor &factor = both.factors.front();
  EXPECT_EQ(factor.kind, Kind::Windowed);
  EXPECT_EQ(factor.operandScale, 1);
  EXPECT_EQ(factor.resultScale, -6);
  EXPECT_EQ(factor.taps, (Steps{61, 1, 1}));
  EXPECT_TRUE(both.allows(61 - 6 * 9, 9));
  EXPECT_FALSE(both.allows(61, 1));
}

// What no element reaches is independent, not opaque.
TEST(DimRelation, NothingIsLeft) {
  EXPECT_TRUE(
      compose(takeEvery(1, 0, 10, 4), takeEvery(1, 4, 4, 2)).isIndependent);
}

// A stride beyond the limit is not followed, so nothing overflows.
TEST(DimRelation, HugeStrides) {
  const int64_t size = int64_t(1) << 48, step = int64_t(1) << 14;
  DimRelation once = takeEvery(step, 0, size, size / step);
  EXPECT_EQ(once.factors.front().kind, Kind::Windowed);
  DimRelation twice =
      compose(once, takeEvery(step, 0, size / step, size / step / step));
  ASSERT_EQ(twice.factors.size(), 2u);
  EXPECT_EQ(twice.factors[0].kind, Kind::Opaque);
  EXPECT_EQ(twice.factors[1].kind, Kind::Repeated);
  DimRelation huge = takeEvery(step * step, 0, size, 1 << 20);
  EXPECT_EQ(huge.factors.front().kind, Kind::Opaque);
}

// Two ways to an element allow what either does.
TEST(DimRelation, UnitesWays) {
  DimRelation same = makeIdentity(12);
  EXPECT_EQ(unite(same, same), same);
  EXPECT_EQ(unite(same, makeIndependent(12, 12)), same);
  EXPECT_EQ(unite(makeOpaque(12, 12), same).factors.front().kind, Kind::Opaque);
  DimRelation shifted = unite(takeEvery(1, 2, 12, 10), takeEvery(1, 0, 12, 10));
  ASSERT_EQ(shifted.factors.size(), 1u);
  EXPECT_EQ(shifted.factors.front().taps, (Steps{0, 2, 2}));
}

// Dims of size 1 belong to any range.
TEST(DimRelation, MatchesReshapedDims) {
  const int64_t from[] = {2, 6, 4}, to[] = {12, 2, 2, 1};
  std::vector<ReshapedDims> matched = matchReshapedDims(from, to);
  ASSERT_EQ(matched.size(), 3u);
  EXPECT_EQ(matched[0].fromEnd, 2u);
  EXPECT_EQ(matched[0].toEnd, 1u);
  EXPECT_EQ(matched[1].toEnd, 3u);
  EXPECT_EQ(matched[2].fromBegin, matched[2].fromEnd);
}
