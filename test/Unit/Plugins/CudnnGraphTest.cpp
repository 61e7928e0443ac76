//===- CudnnGraphTest.cpp - What cuDNN is asked to compute ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Needs neither cuDNN nor a GPU.
//
//===----------------------------------------------------------------------===//

#include "CudnnKernels.h"
#include "CudnnSpecs.h"
#include "weir/Runtime/KernelTable.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::test;

namespace {

// An image that is added first comes before the bias: cuDNN has engines for
// that order.
TEST(CudnnGraph, AddsTheImageBeforeTheBias) {
  KernelSpec spec = makeSpec(conv3x3, DType::BF16);
  addPostOpOf(spec, "binary_add", {8, 32, 28, 28});
  addPostOp(spec, "eltwise_relu");
  EXPECT_EQ(graphText(spec),
            "%0 = buffer 0: 8x64x56x56xbf16 strides [200704, 1, 3584, 64]\n"
            "%1 = buffer 1: 32x64x3x3xbf16 strides [576, 1, 192, 64]\n"
            "%3 = buffer 3: 8x32x28x28xbf16 strides [25088, 1, 896, 32]\n"
            "%5 = buffer 2: 1x32x1x1xbf16\n"
            "%7 = buffer 4: 8x32x28x28xbf16 strides [25088, 1, 896, 32]\n"
            "%2 = conv %0 %1\n"
            "%4 = add %2 %3\n"
            "%6 = add %4 %5\n"
            "%7 = relu %6\n"
            "strides 2x2\ndilations 1x1\npads begin 0x1\npads end 1x0\n");
}

// cuDNN has engines at hand for a bias of the result's type. Where it compiles
// one anyhow, the bias keeps its bits.
TEST(CudnnGraph, RoundsTheBiasForEnginesAtHand) {
  KernelSpec spec = makeSpec(conv3x3, DType::F16);
  spec.operands[2].type = DType::F32;
  addPostOp(spec, "eltwise_relu");
  EXPECT_NE(graphText(spec).find("buffer 2: 1x32x1x1xf16\n"),
            std::string::npos);
  addPostOp(spec, "eltwise_tanh");
  EXPECT_NE(graphText(spec).find("buffer 2: 1x32x1x1xf32\n"),
            std::string::npos);
}

// All is in f32 up to the last node, which does nothing but write it.
TEST(CudnnGraph, WidensTheResult) {
  KernelSpec spec = makeSpec(conv3x3, DType::F16);
  spec.results[0].type = DType::F32;
  addPostOpOf(spec, "binary_add", {8, 32, 28, 28});
  addPostOp(spec, "eltwise_relu");
  const std::string text = graphText(spec);
  for (const char *line :
       {"%5 = buffer 2: 1x32x1x1xf16\n", "%8 = 1\n",
        "%9 = buffer 4: 8x32x28x28xf32 strides [25088, 1, 896, 32]\n",
        "%2 = conv %0 %1\n%4 = add %2 %3\n%6 = add %4 %5\n%7 = relu %6\n"
        "%9 = mul %7 %8\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  // cuDNN compiles an engine anyhow, so the bias keeps its bits.
  spec.operands[2].type = DType::F32;
  EXPECT_NE(graphText(spec).find("buffer 2: 1x32x1x1xf32\n"),
            std::string::npos);
}

// Only to f32, and only what cuDNN has engines for.
TEST(CudnnGraph, RefusesOtherMixedTypes) {
  KernelSpec narrows = makeSpec(conv3x3, DType::F32);
  narrows.results[0].type = DType::BF16;
  EXPECT_EQ(whyNot(narrows),
            "expected a result of f32 or the type of the images 8x64x56x56xf32 "
            "strides [200704, 1, 3584, 64], found 8x32x28x28xbf16 strides "
            "[25088, 1, 896, 32]");
  KernelSpec other = makeSpec(conv3x3, DType::BF16);
  other.results[0].type = DType::F16;
  EXPECT_NE(whyNot(other).find("expected a result of f32 or the type of the "
                               "images"),
            std::string::npos);
  KernelSpec weights = makeSpec(conv3x3, DType::BF16);
  weights.operands[1].type = DType::F32;
  EXPECT_NE(whyNot(weights).find("expected images and weights of one type"),
            std::string::npos);
  KernelSpec depthwise = makeSpec(
      {{1, 8, 5, 5}, {8, 1, 1, 1}, {1, 8, 5, 5}, {}, {}, 8, false}, DType::F16);
  EXPECT_EQ(whyNot(depthwise), "");
  depthwise.results[0].type = DType::F32;
  EXPECT_EQ(whyNot(depthwise), "cuDNN does not write f32 behind convolutions "
                               "of single channels in f16");
}

// A post-op that is no ReLU becomes several nodes.
TEST(CudnnGraph, TakesPostOpsApart) {
  KernelSpec spec = makeSpec(conv3x3, DType::F16);
  addPostOp(spec, "eltwise_hardswish", 0.25, 0.5);
  addPostOp(spec, "eltwise_clip", -1, 6);
  addPostOp(spec, "eltwise_relu", 0.5);
  addPostOpOf(spec, "binary_mul", {32, 1, 1});
  addPostOpOf(spec, "binary_sub", {});
  const std::string text = graphText(spec);
  const std::string nodes =
      "%2 = conv %0 %1\n%4 = add %2 %3\n"
      "%6 = mul %4 %5\n%8 = add %6 %7\n%10 = max %8 %9\n%12 = min %10 %11\n"
      "%13 = mul %12 %4\n"
      "%15 = max %13 %14\n%17 = min %15 %16\n"
      "%19 = mul %17 %18\n%20 = max %19 %17\n"
      "%22 = mul %20 %21\n%24 = sub %22 %23\n";
  EXPECT_NE(text.find(nodes), std::string::npos) << text;
  for (const char *tensor :
       {"%5 = 0.25\n", "%7 = 0.5\n", "%9 = 0\n", "%11 = 1\n", "%14 = -1\n",
        "%16 = 6\n", "%18 = 0.5\n", "%21 = buffer 3: 1x32x1x1xf16\n",
        "%23 = buffer 4: 1x1x1x1xf16\n"})
    EXPECT_NE(text.find(tensor), std::string::npos) << tensor << text;
}

// Rows are images with a height of one.
TEST(CudnnGraph, GivesRowsAHeight) {
  KernelSpec spec =
      makeSpec({{2, 8, 20}, {4, 8, 3}, {2, 4, 10}, {2}, {1, 0}}, DType::F32);
  EXPECT_EQ(graphText(spec),
            "%0 = buffer 0: 2x8x1x20xf32 strides [160, 1, 160, 8]\n"
            "%1 = buffer 1: 4x8x1x3xf32 strides [24, 1, 24, 8]\n"
            "%3 = buffer 2: 1x4x1x1xf32\n"
            "%4 = buffer 3: 2x4x1x10xf32 strides [40, 1, 40, 4]\n"
            "%2 = conv %0 %1\n%4 = add %2 %3\n"
            "strides 1x2\ndilations 1x1\npads begin 0x1\npads end 0x0\n");
}

// The images of a transposed convolution are those that a convolution makes.
TEST(CudnnGraph, TransposesConvolutions) {
  KernelSpec spec = makeSpec({{1, 8, 5, 5},
                              {8, 4, 3, 3},
                              {1, 4, 10, 10},
                              {2, 2},
                              {1, 1, 0, 0},
                              1,
                              false},
                             DType::BF16);
  spec.name = "conv_transpose";
  EXPECT_NE(graphText(spec).find("%2 = conv_gradient %0 %1"),
            std::string::npos);
}

// cuDNN has no engines for other numbers of channels, except in f16.
TEST(CudnnGraph, TransposesOddChannelsAlone) {
  const auto refusal = [](DType type, DType result, int64_t channels,
                          int64_t groups, bool hasBias) {
    KernelSpec spec = makeSpec({{1, 8, 5, 5},
                                {8, channels / groups, 2, 2},
                                {1, channels, 10, 10},
                                {2, 2},
                                {},
                                groups,
                                hasBias},
                               type);
    spec.name = "conv_transpose";
    spec.results[0].type = result;
    return whyNot(spec);
  };
  EXPECT_EQ(refusal(DType::BF16, DType::BF16, 3, 1, true),
            "cuDNN takes a bias, post-ops or a cast behind a transposed "
            "convolution from bf16 to bf16 only with one group and even "
            "numbers of channels, found groups=1 and 8 and 3 channels");
  EXPECT_EQ(refusal(DType::BF16, DType::BF16, 3, 1, false), "");
  EXPECT_EQ(refusal(DType::BF16, DType::BF16, 4, 1, true), "");
  EXPECT_NE(refusal(DType::BF16, DType::BF16, 4, 2, true), "");
  EXPECT_EQ(refusal(DType::F16, DType::F16, 3, 1, true), "");
  EXPECT_NE(refusal(DType::F16, DType::F32, 3, 1, false), "");
  EXPECT_EQ(refusal(DType::F16, DType::F32, 4, 1, true), "");
}

TEST(CudnnGraph, TransposesStridesWithDilationsAlone) {
  KernelSpec spec = makeSpec(
      {{1, 4, 5, 5}, {4, 6, 2, 2}, {1, 6, 11, 11}, {2, 2}}, DType::BF16);
  spec.name = "conv_transpose";
  spec.attrs.set("dilations", std::vector<int64_t>{2, 2});
  EXPECT_EQ(whyNot(spec),
            "cuDNN takes no bias, post-ops or cast behind a transposed "
            "convolution from bf16 to bf16 with strides and dilations");
  spec.results[0] = imageOf(DType::BF16, {1, 6, 7, 7});
  spec.attrs.set("strides", std::vector<int64_t>{1, 1});
  EXPECT_EQ(whyNot(spec), "");
}

TEST(CudnnGraph, TransposesInThreeDimsAlone) {
  ConvCase conv = {
      {1, 4, 3, 3, 3}, {4, 6, 2, 2, 2}, {1, 6, 6, 6, 6}, {2, 2, 2}};
  for (DType type : {DType::F32, DType::BF16, DType::F16}) {
    conv.hasBias = false;
    KernelSpec alone = makeSpec(conv, type);
    alone.name = "conv_transpose";
    EXPECT_EQ(whyNot(alone), "");
    conv.hasBias = true;
    KernelSpec biased = makeSpec(conv, type);
    biased.name = "conv_transpose";
    EXPECT_EQ(whyNot(biased),
              "cuDNN takes no bias, post-ops or cast behind a transposed "
              "convolution with three spatial dims");
  }
}

// For some windows with three spatial dims, cuDNN has no engine.
TEST(CudnnGraph, RefusesThreeDimsWithoutEngine) {
  const auto refusal = [](const char *name, const ConvCase &conv, DType type) {
    KernelSpec spec = makeSpec(conv, type);
    spec.name = name;
    return whyNot(spec);
  };
  EXPECT_EQ(refusal("conv_transpose",
                    {{1, 4, 3, 3, 3},
                     {4, 6, 4, 4, 4},
                     {1, 6, 6, 6, 6},
                     {2, 2, 2},
                     {1, 1, 1, 1, 1, 1},
                     1,
                     false},
                    DType::BF16),
            "cuDNN takes transposed convolutions with windows of at most 32 "
            "cells in three spatial dims, found 4x6x4x4x4xbf16");
  const ConvCase padded = {{1, 4, 3, 3, 3},
                           {4, 6, 3, 3, 3},
                           {1, 6, 5, 3, 5},
                           {1, 2, 1},
                           {0, 2, 0, 0, 2, 0},
                           1,
                           false};
  EXPECT_EQ(refusal("conv_transpose", padded, DType::F32),
            "cuDNN takes transposed convolutions in f32 with three spatial "
            "dims only with a step of 1 or a pad of at most 1 along the second "
            "one, found strides 1x2x1 and pads 0x2x0");
  EXPECT_EQ(refusal("conv_transpose", padded, DType::F16), "");
  const ConvCase grouped = {
      {1, 4, 3, 3, 3}, {4, 2, 1, 1, 1}, {1, 4, 3, 3, 3}, {}, {}, 2, false};
  for (const char *name : {"conv", "conv_transpose"}) {
    EXPECT_EQ(refusal(name, grouped, DType::F16),
              "cuDNN takes convolutions in groups with three spatial dims only "
              "in f32");
    EXPECT_EQ(refusal(name, grouped, DType::F32), "");
  }
}

// In f32, only what cuDNN has engines for is fused.
TEST(CudnnGraph, LeavesPostOpsInF32Apart) {
  KernelSpec relu = makeSpec(conv3x3, DType::F32);
  addPostOp(relu, "eltwise_relu");
  EXPECT_EQ(whyNot(relu), "");
  KernelSpec residual = makeSpec(conv3x3, DType::F32);
  addPostOpOf(residual, "binary_add", {8, 32, 28, 28});
  addPostOp(residual, "eltwise_relu");
  EXPECT_EQ(whyNot(residual), "");
  addPostOp(residual, "eltwise_tanh");
  EXPECT_EQ(whyNot(residual),
            "cuDNN is slow to compute the post-op 'eltwise_tanh' there in f32");
  KernelSpec leaky = makeSpec(conv3x3, DType::F32);
  addPostOp(leaky, "eltwise_relu", 0.1);
  EXPECT_NE(whyNot(leaky), "");
  ConvCase plain = conv3x3;
  plain.hasBias = false;
  KernelSpec bare = makeSpec(plain, DType::F32);
  EXPECT_EQ(whyNot(bare), "");
  addPostOp(bare, "eltwise_relu");
  EXPECT_NE(whyNot(bare), "");
}

// A convolution of single channels fuses nothing.
TEST(CudnnGraph, KeepsDepthwiseConvolutionsAlone) {
  ConvCase depthwise = {{1, 96, 56, 56},
                        {96, 1, 3, 3},
                        {1, 96, 56, 56},
                        {},
                        {1, 1, 1, 1},
                        96,
                        false};
  EXPECT_EQ(whyNot(makeSpec(depthwise, DType::BF16)), "");
  depthwise.hasBias = true;
  EXPECT_EQ(whyNot(makeSpec(depthwise, DType::BF16)),
            "cuDNN is slow to add a bias or post-ops to convolutions of single "
            "channels");
}

// Whatever an artifact says, the answer is an error that says what is wrong.
TEST(CudnnGraph, RefusesWhatDoesNotFit) {
  const auto refusal = [](const std::function<void(KernelSpec &)> &change) {
    KernelSpec spec = makeSpec(conv3x3, DType::BF16);
    change(spec);
    return whyNot(spec);
  };
  using Ints = std::vector<int64_t>;
  EXPECT_EQ(refusal([](KernelSpec &spec) { spec.operands.resize(1); }),
            "expected images, weights and one result");
  EXPECT_EQ(
      refusal([](KernelSpec &spec) {
        spec.operands[0] = TensorDesc::rowMajor(DType::BF16, {8, 64, 56, 56});
      }),
      "expected images whose channels are last in memory, found "
      "8x64x56x56xbf16");
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              spec.attrs.set("strides", Ints{0, 1});
            }),
            "expected 2 strides from 1 on, found 0, 1");
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              spec.attrs.set("strides", Ints{1, 2});
            }),
            "windows of 3 on 56 cells do not have 28 positions along spatial "
            "dim 0");
  EXPECT_EQ(
      refusal([](KernelSpec &spec) { spec.attrs.set("groups", Ints{3}); }),
      "images 8x64x56x56 and 8x32x28x28 and weights 32x64x3x3 do not fit "
      "3 groups");
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              for (int i = 0; i < 100; ++i)
                addPostOp(spec, "eltwise_tanh");
            }),
            "it has too many post-ops for one launch");
  EXPECT_EQ(refusal([](KernelSpec &spec) { addPostOp(spec, "eltwise_pow"); }),
            "cuDNN does not compute the post-op 'eltwise_pow'");
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              spec.postOps.push_back({"binary_add", 0, 0, 7});
            }),
            "post-op 'binary_add' has no operand 7");
  EXPECT_EQ(
      refusal([](KernelSpec &spec) { addPostOpOf(spec, "binary_add", {28}); }),
      "expected a post-op's operand with one element, one per channel or "
      "the layout of the result 8x32x28x28xbf16 strides [25088, 1, 896, 32], "
      "found 28xbf16");
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              spec.operands[2] = TensorDesc::rowMajor(DType::BF16, {31});
            }),
            "expected a bias of 32 elements of bf16 or f32, found 31xbf16");
  EXPECT_EQ(refusal([](KernelSpec &spec) {
              spec.operands[0] = imageOf(DType::BF16, {1, 21846, 3, 3});
              spec.operands[1] =
                  TensorDesc::rowMajor(DType::BF16, {65536, 21846, 3, 3});
              spec.results[0] = imageOf(DType::BF16, {1, 65536, 1, 1});
            }),
            "expected row-major weights of at most 4294967295 elements, found "
            "65536x21846x3x3xbf16");
}

// A row without a kernel would be an error at load.
TEST(CudnnGraph, HasTheKernelsOfItsRows) {
  for (const OpKernelRow &row : cudnnRows())
    EXPECT_NE(findKernel(cudnnKernels(), row.row.kernel), nullptr)
        << row.row.kernel;
}

} // namespace
