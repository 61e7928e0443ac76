//===- ShapePlansTest.cpp - The plans that shapes make ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ShapePlans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weir;

using Texts = std::initializer_list<const char *>;

static StatusOr<std::vector<ShapePlan>> plan(Texts shared, Texts own = {}) {
  GivenShapes given;
  for (const char *text : shared)
    given.shared.push_back(*parseShapeOption(text));
  for (const char *text : own)
    given.own.push_back(*parseShapeOption(text));
  return planShapes(given);
}

// Inputs of one shape each, or none, make one plan without a name.
TEST(ShapePlansTest, makesOnePlan) {
  EXPECT_EQ(plan({})->size(), 1u);
  auto plans = plan({"x:1x8", "y:3"});
  ASSERT_TRUE(plans.isOk());
  ASSERT_EQ(plans->size(), 1u);
  EXPECT_EQ(plans->front().shapes.size(), 2u);
  EXPECT_EQ(nameShapePlan("main", plans->front()), "main");
}

// The k-th shapes belong together, in whatever order inputs are given. An input
// of one shape is in each plan, but in no name.
TEST(ShapePlansTest, pairsShapes) {
  auto plans = plan({"x:1x8", "y:3", "z:2", "x:4x8", "y:5"});
  ASSERT_TRUE(plans.isOk());
  ASSERT_EQ(plans->size(), 2u);
  EXPECT_EQ(nameShapePlan("main", plans->at(0)), "main[x:1x8,y:3]");
  EXPECT_EQ(nameShapePlan("main", plans->at(1)), "main[x:4x8,y:5]");
  ASSERT_EQ(plans->at(1).shapes.size(), 3u);
  EXPECT_EQ(plans->at(1).shapes[2].input, "z");
  EXPECT_EQ(plans->at(1).shapes[2].dims, std::vector<int64_t>{2});
}

// Shapes of the entry itself replace those for all entries.
TEST(ShapePlansTest, prefersOwnShapes) {
  auto plans = plan({"x:1", "x:2", "y:3"}, {"x:4"});
  ASSERT_TRUE(plans.isOk());
  ASSERT_EQ(plans->size(), 1u);
  ASSERT_EQ(plans->front().shapes.size(), 2u);
  EXPECT_EQ(plans->front().shapes[0].dims, std::vector<int64_t>{4});
  EXPECT_EQ(plans->front().shapes[1].dims, std::vector<int64_t>{3});
}

// Two plans may share a shape of one input, but not those of all.
TEST(ShapePlansTest, refusesEqualPlans) {
  EXPECT_TRUE(plan({"x:1", "x:1", "y:2", "y:3"}).isOk());
  auto plans = plan({"x:1", "x:2", "x:1"});
  ASSERT_FALSE(plans.isOk());
  EXPECT_EQ(plans.status().message(),
            "--shape gives plans 1 and 3 the same shapes, x:1; give each plan "
            "once");
}

TEST(ShapePlansTest, refusesOtherCounts) {
  auto plans = plan({"x:1", "x:2", "y:1", "y:2", "y:3"});
  ASSERT_FALSE(plans.isOk());
  EXPECT_THAT(plans.status().message(),
              testing::HasSubstr("2 shapes of 'x', but 3 of 'y'"));
}
