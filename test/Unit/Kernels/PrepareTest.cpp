//===- PrepareTest.cpp - What prepare refuses and packs -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include "weir/Runtime/KernelTable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

using namespace weir;
using namespace weir::test;

static std::string messageOf(KernelTester tester) {
  StatusOr<std::unique_ptr<Kernel>> kernel = tester.prepare();
  return kernel ? "" : std::string(kernel.status().message());
}

static KernelTester matmul(DType type, Dims lhs, Dims rhs, Dims result) {
  KernelTester tester("matmul");
  tester.operand(rowMajor(type, lhs), Array(lhs))
      .operand(rowMajor(type, rhs), Array(rhs))
      .result(rowMajor(type, result));
  return tester;
}

// The table is ordered by name, which look-ups rely on.
TEST(KernelTable, IsOrdered) {
  std::span<const KernelTableEntry> table = cpuKernels();
  EXPECT_TRUE(std::is_sorted(
      table.begin(), table.end(),
      [](const auto &a, const auto &b) { return a.name < b.name; }));
}

// A refusal names the kernel, its shapes, what was expected and what was found.
TEST(Prepare, NamesWhatIsWrong) {
  EXPECT_EQ(messageOf(matmul(DType::I64, {2, 3}, {3, 4}, {2, 4})),
            "kernel 'matmul' of (2x3xi64, 3x4xi64) to (2x4xi64): expected "
            "operands and result of type f32, bf16 or f16, found i64");
  std::string shapes = messageOf(matmul(DType::F32, {2, 3}, {5, 4}, {2, 4}));
  EXPECT_NE(shapes.find("kernel 'matmul' of (2x3xf32, 5x4xf32)"),
            std::string::npos);
  EXPECT_NE(shapes.find("oneDNN refused the shapes or attributes when it tried "
                        "to create a primitive descriptor for a matmul "
                        "primitive; expected operand, result and attributes "
                        "that agree"),
            std::string::npos)
      << shapes;

  KernelTester unknown("eltwise");
  unknown.attr("algorithm", std::string("eltwise_frob"))
      .operand(rowMajor(DType::F32, {2}), Array({2}))
      .result(rowMajor(DType::F32, {2}));
  EXPECT_NE(messageOf(unknown).find("unknown algorithm 'eltwise_frob', "
                                    "expected one of eltwise_abs"),
            std::string::npos);

  KernelTester integers("binary");
  integers.attr("algorithm", std::string("binary_add"))
      .operand(rowMajor(DType::I32, {2}), Array({2}))
      .operand(rowMajor(DType::I32, {2}), Array({2}))
      .result(rowMajor(DType::I32, {2}));
  EXPECT_NE(messageOf(integers).find("found i32"), std::string::npos);

  KernelTester pads("conv");
  pads.attr("pads", Dims{1, 1, 1})
      .operand(rowMajor(DType::F32, {1, 1, 4, 4}), Array({1, 1, 4, 4}))
      .operand(rowMajor(DType::F32, {1, 1, 3, 3}), Array({1, 1, 3, 3}))
      .result(rowMajor(DType::F32, {1, 1, 2, 2}));
  EXPECT_NE(messageOf(pads).find("expected 4 numbers in attribute 'pads', "
                                 "found 3"),
            std::string::npos);
}

namespace {
/// A launch that a kernel must refuse, and what it must say.
struct Refusal {
  const char *kernel;
  std::vector<Dims> operands;
  Dims result;
  AttrMap attrs;
  const char *said;
};

AttrMap ints(std::initializer_list<std::pair<const char *, Dims>> values) {
  AttrMap attrs;
  for (const auto &[name, value] : values)
    attrs.set(name, value);
  return attrs;
}

AttrMap algorithm(const char *name) {
  AttrMap attrs;
  attrs.set("algorithm", std::string(name));
  return attrs;
}

AttrMap expression(const char *spec, const char *text) {
  AttrMap attrs;
  attrs.set("spec", std::string(spec));
  attrs.set("expression", std::string(text));
  attrs.set("combiner", std::string("none"));
  return attrs;
}

constexpr int64_t huge = int64_t(1) << 62;
const Dims image{1, 2, 8, 8}, smaller{1, 2, 6, 6};

/// What a damaged artifact can ask for; none may crash, hang or allocate for
/// ever.
const Refusal refusals[] = {
    {"average_pool",
     {image},
     {1, 2, 6, 6},
     ints({{"kernel_shape", {huge, 2}}}),
     "expected windows of size from 1 to 8192"},
    {"average_pool",
     {image},
     {1, 2, 6, 6},
     ints({{"kernel_shape", {2, 2}}, {"dilations", {1, 2}}}),
     "expected windows without dilation"},
    {"batch_norm",
     {image, {2}, {2}, {2}, {3}},
     image,
     {},
     "expected operand 4 of shape [2]"},
    {"batch_norm_gradient",
     {{2, 3}, {2, 4}, {3}, {3}, {3}},
     {2, 3},
     {},
     "expected 3 results, found 1"},
    {"batch_norm_training",
     {{2, 3}, {3}},
     {2, 3},
     {},
     "expected at least 3 operands, found 2"},
    {"binary",
     {{2}, {2}, {2}},
     {2},
     algorithm("binary_add"),
     "operand 2 is read neither by the kernel"},
    {"conv",
     {image, {2, 2, 0, 3}},
     {1, 2, 6, 6},
     {},
     "expected windows of size from 1 to 8192, found 0"},
    {"conv",
     {image, {2, 2, 3, 3}},
     smaller,
     ints({{"dilations", {huge, 1}}}),
     "attribute 'dilations'"},
    {"conv_weight_gradient",
     {image, {2, 3, 6, 6}},
     {3, 2, 3, 3},
     {},
     "expected as many images in both operands, found 1 and 2"},
    {"conv_weight_gradient",
     {image, {1, 3, 6, 6}},
     {3, 1, 3, 3},
     ints({{"groups", {4}}}),
     "expected weights for 2 channels in 4 groups of input and 3 of gradient, "
     "found 3x1x3x3"},
    {"conv_weight_gradient",
     {image, {1, 3, 60, 6}},
     {3, 2, 3, 3},
     {},
     "expected 60 positions along spatial dim 0 to lie in the input of 8 "
     "cells"},
    {"max_pool_gradient",
     {smaller, smaller},
     image,
     ints({{"kernel_shape", {3, 3}}}),
     "expected taps of ui8 or i32, found"},
    {"max_pool_training",
     {image},
     smaller,
     ints({{"kernel_shape", {3, 3}}}),
     "expected a second result of ui8 or i32"},
    {"conv_transpose",
     {image, {2, 1, 3, 3}},
     {1, 1, 10, 10},
     ints({{"strides", {huge, 1}}}),
     "attribute 'strides'"},
    {"eltwise", {{2}}, {3}, algorithm("eltwise_relu"), "broadcast"},
    {"generated", {{2}}, {2}, {}, "only sessions can run generated code"},
    {"global_average_pool", {image}, smaller, {}, "dims of size 1"},
    {"global_max_pool", {image}, {1, 3, 1, 1}, {}, "batch and channels"},
    {"inverse_index",
     {{3}},
     {5},
     ints({{"axis", {5}}}),
     "expected an axis from -1 to 0, found 5"},
    {"inverse_index",
     {{3}},
     {5, 1},
     {},
     "expected a result of 1 dims, found 2"},
    {"layer_norm",
     {{2, 3}, {4}},
     {2, 3},
     {},
     "expected operand 1 of shape [3], found [4]"},
    {"linear",
     {{4, 4}, {4, 4}},
     {},
     {},
     "expected a result of rank 2, found 0"},
    {"linear",
     {{2, 4, 4}, {4, 4}},
     {4},
     {},
     "expected a result of rank 3, found 1"},
    {"log_softmax",
     {{2, 3}},
     {2, 3},
     ints({{"axis", {2}}}),
     "expected an axis from -2 to 1, found 2"},
    {"lrn",
     {image},
     image,
     ints({{"size", {0}}}),
     "expected windows of size from 1 to 8192, found 0"},
    {"matmul", {{4}, {4}}, {3}, {}, "expected a result of rank 0, found 1"},
    {"matmul", {{4}, {4, 4}}, {}, {}, "expected a result of rank 1, found 0"},
    {"max_pool",
     {image},
     {1, 4000, 6, 6},
     ints({{"kernel_shape", {2, 2}}}),
     "batch and channels"},
    {"max_pool",
     {image},
     smaller,
     ints({{"kernel_shape", {0, 2}}}),
     "expected windows of size from 1 to 8192, found 0"},
    {"max_pool",
     {image},
     smaller,
     ints({{"kernel_shape", {2, 2}}, {"pads", {huge, 0, 0, 0}}}),
     "attribute 'pads'"},
    {"max_pool",
     {image},
     smaller,
     ints({{"kernel_shape", {2, 2}}, {"strides", {1, 1 << 13}}}),
     "along spatial dim 1, the last one begins at 40960"},
    {"reduction",
     {{2, 3}},
     {2},
     algorithm("reduction_sum"),
     "expected a result with the dims that remain"},
    {"reference", {{2}}, {3}, expression("...->...", "a"), "the result is"},
    {"reorder", {{2}, {2}}, {2}, {}, "operand 1 is read neither"},
    {"scatter",
     {{1, 2, 3}, {2}, {1, 4, 3}},
     {1, 4, 3},
     algorithm("scatter_sum"),
     "expected indices of integers, found f32"},
    {"softmax", {{2, 3}}, {3, 2}, {}, "of the operand's shape"},
    {"top_k", {{3}}, {2}, {}, "expected a row-major operand and positions"},
    {"top_k", {{}}, {}, {}, "operand 0 is a scalar, which has no axis -1"},
    {"top_k",
     {{3}},
     {2},
     ints({{"axis", {1}}}),
     "expected an axis from -1 to 0, found 1"},
};
} // namespace

// Every kernel of the table refuses what it cannot do, in words that tell why.
TEST(Prepare, RefusesInEveryKernel) {
  std::set<std::string_view> missing;
  for (const KernelTableEntry &row : cpuKernels())
    missing.insert(row.name);
  for (const Refusal &refusal : refusals) {
    SCOPED_TRACE(refusal.kernel);
    KernelTester tester(refusal.kernel);
    for (const Dims &dims : refusal.operands)
      tester.operand(rowMajor(DType::F32, dims), Array(dims));
    tester.result(rowMajor(DType::F32, refusal.result));
    tester.spec.attrs = refusal.attrs;
    const std::string message = messageOf(tester);
    EXPECT_NE(message.find(refusal.said), std::string::npos) << message;
    missing.erase(refusal.kernel);
  }
  for (std::string_view name : missing)
    ADD_FAILURE() << "no refusal of kernel '" << name << "' is tested";
}

namespace {
/// Shapes of a convolution of channels-last images by constant weights that do
/// not fit together.
struct Misfit {
  const char *kernel;
  Dims input, weights, result;
  AttrMap attrs;
  const char *said;
};

const Misfit misfits[] = {
    {"conv",
     {1, 64, 64, 64},
     {64, 16, 3, 3},
     {1, 64, 64, 64},
     ints({{"pads", {1, 1, 1, 1}}}),
     "expected weights for 64 channels of the input, found 16 in dim 1"},
    {"conv",
     {1, 64, 64, 64},
     {8, 64, 3, 3},
     {1, 64, 64, 64},
     ints({{"pads", {1, 1, 1, 1}}}),
     "expected weights for 64 channels of the result, found 8 in dim 0"},
    {"conv",
     {4, 64, 64, 64},
     {64, 64, 3, 3},
     {1, 64, 64, 64},
     ints({{"pads", {1, 1, 1, 1}}}),
     "expected as many images in input and result, found 4 and 1"},
    {"conv",
     {1, 64, 64, 64},
     {64, 64, 3, 3},
     {1, 64, 64, 80},
     ints({{"pads", {1, 1, 1, 1}}}),
     "expected windows with 80 positions along spatial dim 1, found 64"},
    {"conv",
     {1, 64, 9, 9},
     {64, 64, 3, 3},
     {1, 64, 4, 3},
     ints({{"strides", {2, 2}}}),
     "expected windows with 3 positions along spatial dim 1, found 4"},
    {"conv",
     {1, 8, 8, 8},
     {8, 8, 3, 3},
     {1, 8, 6, 6},
     ints({{"groups", {2}}}),
     "expected weights for 8 channels of the input, found 8 in dim 1 of each "
     "group"},
    {"conv_transpose",
     {1, 16, 64, 64},
     {64, 16, 2, 2},
     {1, 16, 128, 128},
     ints({{"strides", {2, 2}}}),
     "expected weights for 16 channels of the input, found 64 in dim 0"},
    {"conv_transpose",
     {1, 16, 64, 64},
     {16, 32, 2, 2},
     {1, 16, 128, 128},
     ints({{"strides", {2, 2}}}),
     "expected weights for 16 channels of the result, found 32 in dim 1"},
    {"conv_transpose",
     {2, 16, 64, 64},
     {16, 16, 2, 2},
     {1, 16, 128, 128},
     ints({{"strides", {2, 2}}}),
     "expected as many images in input and result, found 2 and 1"},
    {"conv_transpose",
     {1, 16, 2, 2},
     {16, 16, 1, 1},
     {1, 16, 5, 3},
     ints({{"strides", {2, 2}}}),
     "expected at most 1 cells of spatial dim 0 behind the last window, found "
     "2"},
};
} // namespace

// Convolutions with code of our own compute addresses from the dims, which the
// library does not see: all must agree.
TEST(Prepare, RefusesImagesThatDoNotFit) {
  for (const Misfit &misfit : misfits) {
    KernelTester tester(misfit.kernel);
    tester.operand(channelsLast(DType::F32, misfit.input), Array(misfit.input))
        .constant(rowMajor(DType::F32, misfit.weights), Array(misfit.weights))
        .result(channelsLast(DType::F32, misfit.result));
    tester.spec.attrs = misfit.attrs;
    const std::string message = messageOf(tester);
    EXPECT_NE(message.find(misfit.said), std::string::npos) << message;
  }
}

// A kernel's check, which the compiler calls, gives the same answer as
// `prepare`, in the same words, below, at and above a limit.
TEST(Check, AgreesWithPrepare) {
  const KernelTableEntry *conv = findKernel(cpuKernels(), "conv");
  constexpr int64_t most = int64_t(1) << 13;
  for (int64_t stride : {most - 1, most, most + 1}) {
    KernelTester tester("conv");
    tester.operand(rowMajor(DType::F32, image), Array(image))
        .operand(rowMajor(DType::F32, {2, 2, 8, 8}), Array({2, 2, 8, 8}))
        .result(rowMajor(DType::F32, {1, 2, 1, 1}))
        .attr("strides", Dims{1, stride});
    const Status checked = conv->check(tester.spec);
    EXPECT_EQ(checked.isOk(), stride <= most);
    EXPECT_NE(messageOf(tester).find(checked.message()), std::string::npos);
  }
}

namespace {
/// A launch that the library cannot count, and what its kernel says.
struct LargeLaunch {
  const char *kernel;
  std::vector<Dims> operands;
  Dims result;
  const char *said;
};
} // namespace

static const std::vector<LargeLaunch> &getLargeLaunches() {
  constexpr int64_t k = 1024, m = k * k;
  static const std::vector<LargeLaunch> launches = {
      {"linear",
       {{4, 4096 * m}, {16, 4096 * m}},
       {4, 16},
       "expected dims of at most 268435456, found 4294967296"},
      {"matmul",
       {{4096, m, 4}, {4, 4}},
       {4096, m, 4},
       "expected rows of at most 2147483647 elements, found 4294967296"},
      {"eltwise", {{512 * m}}, {512 * m}, "expected dims of at most"},
      {"conv",
       {{1, 8, 64 * k, 64 * k}, {8, 8, 1, 1}},
       {1, 8, 64 * k, 64 * k},
       "expected images of at most 2147483647 elements, found 34359738368"},
      {"conv",
       {{1, 1, 1, 2 * m + 2}, {1, 1, 1, 3}},
       {1, 1, 1, 2 * m},
       "expected images of up to 1048576 cells along dims in which windows "
       "have several, found 2097154"},
      {"conv_transpose",
       {{1, m, 8}, {m, m, 1}},
       {1, m, 8},
       "expected weights of at most 2147483647 elements"},
      {"global_max_pool",
       {{1, 64, 8 * k, 8 * k}},
       {1, 64, 1, 1},
       "expected images of at most 2147483647 elements"},
      {"lrn",
       {{1, 64, 8 * k, 8 * k}},
       {1, 64, 8 * k, 8 * k},
       "expected images of at most 2147483647 elements"},
      {"layer_norm",
       {{2, 2 * m}, {2 * m}},
       {2, 2 * m},
       "expected rows of at most 1048576 elements, found 2097152"},
      {"softmax",
       {{128 * m, 128 * m}},
       {128 * m, 128 * m},
       "expected tensors of at most 140737488355328 bytes"},
  };
  return launches;
}

// The library has sizes in numbers of 32 bits, and would divide by products
// that overflow to zero. What it cannot count is known before it is asked.
TEST(Check, RefusesWhatTheLibraryCannotCount) {
  for (const LargeLaunch &large : getLargeLaunches()) {
    KernelSpec spec;
    spec.name = large.kernel;
    for (const Dims &dims : large.operands)
      spec.operands.push_back(rowMajor(DType::F32, dims));
    spec.results.push_back(rowMajor(DType::F32, large.result));
    spec.attrs.set("algorithm", std::string("eltwise_relu"));
    spec.attrs.set("size", Dims{3});
    const Status checked = findKernel(cpuKernels(), spec.name)->check(spec);
    EXPECT_EQ(checked.code(), StatusCode::Unimplemented);
    EXPECT_NE(checked.message().find(large.said), std::string_view::npos)
        << large.kernel << ": " << checked.message();
  }
}

// Pooling keeps the element type.
TEST(Prepare, RefusesPoolingBetweenTypes) {
  KernelTester tester("max_pool");
  tester.operand(rowMajor(DType::BF16, image), Array(image))
      .result(rowMajor(DType::F32, smaller))
      .attr("kernel_shape", Dims{2, 2});
  EXPECT_NE(messageOf(tester).find("with the type"), std::string::npos);
}

// The gradient of a pool needs taps of the shape of what arrives, and windows
// that fit the image.
TEST(Prepare, RefusesMisfitTaps) {
  const std::tuple<Dims, Dims, Dims, const char *> misfits[] = {
      {{1, 2, 6, 5},
       {3, 3},
       {1, 1},
       "expected gradient and taps of one shape, and a result with as many "
       "images and channels, found 1x2x6x6, 1x2x6x5 and 1x2x8x8"},
      {smaller,
       {3},
       {1, 1},
       "expected 2 numbers in attribute 'kernel_shape', found 1"},
      {smaller,
       {int64_t(1) << 40, 3},
       {1, 1},
       "expected windows of size from 1 to 8192"},
      {smaller,
       {2, 2},
       {2, 2},
       "expected windows without gaps, found dilation 2"},
      {smaller, {3, 3}, {1, 1}, ""}};
  for (const auto &[taps, kernel, dilations, said] : misfits) {
    KernelTester tester("max_pool_gradient");
    tester.operand(rowMajor(DType::F32, smaller), Array(smaller))
        .operand(rowMajor(DType::U8, taps), Array(taps))
        .result(rowMajor(DType::F32, image))
        .attr("kernel_shape", kernel)
        .attr("dilations", dilations);
    const std::string message = messageOf(tester);
    EXPECT_EQ(message.empty(), *said == 0) << message;
    EXPECT_NE(message.find(said), std::string::npos) << message;
  }
}

// A copy has no post-ops; one that is there is not dropped.
TEST(Prepare, RefusesPostOpsOnACopy) {
  KernelTester tester("reorder");
  tester.operand(rowMajor(DType::F32, {4}), Array({4}))
      .result(rowMajor(DType::F32, {4}))
      .postOp("eltwise_relu", 0, 0);
  EXPECT_NE(messageOf(tester).find("expected no post-op on a copy, found "
                                   "'eltwise_relu'"),
            std::string::npos);
}

// Without elements there is nothing to do, and nothing is done.
TEST(Prepare, AcceptsEmptyResults) {
  EXPECT_EQ(matmul(DType::F32, {0, 3}, {3, 4}, {0, 4}).run().values.size(), 0u);
  KernelTester("reorder")
      .operand(rowMajor(DType::F32, {0, 3}), Array({0, 3}))
      .result(rowMajor(DType::I64, {0, 3}))
      .run();
}

// One team size, one sequence of bits: a product large enough to be split over
// threads gives equal bits in 20 runs.
TEST(Run, RepeatsItsBits) {
  Dims dims{160, 700}, other{700, 90};
  KernelTester tester("matmul");
  tester.threads(2)
      .operand(rowMajor(DType::F32, dims), patterned(dims, 1))
      .operand(rowMajor(DType::F32, other), patterned(other, 2))
      .result(rowMajor(DType::F32, {160, 90}));
  Array first = tester.run();
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(tester.run().values, first.values);
}
