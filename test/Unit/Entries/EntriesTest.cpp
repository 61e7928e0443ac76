//===- EntriesTest.cpp - Entries that share parameters ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Expected values are computed here by the formulas of the ops.
//
//===----------------------------------------------------------------------===//

#include "SharedModel.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace weir;
using testing::ElementsAre;
using testing::HasSubstr;

/// `predict` uses its weights in ways that the compiler computes at compile
/// time where nothing assigns them: packed for a convolution, scaled by a batch
/// norm, packed for a product. `step` assigns all three.
static constexpr const char *trained = R"(
  weir.parameter @kernel : tensor<2x1x1x1xf32>
    = dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  weir.parameter @scale : tensor<2xf32> = dense<[1.0, 1.0]> : tensor<2xf32>
  weir.parameter @weight : tensor<8x2xf32> = dense<1.0> : tensor<8x2xf32>
  func.func @step(%kernel_change: tensor<2x1x1x1xf32>,
                  %scale_change: tensor<2xf32>,
                  %weight_change: tensor<8x2xf32>) {
    %kernel = weir.read @kernel : tensor<2x1x1x1xf32>
    %scale = weir.read @scale : tensor<2xf32>
    %weight = weir.read @weight : tensor<8x2xf32>
    %a = weir.add %kernel, %kernel_change
      : tensor<2x1x1x1xf32>, tensor<2x1x1x1xf32>
    %b = weir.add %scale, %scale_change : tensor<2xf32>, tensor<2xf32>
    %c = weir.add %weight, %weight_change : tensor<8x2xf32>, tensor<8x2xf32>
    weir.assign @kernel, %a : tensor<2x1x1x1xf32>
    weir.assign @scale, %b : tensor<2xf32>
    weir.assign @weight, %c : tensor<8x2xf32>
    return
  }
  func.func @predict(%x: tensor<1x1x2x2xf32>) -> tensor<1x2xf32> {
    %kernel = weir.read @kernel : tensor<2x1x1x1xf32>
    %scale = weir.read @scale : tensor<2xf32>
    %weight = weir.read @weight : tensor<8x2xf32>
    %mean = weir.constant dense<[0.5, 0.25]> : tensor<2xf32>
    %variance = weir.constant dense<[4.0, 9.0]> : tensor<2xf32>
    %bias = weir.constant dense<[1.0, -1.0]> : tensor<2xf32>
    %y = weir.conv %x, %kernel : tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32>
    %n = weir.batch_norm %y, %scale, %bias, %mean, %variance
      : tensor<1x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
        tensor<2xf32>
    %flat = weir.reshape %n {shape = [1, 8]} : tensor<1x2x2x2xf32>
    %p = weir.matmul %flat, %weight : tensor<1x8xf32>, tensor<8x2xf32>
    return %p : tensor<1x2xf32>
  }
)";

namespace {
/// The weights of `trained`, and what `predict` makes of them.
struct Weights {
  float kernel[2] = {1, 2};
  float scale[2] = {1, 1};
  float weight = 1;

  std::vector<float> predict(const std::vector<float> &x) const {
    const float mean[] = {0.5f, 0.25f}, variance[] = {4, 9}, bias[] = {1, -1};
    float sum = 0;
    for (int c = 0; c < 2; ++c)
      for (float element : x)
        sum += ((element * kernel[c] - mean[c]) /
                    std::sqrt(variance[c] + 1e-5f) * scale[c] +
                bias[c]) *
               weight;
    return {sum, sum};
  }
};
} // namespace

TEST(Entries, SeeEveryNewValue) {
  auto session = loadText(trained, "predict");
  ASSERT_TRUE(session);
  const std::vector<float> x = {1, -2, 3, 0.5};
  Weights weights;
  for (int step = 0; step < 4; ++step) {
    const auto found =
        valuesOf(*session, "predict", list(floats({1, 1, 2, 2}, x)));
    const auto expected = weights.predict(x);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_NEAR(found[0], expected[0], 1e-4) << "after " << step << " steps";
    EXPECT_NEAR(found[1], expected[1], 1e-4) << "after " << step << " steps";
    call(*session, "step",
         list(floats({2, 1, 1, 1}, {0.5, -1}), floats({2}, {1, 2}),
              floats({8, 2}, std::vector<float>(16, 0.25))));
    weights.kernel[0] += 0.5f;
    weights.kernel[1] -= 1;
    weights.scale[0] += 1;
    weights.scale[1] += 2;
    weights.weight += 0.25f;
  }
}

/// Two batch sizes of a convolution, whose weight is packed.
static constexpr const char *twoBatches = R"(
  weir.parameter @weight : tensor<64x64x3x3xf32> = dense<0.5>
    : tensor<64x64x3x3xf32>
  func.func @one(%x: tensor<4x64x16x16xf32>) -> tensor<4x64x14x14xf32> {
    %weight = weir.read @weight : tensor<64x64x3x3xf32>
    %y = weir.conv %x, %weight
      : tensor<4x64x16x16xf32>, tensor<64x64x3x3xf32>
    return %y : tensor<4x64x14x14xf32>
  }
  func.func @two(%x: tensor<8x64x16x16xf32>) -> tensor<8x64x14x14xf32> {
    %weight = weir.read @weight : tensor<64x64x3x3xf32>
    %y = weir.conv %x, %weight
      : tensor<8x64x16x16xf32>, tensor<64x64x3x3xf32>
    return %y : tensor<8x64x14x14xf32>
  }
)";

TEST(Entries, SharePackedWeights) {
  CompileOptions options;
  options.threads = 1;
  options.entries = {"one"};
  auto alone = loadText(twoBatches, "one", options);
  ASSERT_TRUE(alone);
  const uint64_t bytes = alone->stats().devices[0].packedBytes;
  // Two sessions would share the weights.
  alone.reset();
  options.entries = {"one", "two"};
  auto both = loadText(twoBatches, "one", options);
  ASSERT_TRUE(both);
  EXPECT_GE(bytes, 64u * 64 * 3 * 3 * 4);
  EXPECT_EQ(both->stats().devices[0].packedBytes, bytes);
  const std::vector<float> ones(8 * 64 * 16 * 16, 1);
  EXPECT_THAT(valuesOf(*both, "two", list(floats({8, 64, 16, 16}, ones))),
              testing::Each(testing::FloatNear(288, 1e-2f)));
}

TEST(Entries, ShareScratch) {
  constexpr const char *text = R"(
    func.func @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %a = weir.softmax %x {axis = 0} : tensor<?x64xf32>
      %b = weir.softmax %a {axis = 1} : tensor<?x64xf32>
      %c = weir.softmax %b {axis = 0} : tensor<?x64xf32>
      return %c : tensor<?x64xf32>
    })";
  auto bytesOf = [&](std::vector<std::string> shapes) {
    CompileOptions options;
    options.shapes = std::move(shapes);
    auto session = loadText(text, "main", options);
    return session ? session->stats().devices[0].allocatedBytes : 0;
  };
  // The largest, not the sum.
  EXPECT_EQ(bytesOf({"x:10x64", "x:100x64"}), bytesOf({"x:100x64"}));
}

TEST(Entries, OfOneNameTakeTheShapeThatFits) {
  constexpr const char *text = R"(
    func.func @main(%x: tensor<?x3xf32>) -> tensor<?x1xf32> {
      %w = weir.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
      %y = weir.matmul %x, %w : tensor<?x3xf32>, tensor<3x1xf32>
      return %y : tensor<?x1xf32>
    })";
  CompileOptions options;
  options.shapes = {"x:1x3", "x:2x3"};
  auto session = loadText(text, "main", options);
  ASSERT_TRUE(session);
  EXPECT_THAT(valuesOf(*session, "main", list(floats({1, 3}, {1, 1, 1}))),
              ElementsAre(6));
  EXPECT_THAT(
      valuesOf(*session, "main", list(floats({2, 3}, {1, 1, 1, 2, 0, 1}))),
      ElementsAre(6, 5));
  const auto outputs =
      session->run(list(floats({3, 3}, std::vector<float>(9, 1))));
  ASSERT_FALSE(outputs.isOk());
  EXPECT_THAT(std::string(outputs.status().message()), HasSubstr("3x3xf32"));
}
