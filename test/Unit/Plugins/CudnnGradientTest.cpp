//===- CudnnGradientTest.cpp - Gradients that cuDNN is asked for ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Needs neither cuDNN nor a GPU. The gradient of a convolution for its images
// is a transposed convolution.
//
//===----------------------------------------------------------------------===//

#include "CudnnKernels.h"
#include "CudnnSpecs.h"

#include <functional>
#include <gtest/gtest.h>

using namespace weir;
using namespace weir::test;

namespace {

// The result is row-major, as parameters are.
TEST(CudnnGradients, ComputesGradientsOfWeights) {
  const KernelSpec spec = weightGradientSpec(conv3x3, DType::BF16);
  EXPECT_EQ(graphText(spec),
            "%0 = buffer 1: 8x32x28x28xbf16 strides [25088, 1, 896, 32]\n"
            "%1 = buffer 0: 8x64x56x56xbf16 strides [200704, 1, 3584, 64]\n"
            "%2 = buffer 2: 32x64x3x3xbf16\n"
            "%2 = weight_gradient %0 %1\n"
            "strides 2x2\ndilations 1x1\npads begin 0x1\npads end 1x0\n");
}

// For windows of one cell, row-major weights have their channels last. Images
// are row-major where nothing has wanted them otherwise.
TEST(CudnnGradients, DescribesGradientsWithChannelsLastIfItCan) {
  KernelSpec spec = weightGradientSpec(
      {{2, 8, 5, 6}, {4, 8, 1, 1}, {2, 4, 5, 6}}, DType::F32);
  spec.operands[0] = TensorDesc::rowMajor(DType::F32, {2, 8, 5, 6});
  const std::string text = graphText(spec);
  for (const char *line :
       {"%0 = buffer 1: 2x4x5x6xf32 strides [120, 1, 24, 4]\n",
        "%1 = buffer 0: 2x8x5x6xf32\n", "%2 = buffer 2: 4x8x1x1xf32\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_EQ(describeForCudnn(spec)->tensors[2].desc.strides,
            (std::vector<int64_t>{8, 1, 8, 8}));
  spec = weightGradientSpec({{2, 8, 20}, {4, 8, 3}, {2, 4, 18}}, DType::F32);
  EXPECT_NE(graphText(spec).find("%2 = buffer 2: 4x8x1x3xf32\n"),
            std::string::npos);
}

TEST(CudnnGradients, RefusesGradientsOfWeightsThatDoNotFit) {
  using Ints = std::vector<int64_t>;
  const auto refusal = [](const std::function<void(KernelSpec &)> &change) {
    KernelSpec spec = weightGradientSpec(conv3x3, DType::BF16);
    change(spec);
    return whyNot(spec);
  };
  EXPECT_EQ(refusal([](KernelSpec &) {}), "");
  EXPECT_EQ(refusal([](KernelSpec &spec) { spec.operands.resize(1); }),
            "expected images, a gradient, one result and no post-ops");
  EXPECT_EQ(refusal([](KernelSpec &spec) { addPostOp(spec, "eltwise_relu"); }),
            "expected images, a gradient, one result and no post-ops");
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              for (TensorDesc *each :
                   {&spec.operands[0], &spec.operands[1], &spec.results[0]})
                each->type = DType::F64;
            }),
            "expected elements of f32, f16 or bf16, found 8x64x56x56xf64 "
            "strides [200704, 1, 3584, 64]");
  EXPECT_EQ(
      refusal([](KernelSpec &spec) { spec.results[0].type = DType::F32; }),
      "cuDNN takes images and gradients of one type, found 8x64x56x56xbf16 "
      "strides [200704, 1, 3584, 64], 8x32x28x28xbf16 strides [25088, 1, 896, "
      "32] and 32x64x3x3xf32");
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              std::swap(spec.results[0].strides[0], spec.results[0].strides[1]);
            }),
            "cuDNN takes tensors that are row-major or have their channels "
            "last, found 32x64x3x3xbf16 strides [9, 576, 3, 1]");
  EXPECT_EQ(refusal([](KernelSpec &spec) { spec.operands[0].dims[0] = 0; }),
            "expected dims from 1 to 2147483647, found 0x64x56x56xbf16 strides "
            "[200704, 1, 3584, 64]");
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              spec.results[0] = TensorDesc::rowMajor(DType::BF16, {32, 64, 9});
            }),
            "expected images and weights of one rank from 3 to 5, found "
            "8x64x56x56xbf16 strides [200704, 1, 3584, 64], 8x32x28x28xbf16 "
            "strides [25088, 1, 896, 32] and 32x64x9xbf16");
  EXPECT_EQ(
      refusal([](KernelSpec &spec) { spec.attrs.set("groups", Ints{2}); }),
      "images 8x64x56x56 and 8x32x28x28 and weights 32x64x3x3 do not fit "
      "2 groups");
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              spec.attrs.set("pads", Ints{0, 0, 0, 0});
            }),
            "windows of 3 on 56 cells do not have 28 positions along spatial "
            "dim 0");
}

// In 16 bits, cuDNN lacks engines for some windows in groups. In f32 it has one
// for all.
TEST(CudnnGradients, RefusesGradientsOfWeightsWithoutEngine) {
  using Ints = std::vector<int64_t>;
  const auto refusal = [](const ConvCase &conv, Ints dilations = {}) {
    const auto specOf = [&](DType type) {
      KernelSpec spec = weightGradientSpec(conv, type);
      spec.attrs.set("dilations", dilations);
      return spec;
    };
    EXPECT_EQ(whyNot(specOf(DType::F32)), "");
    EXPECT_EQ(whyNot(specOf(DType::F16)).empty(),
              whyNot(specOf(DType::BF16)).empty());
    return whyNot(specOf(DType::BF16));
  };
  EXPECT_EQ(
      refusal({{1, 8, 4, 5, 6}, {6, 4, 3, 3, 3}, {1, 6, 2, 3, 4}, {}, {}, 2}),
      "cuDNN takes the gradient of weights in groups with three spatial "
      "dims only in f32");
  EXPECT_EQ(
      refusal({{1, 8, 9, 9}, {8, 1, 3, 1}, {1, 8, 4, 5}, {2, 2}, {}, 8}),
      "cuDNN takes the gradient of weights of single channels in bf16 only "
      "with steps of 1 along the last dim, or of windows of 3x3 or 5x5 with "
      "steps of 2 and no dilations; found 8x1x3x1xbf16 with strides 2x2 and "
      "dilations 1x1");
  EXPECT_NE(refusal({{1, 8, 9, 9}, {8, 1, 3, 3}, {1, 8, 7, 4}, {1, 2}, {}, 8}),
            "");
  EXPECT_NE(refusal({{1, 8, 9, 9}, {8, 1, 3, 3}, {1, 8, 3, 3}, {2, 2}, {}, 8},
                    {2, 2}),
            "");
  EXPECT_EQ(refusal({{1, 8, 9, 9}, {8, 1, 3, 3}, {1, 8, 4, 4}, {2, 2}, {}, 8}),
            "");
  EXPECT_EQ(refusal({{1, 8, 9, 9}, {8, 1, 3, 1}, {1, 8, 3, 9}, {3, 1}, {}, 8}),
            "");
  EXPECT_EQ(refusal({{1, 8, 9, 9}, {8, 2, 3, 1}, {1, 8, 4, 5}, {2, 2}, {}, 4}),
            "");
  EXPECT_EQ(whyNot(weightGradientSpec(conv3x3, DType::F32)),
            "cuDNN takes the gradient of weights in f32 only with pads of at "
            "most 0x1 at the end, found 1x0");
}

} // namespace
