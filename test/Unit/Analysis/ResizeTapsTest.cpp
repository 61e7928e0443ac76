//===- ResizeTapsTest.cpp - Resizing one axis -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/ResizeTaps.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace weir;
using namespace weir::analysis;

namespace {
struct Case {
  const char *mode, *coordinates, *nearest;
  bool excludesOutside, hasAntialias;
  double scale, cropBegin, cropEnd;
  std::vector<double> result;
};

const Case onnxCases[] = {
#include "ResizeCubic.inc"
#include "ResizeLinear.inc"
#include "ResizeNearest.inc"
};

/// What the cases resize.
const std::vector<double> row = {1, 4, -2, 3, 0.5, 7, -6};

ResizeAxis axisOf(const Case &test) {
  ResizeAxis axis;
  axis.inputSize = static_cast<int64_t>(row.size());
  axis.outputSize = static_cast<int64_t>(test.result.size());
  axis.scale = test.scale;
  axis.mode = *parseResizeMode(test.mode);
  axis.coordinates = *parseResizeCoordinates(test.coordinates);
  axis.nearest = *parseNearestMode(test.nearest);
  axis.excludesOutside = test.excludesOutside;
  axis.hasAntialias = test.hasAntialias;
  axis.cropBegin = test.cropBegin;
  axis.cropEnd = test.cropEnd;
  return axis;
}

std::string errorOf(int64_t input, int64_t output, double scale) {
  ResizeAxis axis;
  axis.inputSize = input;
  axis.outputSize = output;
  axis.scale = scale;
  axis.mode = ResizeMode::Linear;
  axis.hasAntialias = true;
  auto taps = computeResizeTaps(axis);
  return taps ? "no error" : std::string(taps.status().message());
}
} // namespace

// Every mode gives what ONNX's definition gives.
TEST(ResizeTapsTest, agreesWithOnnx) {
  for (const Case &test : onnxCases) {
    SCOPED_TRACE(std::string(test.mode) + " " + test.coordinates + " " +
                 test.nearest + (test.excludesOutside ? " exclude" : "") +
                 (test.hasAntialias ? " antialias" : "") + " " +
                 std::to_string(test.scale));
    auto taps = computeResizeTaps(axisOf(test));
    ASSERT_TRUE(taps.isOk()) << taps.status().message();
    ASSERT_EQ(taps->indices.size(),
              test.result.size() * static_cast<size_t>(taps->tapsPerElement));
    for (size_t x = 0; x < test.result.size(); ++x) {
      double sum = taps->isOutside[x] ? 99 : 0;
      for (int64_t t = 0; t < taps->tapsPerElement; ++t) {
        size_t tap = x * static_cast<size_t>(taps->tapsPerElement) + t;
        sum += row.at(taps->indices[tap]) * taps->weights[tap];
      }
      EXPECT_NEAR(sum, test.result[x], 1e-4) << "element " << x;
    }
  }
}

// Nearest needs no weights, unless something lies outside.
TEST(ResizeTapsTest, selections) {
  ResizeAxis axis;
  axis.inputSize = 3;
  axis.outputSize = 6;
  axis.scale = 2;
  axis.coordinates = ResizeCoordinates::Asymmetric;
  axis.nearest = NearestMode::Floor;
  auto taps = computeResizeTaps(axis);
  ASSERT_TRUE(taps.isOk());
  EXPECT_TRUE(taps->isSelection());
  EXPECT_EQ(taps->indices, (std::vector<int64_t>{0, 0, 1, 1, 2, 2}));
  axis.coordinates = ResizeCoordinates::TfCropAndResize;
  axis.cropEnd = 2;
  EXPECT_FALSE(computeResizeTaps(axis)->isSelection());
  axis.mode = ResizeMode::Linear;
  axis.coordinates = ResizeCoordinates::HalfPixel;
  EXPECT_FALSE(computeResizeTaps(axis)->isSelection());
}

// What cannot be computed, or would take all memory, is refused.
TEST(ResizeTapsTest, refuses) {
  EXPECT_EQ(errorOf(0, 3, 1), "a dim of 0 is resized to 3, expected sizes from "
                              "1 to 1099511627776");
  EXPECT_EQ(errorOf(3, -1, 1), "a dim of 3 is resized to -1, expected sizes "
                               "from 1 to 1099511627776");
  EXPECT_EQ(errorOf(3, 3, 0), "the scale is 0, expected a positive number");
  EXPECT_EQ(errorOf(3, 3, std::nan("")),
            "the scale is nan, expected a positive number");
  EXPECT_EQ(errorOf(3, 1, 1e-9), "a dim of 3 resized to 1 takes 2000000000 "
                                 "taps, expected at most 268435456");
  EXPECT_EQ(errorOf(3, 6, 2), "no error");
}

// Names that there are not get those that there are.
TEST(ResizeTapsTest, names) {
  EXPECT_EQ(parseResizeMode("area").status().message(),
            "unknown mode 'area', expected one of 'nearest', 'linear', "
            "'cubic'");
  EXPECT_FALSE(parseResizeCoordinates("half").isOk());
  EXPECT_FALSE(parseNearestMode("round").isOk());
}
