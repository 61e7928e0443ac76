//===- SmallImagesTest.cpp - Convolutions of small images as products -----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include "weir/Support/IndexSpec.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::test;

namespace {
/// Windows over an image with one or more spatial dims.
struct Case {
  int64_t channels, outputs;
  Dims covered, places, kernel;
  Dims strides = Dims(covered.size(), 1);
  Dims pads = Dims(2 * covered.size(), 0);
  Dims dilations = Dims(covered.size(), 1);
  int64_t images = 2;

  static Dims join(Dims front, const Dims &back) {
    front.insert(front.end(), back.begin(), back.end());
    return front;
  }
  bool isOfSingleCells() const {
    return kernel == Dims(kernel.size(), 1) && covered == places;
  }
  Dims coveredDims() const { return join({images, channels}, covered); }
  Dims placesDims() const { return join({images, outputs}, places); }
  Dims weightDims() const { return join({outputs, channels}, kernel); }

  KernelTester tester(const std::string &name) const {
    KernelTester tester(name);
    tester.attr("strides", strides)
        .attr("pads", pads)
        .attr("dilations", dilations);
    return tester;
  }
};
} // namespace

/// Calls `visit` with the indices of covered image, places and weights whose
/// elements are multiplied with each other.
static void forEachProduct(const Case &c,
                           const std::function<void(const Dims &, const Dims &,
                                                    const Dims &)> &visit) {
  forEachIndex(c.placesDims(), [&](const Dims &place) {
    forEachIndex(Case::join({c.channels}, c.kernel), [&](const Dims &element) {
      Dims cell = {place[0], element[0]};
      for (size_t i = 0; i < c.covered.size(); ++i) {
        cell.push_back(place[i + 2] * c.strides[i] +
                       element[i + 1] * c.dilations[i] - c.pads[i]);
        if (cell.back() < 0 || cell.back() >= c.covered[i])
          return;
      }
      visit(cell, place, Case::join({place[1]}, element));
    });
  });
}

/// Single cells, padding, strides that leave cells out, gaps, and images of one
/// to three dims.
static std::vector<Case> listCases() {
  return {
      {128, 96, {4, 4}, {4, 4}, {1, 1}},
      {64, 144, {5, 4}, {5, 4}, {3, 3}, {1, 1}, {1, 1, 1, 1}},
      {48, 96, {7, 6}, {4, 3}, {3, 3}, {2, 2}, {1, 1, 1, 1}},
      {128, 80, {5, 5}, {3, 3}, {1, 1}, {2, 2}},
      {64, 96, {6, 7}, {4, 3}, {2, 3}, {1, 1}, {0, 0, 0, 0}, {2, 2}},
      {96, 64, {9}, {9}, {3}, {1}, {2, 0}},
      {40, 70, {3, 2, 4}, {3, 2, 4}, {3, 1, 3}, {1, 1, 1}, {1, 0, 1, 1, 0, 1}}};
}

/// A product of windows has a step for these. A library's convolution has one
/// that reorders weights; a product of single cells has no other step.
static bool isProduct(const Case &c, const KernelTester &tester) {
  const std::string &steps = tester.implementation;
  if (c.isOfSingleCells())
    return steps.find(',') == std::string::npos;
  return steps.find("windows") != std::string::npos ||
         steps.find("window_sums") != std::string::npos;
}

TEST(SmallImages, MatchDefinitions) {
  for (const Case &c : listCases()) {
    SCOPED_TRACE(shapeToString(c.coveredDims()) + " by " +
                 shapeToString(c.weightDims()));
    const Array x = patterned(c.coveredDims(), 1);
    const Array w = patterned(c.weightDims(), 2);
    const Array g = patterned(c.placesDims(), 3);
    Array places(c.placesDims()), covered(c.coveredDims());
    Array weights(c.weightDims());
    forEachProduct(
        c, [&](const Dims &cell, const Dims &place, const Dims &weight) {
          places.at(place) += x.at(cell) * w.at(weight);
          covered.at(cell) += g.at(place) * w.at(weight);
          weights.at(weight) += g.at(place) * x.at(cell);
        });
    const TensorDesc image = channelsLast(DType::F32, c.coveredDims());
    const TensorDesc cells = channelsLast(DType::F32, c.placesDims());
    const TensorDesc between = rowMajor(DType::F32, c.weightDims());
    for (int threads : {1, 2, 3}) {
      KernelTester forward = c.tester("conv");
      forward.operand(image, x)
          .operand(between, w)
          .result(cells)
          .threads(threads);
      forward.expect(places);
      EXPECT_TRUE(isProduct(c, forward)) << forward.implementation;
      KernelTester transposed = c.tester("conv_transpose");
      transposed.operand(cells, g)
          .operand(between, w)
          .result(image)
          .threads(threads);
      transposed.expect(covered);
      EXPECT_TRUE(isProduct(c, transposed)) << transposed.implementation;
      KernelTester gradient = c.tester("conv_weight_gradient");
      gradient.operand(image, x).operand(cells, g).result(between).threads(
          threads);
      gradient.expect(weights);
      EXPECT_TRUE(isProduct(c, gradient)) << gradient.implementation;
    }
  }
}

// A bias, an operation on each element, an operand for each channel and one for
// each element, fused or not.
TEST(SmallImages, HaveEpilogues) {
  for (const Case &c : listCases()) {
    if (c.covered.size() != 2)
      continue;
    const Array x = patterned(c.coveredDims(), 1);
    const Array w = patterned(c.weightDims(), 2);
    const Array g = patterned(c.placesDims(), 3);
    const Array bias = patterned({c.outputs}, 4);
    const Dims rowOfPlaces = {1, c.outputs, 1, 1};
    const Dims rowOfCells = {1, c.channels, 1, 1};
    const Array scale = patterned(rowOfPlaces, 5);
    const Array scaleOfCells = patterned(rowOfCells, 6);
    Array places(c.placesDims()), covered(c.coveredDims());
    forEachProduct(
        c, [&](const Dims &cell, const Dims &place, const Dims &weight) {
          places.at(place) += x.at(cell) * w.at(weight);
          covered.at(cell) += g.at(place) * w.at(weight);
        });
    const TensorDesc image = channelsLast(DType::F32, c.coveredDims());
    const TensorDesc cells = channelsLast(DType::F32, c.placesDims());
    const TensorDesc between = rowMajor(DType::F32, c.weightDims());
    KernelTester forward = c.tester("conv");
    forward.operand(image, x)
        .operand(between, w)
        .operand(rowMajor(DType::F32, {c.outputs}), bias)
        .result(cells)
        .postOp("eltwise_relu", 0, 0)
        .postOp("binary_mul", channelsLast(DType::F32, rowOfPlaces), scale)
        .postOp("binary_add", cells, g);
    forward.expect(computed(c.placesDims(), [&](const Dims &i) {
      const double sum = places.at(i) + bias.values[static_cast<size_t>(i[1])];
      return std::max(sum, 0.0) * scale.broadcastAt(i) + g.at(i);
    }));
    EXPECT_TRUE(isProduct(c, forward)) << forward.implementation;
    KernelTester transposed = c.tester("conv_transpose");
    transposed.operand(cells, g)
        .operand(between, w)
        .result(image)
        .postOp("binary_mul", channelsLast(DType::F32, rowOfCells),
                scaleOfCells)
        .postOp("binary_add", image, x);
    transposed.expect(computed(c.coveredDims(), [&](const Dims &i) {
      return covered.at(i) * scaleOfCells.broadcastAt(i) + x.at(i);
    }));
    EXPECT_TRUE(isProduct(c, transposed)) << transposed.implementation;
  }
}

/// Runs the kernel `name` of the case; `isKnown`: with constant weights.
static bool isProductOf(const std::string &name, const Case &c,
                        bool isKnown = false, int64_t groups = 1) {
  Dims weights = c.weightDims();
  weights[1] /= groups;
  const TensorDesc image = channelsLast(DType::F32, c.coveredDims());
  const TensorDesc cells = channelsLast(DType::F32, c.placesDims());
  const TensorDesc between = rowMajor(DType::F32, weights);
  KernelTester tester = c.tester(name);
  tester.attr("groups", Dims{groups});
  const bool isGradient = name == "conv_weight_gradient";
  const bool isForward = isGradient || name == "conv";
  const TensorDesc &first = isForward ? image : cells;
  tester.operand(first, patterned(first.dims));
  const TensorDesc &second = isGradient ? cells : between;
  if (isKnown)
    tester.constant(second, patterned(second.dims));
  else
    tester.operand(second, patterned(second.dims));
  tester.result(isGradient ? between : isForward ? cells : image);
  (void)tester.run();
  return isProduct(c, tester);
}

// Known weights are packed once, and groups are not one product. Large images
// give the library enough to do, and small weights are reordered in no time.
TEST(SmallImages, LeaveOthersToTheLibrary) {
  const Case small = {128, 128, {4, 4}, {4, 4}, {1, 1}};
  for (const char *name : {"conv", "conv_transpose", "conv_weight_gradient"}) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(isProductOf(name, small));
    EXPECT_FALSE(isProductOf(name, small, false, 2));
  }
  const Dims one = {1, 1}, three = {3, 3}, pads = {1, 1, 1, 1};
  auto windows = [&](int64_t images, int64_t channels, int64_t outputs,
                     Dims cells) {
    Case c = {channels, outputs, cells, cells, three, one, pads};
    c.images = images;
    return c;
  };
  for (const char *name : {"conv", "conv_transpose"})
    EXPECT_FALSE(isProductOf(name, windows(2, 64, 32, {4, 4}), true)) << name;
  // One on each side of each limit: 8,192 weights, 512 cells, 256 windows, and
  // as many windows as outputs.
  const std::pair<Case, Case> limits[] = {
      {{128, 64, {4, 4}, {4, 4}, one}, {127, 64, {4, 4}, {4, 4}, one}},
      {{96, 96, {16, 16}, {16, 16}, one}, {96, 96, {16, 17}, {16, 17}, one}},
      {windows(16, 8, 272, {4, 4}), windows(17, 8, 272, {4, 4})},
      {windows(2, 64, 32, {4, 4}), windows(2, 64, 31, {4, 4})}};
  for (const auto &[inside, outside] : limits)
    for (const char *name :
         {"conv", "conv_transpose", "conv_weight_gradient"}) {
      SCOPED_TRACE(std::string(name) + " " +
                   shapeToString(outside.coveredDims()));
      EXPECT_TRUE(isProductOf(name, inside));
      EXPECT_FALSE(isProductOf(name, outside));
    }
}
