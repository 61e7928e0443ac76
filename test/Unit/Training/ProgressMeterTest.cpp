//===- ProgressMeterTest.cpp - The line of progress -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Training/Reports/ProgressMeter.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace weir;

namespace {
ReportedRun smallRun() {
  ReportedRun run;
  run.totalSteps = 100;
  run.totalEpochs = 5;
  run.values = {{"loss"}, {"accuracy"}, {"rate", false}};
  run.validationValues = {"loss", "accuracy"};
  return run;
}

/// A step of 32 examples that takes half a second.
void addStep(ProgressMeter &meter, int64_t step, double loss, double accuracy,
             double rate, double now) {
  const double values[] = {loss, accuracy, rate};
  meter.add({.step = step,
             .epoch = 1 + (step - 1) / 20,
             .examples = 32,
             .seconds = 0.5,
             .values = values},
            now);
}
} // namespace

// After one step, the line has its numbers as they are, and the time left
// follows from its duration.
TEST(ProgressMeter, firstStep) {
  ProgressMeter meter(smallRun());
  addStep(meter, 1, 2.25, 0.125, 0.01, 3);
  EXPECT_EQ(meter.line(3, 0), "step 1/100  epoch 1/5  loss 2.25  accuracy "
                              "0.125  rate 0.01  64 examples/s  0:50 left");
}

// Losses are averaged: the mean of equal numbers is that number, and the first
// numbers are not drawn to zero. A rate is shown as it is.
TEST(ProgressMeter, averages) {
  ProgressMeter meter(smallRun());
  addStep(meter, 1, 1, 1, 0.5, 0);
  addStep(meter, 2, 2, 1, 0.25, 1);
  // 0.95 and 1 are the weights: (0.95 * 1 + 2) / 1.95 = 1.5128.
  EXPECT_EQ(meter.line(1, 0), "step 2/100  epoch 1/5  loss 1.513  accuracy 1  "
                              "rate 0.25  64 examples/s  1:38 left");
}

// A loss that is not finite is shown at once, and forgotten when later ones
// are.
TEST(ProgressMeter, showsNaN) {
  ProgressMeter meter(smallRun());
  addStep(meter, 1, 2, 0, 1, 0);
  addStep(meter, 2, std::nan(""), 0, 1, 1);
  EXPECT_NE(meter.line(1, 0).find("loss nan"), std::string::npos);
  addStep(meter, 3, 2, 0, 1, 2);
  EXPECT_NE(meter.line(2, 0).find("loss 2  "), std::string::npos);
}

// The time left counts the time of validations, and not that of the first step.
TEST(ProgressMeter, timeLeft) {
  ProgressMeter meter(smallRun());
  addStep(meter, 1, 1, 1, 1, 60);
  addStep(meter, 11, 1, 1, 1, 80);
  EXPECT_TRUE(meter.line(80, 0).ends_with("  2:58 left"));
  // A validation took ten seconds.
  EXPECT_TRUE(meter.line(90, 0).ends_with("  4:27 left"));
}

// Without totals, the line has none, and the time is that which has passed.
TEST(ProgressMeter, unknownTotals) {
  ReportedRun run;
  run.values = {{"loss"}};
  ProgressMeter meter(run);
  const double loss = 0.5;
  meter.add({.step = 7, .epoch = 2, .values = {&loss, 1}}, 61);
  EXPECT_EQ(meter.line(61, 0), "step 7  epoch 2  loss 0.5  1:01");
  EXPECT_EQ(meter.endLine(62), "trained 7 steps in 1:02");
}

// The last line says whether the run was complete, and counts its own steps.
TEST(ProgressMeter, endLine) {
  ReportedRun run = smallRun();
  run.stepsBefore = 99;
  ProgressMeter meter(run);
  addStep(meter, 99, 1, 1, 1, 60);
  EXPECT_EQ(meter.endLine(60), "stopped at step 99 of 100 after 1:00");
  addStep(meter, 100, 1, 1, 1, 60);
  EXPECT_EQ(meter.endLine(60), "trained 1 step in 1:00");
}

// A narrow terminal gets the fields that matter most, and no half ones; no line
// is wider than it.
TEST(ProgressMeter, fitsColumns) {
  ProgressMeter meter(smallRun());
  addStep(meter, 1, 2.25, 0.125, 0.01, 3);
  EXPECT_EQ(meter.line(3, 75), "step 1/100  epoch 1/5  loss 2.25  accuracy "
                               "0.125  64 examples/s  0:50 left");
  EXPECT_EQ(meter.line(3, 40), "step 1/100  loss 2.25  0:50 left");
  EXPECT_EQ(meter.line(3, 12), "step 1/100");
  for (size_t columns = 1; columns < 90; ++columns)
    EXPECT_LE(columnsOf(meter.line(3, columns)), columns);
}

// Names may have any bytes. They cannot control the terminal, and are not cut
// inside of a character.
TEST(ProgressMeter, foreignNames) {
  ReportedRun run;
  run.values = {{"\x1b[2Jverlüst"}};
  ProgressMeter meter(run);
  const double loss = 0.5;
  meter.add({.step = 7, .epoch = 2, .values = {&loss, 1}}, 1);
  EXPECT_EQ(meter.line(1, 0), "step 7  epoch 2  ?[2Jverlüst 0.5  0:01");
  run.values = {{"損失損失"}};
  const double validation[] = {0.25};
  run.validationValues = {"a\nb"};
  ProgressMeter wide(run);
  wide.add({.step = 7, .epoch = 2, .values = {&loss, 1}}, 1);
  EXPECT_EQ(wide.line(1, 20), "step 7  損失損失 0.5");
  EXPECT_EQ(wide.validationLine(7, 2, validation),
            "validation at step 7  epoch 2  a?b 0.25");
}

TEST(ProgressMeter, validationLine) {
  const ProgressMeter meter(smallRun());
  const double values[] = {0.5, 0.75};
  EXPECT_EQ(meter.validationLine(20, 1, values),
            "validation at step 20  epoch 1/5  loss 0.5  accuracy 0.75");
}

TEST(ProgressMeter, durations) {
  EXPECT_EQ(durationText(0), "0:00");
  EXPECT_EQ(durationText(59.6), "1:00");
  EXPECT_EQ(durationText(3723), "1:02:03");
  EXPECT_EQ(durationText(86400 + 59), "1 day 0:00:59");
  EXPECT_EQ(durationText(3 * 86400), "3 days 0:00:00");
  EXPECT_EQ(durationText(-1), "0:00");
  EXPECT_EQ(durationText(std::nan("")), "36500 days 0:00:00");
  EXPECT_EQ(durationText(HUGE_VAL), "36500 days 0:00:00");
}
