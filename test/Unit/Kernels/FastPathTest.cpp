//===- FastPathTest.cpp - Which implementation oneDNN chooses ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// oneDNN has many implementations of a convolution, some of them a hundred
// times slower than others, and it does not report when it chooses a slow one.
// This test ensures that the shapes of common networks, channels-last as the
// compiler lays them out, get generated code.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::test;

namespace {
struct Convolution {
  std::string name;
  Dims input, weights, result;
  int64_t groups = 1;
  Dims strides = {}, dilations = {}, pads = {};
  bool transposed = false;
};
} // namespace

static const Convolution convolutions[] = {
    {"first, 3 channels",
     {1, 3, 64, 64},
     {32, 3, 7, 7},
     {1, 32, 32, 32},
     1,
     {2, 2},
     {},
     {3, 3, 3, 3}},
    {"one channel", {1, 1, 28, 28}, {32, 1, 3, 3}, {1, 32, 26, 26}},
    {"3x3",
     {1, 64, 28, 28},
     {64, 64, 3, 3},
     {1, 64, 28, 28},
     1,
     {},
     {},
     {1, 1, 1, 1}},
    {"3x3 with a stride",
     {1, 64, 28, 28},
     {128, 64, 3, 3},
     {1, 128, 14, 14},
     1,
     {2, 2},
     {},
     {1, 1, 1, 1}},
    {"1x1", {1, 256, 14, 14}, {64, 256, 1, 1}, {1, 64, 14, 14}},
    {"1x1 with a stride",
     {1, 256, 14, 14},
     {512, 256, 1, 1},
     {1, 512, 7, 7},
     1,
     {2, 2}},
    {"1x1 of odd channels", {1, 120, 14, 14}, {27, 120, 1, 1}, {1, 27, 14, 14}},
    {"depthwise",
     {1, 96, 28, 28},
     {96, 1, 3, 3},
     {1, 96, 28, 28},
     96,
     {},
     {},
     {1, 1, 1, 1}},
    {"depthwise with a stride",
     {1, 144, 28, 28},
     {144, 1, 3, 3},
     {1, 144, 14, 14},
     144,
     {2, 2},
     {},
     {1, 1, 1, 1}},
    {"depthwise 5x5 of odd channels",
     {1, 60, 28, 28},
     {60, 1, 5, 5},
     {1, 60, 28, 28},
     60,
     {},
     {},
     {2, 2, 2, 2}},
    {"in groups of few",
     {1, 112, 28, 28},
     {112, 28, 1, 1},
     {1, 112, 28, 28},
     4},
    {"in groups of 32",
     {1, 128, 28, 28},
     {128, 32, 3, 3},
     {1, 128, 28, 28},
     4,
     {},
     {},
     {1, 1, 1, 1}},
    {"dilated",
     {1, 64, 28, 28},
     {64, 64, 3, 3},
     {1, 64, 28, 28},
     1,
     {},
     {2, 2},
     {2, 2, 2, 2}},
    {"long and thin", {1, 16, 8, 64}, {24, 16, 1, 5}, {1, 24, 8, 60}},
    {"a column", {1, 256, 64, 1}, {512, 256, 5, 1}, {1, 512, 60, 1}},
    {"a sequence", {1, 256, 64}, {512, 256, 5}, {1, 512, 60}},
    {"depthwise over a sequence", {1, 96, 64}, {96, 1, 31}, {1, 96, 34}, 96},
    {"transposed over a column",
     {1, 32, 14, 1},
     {32, 16, 3, 1},
     {1, 16, 29, 1},
     1,
     {2, 1},
     {},
     {},
     true},
    {"transposed 2x2",
     {1, 24, 40, 40},
     {24, 24, 2, 2},
     {1, 24, 80, 80},
     1,
     {2, 2},
     {},
     {},
     true},
    {"transposed 3x3",
     {1, 32, 14, 14},
     {32, 16, 3, 3},
     {1, 16, 29, 29},
     1,
     {2, 2},
     {},
     {},
     true},
    {"transposed to one channel",
     {1, 24, 80, 80},
     {24, 1, 2, 2},
     {1, 1, 160, 160},
     1,
     {2, 2},
     {},
     {},
     true},
};

static std::string implementationOf(const Convolution &c, DType type) {
  KernelTester tester(c.transposed ? "conv_transpose" : "conv");
  tester.attr("groups", Dims{c.groups}).attr("strides", c.strides);
  tester.attr("dilations", c.dilations);
  if (!c.pads.empty())
    tester.attr("pads", c.pads);
  tester.operand(channelsLast(type, c.input), Array(c.input));
  tester.constant(rowMajor(type, c.weights), Array(c.weights));
  tester.operand(rowMajor(type, {c.result[1]}), Array({c.result[1]}));
  tester.result(channelsLast(type, c.result));
  tester.postOp("eltwise_relu", 0, 0);
  StatusOr<std::unique_ptr<Kernel>> kernel = tester.prepare();
  if (!kernel.isOk())
    return std::string(kernel.status().message());
  EXPECT_FALSE((*kernel)->runsScalarCode()) << c.name;
  return (*kernel)->implementation();
}

/// A column, and a sequence, are no slower than the row that has their bytes.
static void expectRows(DType type) {
  for (int64_t groups : {1, 256}) {
    const int64_t inputs = 256 / groups;
    const Convolution row{
        "row", {1, 256, 1, 64}, {256, inputs, 1, 5}, {1, 256, 1, 60}, groups};
    const Convolution column{"column",
                             {1, 256, 64, 1},
                             {256, inputs, 5, 1},
                             {1, 256, 60, 1},
                             groups};
    const Convolution sequence{
        "sequence", {1, 256, 64}, {256, inputs, 5}, {1, 256, 60}, groups};
    EXPECT_EQ(implementationOf(column, type), implementationOf(row, type));
    EXPECT_EQ(implementationOf(sequence, type), implementationOf(row, type));
  }
}

TEST(FastPath, ColumnsAndSequencesAreRows) {
  expectRows(DType::F32);
  if (__builtin_cpu_supports("avx512bf16"))
    expectRows(DType::BF16);
}

static void expectGenerated(DType type) {
  for (const Convolution &c : convolutions) {
    std::string implementation = implementationOf(c, type);
    // brgconv:avx512_core, brdgmm_dw:..., jit_dw:..., conv:any+jit:...
    bool isGenerated = false;
    for (std::string_view name : {"brg", "brdgmm", "jit", "winograd"})
      isGenerated |= implementation.find(name) != std::string::npos;
    EXPECT_TRUE(isGenerated) << c.name << ": " << implementation;
    // One primitive: no copy between layouts around it.
    EXPECT_EQ(implementation.find(','), std::string::npos)
        << c.name << ": " << implementation;
  }
}

TEST(FastPath, ConvolutionsOfF32AreGenerated) {
  if (!__builtin_cpu_supports("avx512f"))
    GTEST_SKIP() << "the fast paths are for AVX-512";
  expectGenerated(DType::F32);
}

TEST(FastPath, ConvolutionsOfBF16AreGenerated) {
  if (!__builtin_cpu_supports("avx512bf16"))
    GTEST_SKIP() << "the fast paths are for AVX-512 with bf16";
  expectGenerated(DType::BF16);
}
