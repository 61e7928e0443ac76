//===- ElementWalkTest.cpp - Walks, indices and offsets of elements -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ElementWalk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weir;
using testing::ElementsAre;

namespace {
using Ints = std::vector<int64_t>;

TEST(ElementWalk, visitsElementsInRowMajorOrderWhateverTheStrides) {
  const Ints dims = {2, 3}, strides = {1, 2};
  Ints offsets;
  std::vector<Ints> indices;
  for (ElementWalk walk(dims, strides); !walk.atEnd(); walk.next()) {
    offsets.push_back(walk.offset());
    indices.push_back(walk.index());
  }
  EXPECT_THAT(offsets, ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(indices, ElementsAre(Ints{0, 0}, Ints{0, 1}, Ints{0, 2},
                                   Ints{1, 0}, Ints{1, 1}, Ints{1, 2}));
}

TEST(ElementWalk, visitsTheOneElementOfAScalar) {
  const Ints none;
  ElementWalk walk(none, none);
  EXPECT_FALSE(walk.atEnd());
  EXPECT_EQ(walk.offset(), 0);
  walk.next();
  EXPECT_TRUE(walk.atEnd());
}

TEST(ElementWalk, visitsNothingInATensorWithoutElements) {
  const Ints dims = {3, 0, 2}, strides = {0, 2, 1};
  EXPECT_TRUE(ElementWalk(dims, strides).atEnd());
}

TEST(ElementWalk, findsOneElementByItsNumber) {
  const Ints dims = {2, 3, 4}, strides = {12, 1, 3};
  EXPECT_THAT(unravelIndex(17, dims), ElementsAre(1, 1, 1));
  EXPECT_EQ(stridedOffset(17, dims, strides), 12 + 1 + 3);
  EXPECT_THAT(unravelIndex(0, Ints{0, 2}), ElementsAre(0, 0));
}
} // namespace
