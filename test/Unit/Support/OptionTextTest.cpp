//===- OptionTextTest.cpp - What compile options spell -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/OptionText.h"

#include <gtest/gtest.h>

using namespace weir;

using Dims = std::vector<int64_t>;

// A name, which may have colons, and sizes; none are a scalar's.
TEST(OptionTextTest, readsShapes) {
  auto shape = parseShapeOption("in:0:1x3x224");
  ASSERT_TRUE(shape.isOk());
  EXPECT_EQ(shape->input, "in:0");
  EXPECT_EQ(shape->dims, (Dims{1, 3, 224}));
  EXPECT_EQ(parseShapeOption("x:")->dims, Dims());
  EXPECT_EQ(parseShapeOption("x:0")->dims, Dims{0});
  for (const char *bad : {"x", ":2", "x:2x", "x:x2", "x:2xx3", "x:-1", "x:2X3",
                          "x:?", "x:1e3", "x:99999999999999999999", ""})
    EXPECT_FALSE(parseShapeOption(bad).isOk()) << bad;
}

// The device stands behind the last '='.
TEST(OptionTextTest, readsPortSpaces) {
  auto space = parsePortSpaceOption("a=b=/CPU:1");
  ASSERT_TRUE(space.isOk());
  EXPECT_EQ(space->port, "a=b");
  EXPECT_EQ(space->device.toString(), "cpu:1");
  for (const char *bad : {"", "x", "=cpu:1", "x=", "x=there"})
    EXPECT_FALSE(parsePortSpaceOption(bad).isOk()) << bad;
}

// The device stands behind the last '='; "after:" takes a name, not a glob.
TEST(OptionTextTest, readsPlacementRules) {
  auto rule = parsePlacementRule("a=b*=/CPU:1");
  ASSERT_TRUE(rule.isOk());
  EXPECT_EQ(rule->pattern, "a=b*");
  EXPECT_FALSE(rule->isAfter);
  EXPECT_EQ(rule->device.toString(), "cpu:1");
  auto after = parsePlacementRule("after:[=cpu:2");
  ASSERT_TRUE(after.isOk());
  EXPECT_EQ(after->pattern, "[");
  EXPECT_TRUE(after->isAfter);
  for (const char *bad :
       {"", "=", "y", "y=", "=cpu:0", "after:", "after:=cpu:0",
        "after:y=", "[=cpu:0", "y=cpu", "y=tpu:0"})
    EXPECT_FALSE(parsePlacementRule(bad).isOk()) << bad;
}

// Bytes, or powers of 1,024; what does not fit 64 bits is refused.
TEST(OptionTextTest, readsMemoryCaps) {
  EXPECT_EQ(parseMemoryCap("cpu:0=7")->bytes, 7u);
  EXPECT_EQ(parseMemoryCap("cpu:0=7B")->bytes, 7u);
  EXPECT_EQ(parseMemoryCap("cpu:0=3KiB")->bytes, 3072u);
  EXPECT_EQ(parseMemoryCap("cpu:0=64MiB")->bytes, 67108864u);
  EXPECT_EQ(parseMemoryCap("cpu:0=17179869183GiB")->bytes,
            18446744072635809792u);
  EXPECT_EQ(parseMemoryCap("/CPU:3=1")->device.toString(), "cpu:3");
  for (const char *bad :
       {"", "cpu:0", "cpu:0=", "=5", "cpu=5", "cpu:0=-1", "cpu:0=1.5MiB",
        "cpu:0=1MB", "cpu:0=1 MiB", "cpu:0=MiB", "cpu:0=17179869184GiB",
        "cpu:0=18446744073709551616", "cpu:0=nan", "cpu:0=0x10", "cpu:0=0"})
    EXPECT_FALSE(parseMemoryCap(bad).isOk()) << bad;
}

// Blanks and ends of lines may stand around each part.
TEST(OptionTextTest, readsTrainingsInLines) {
  auto training = parseTrainOption("loss = squared_error( y ),\n"
                                   "\toptimizer=sgd(\r\n  rate=0.1 ),\n"
                                   "  parameters=head.*\n");
  ASSERT_TRUE(training.isOk()) << training.status().message();
  EXPECT_EQ(training->loss, "y");
  EXPECT_EQ(training->lossOp, "squared_error");
  EXPECT_EQ(training->minimize.parameters, std::vector<std::string>{"head.*"});
}
