//===- ConvolutionTest.cpp - conv and conv_transpose -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

using namespace weir;
using namespace weir::test;

namespace {
/// A convolution's shapes and attributes; empty attributes are the defaults.
struct Case {
  Dims input;
  Dims weights;
  int64_t groups = 1;
  Dims strides = {};
  Dims dilations = {};
  Dims pads = {};
  Dims outputPadding = {};
};
} // namespace

static int64_t or1(const Dims &values, size_t i) {
  return values.empty() ? 1 : values[i];
}
static int64_t or0(const Dims &values, size_t i) {
  return values.empty() ? 0 : values[i];
}

static Array convolve(const Case &c, const Array &x, const Array &w) {
  size_t spatial = c.input.size() - 2;
  int64_t outputs = c.weights[0] / c.groups, inputs = c.weights[1];
  Dims dims{c.input[0], c.weights[0]};
  for (size_t i = 0; i < spatial; ++i) {
    int64_t extent = (c.weights[i + 2] - 1) * or1(c.dilations, i) + 1;
    int64_t padded = c.input[i + 2] + or0(c.pads, i) + or0(c.pads, i + spatial);
    dims.push_back((padded - extent) / or1(c.strides, i) + 1);
  }
  Dims window(c.weights.begin() + 2, c.weights.end());
  return computed(dims, [&](const Dims &o) {
    double sum = 0;
    for (int64_t channel = 0; channel < inputs; ++channel)
      forEachIndex(window, [&](const Dims &k) {
        Dims at{o[0], o[1] / outputs * inputs + channel};
        Dims weight{o[1], channel};
        for (size_t i = 0; i < spatial; ++i) {
          int64_t cell = o[i + 2] * or1(c.strides, i) - or0(c.pads, i) +
                         k[i] * or1(c.dilations, i);
          if (cell < 0 || cell >= c.input[i + 2])
            return;
          at.push_back(cell);
          weight.push_back(k[i]);
        }
        sum += x.at(at) * w.at(weight);
      });
    return sum;
  });
}

/// Every input cell adds its weighted window to the output.
static Array scatter(const Case &c, const Array &x, const Array &w) {
  size_t spatial = c.input.size() - 2;
  int64_t inputs = c.weights[0] / c.groups, outputs = c.weights[1];
  Dims dims{c.input[0], outputs * c.groups};
  for (size_t i = 0; i < spatial; ++i)
    dims.push_back((c.input[i + 2] - 1) * or1(c.strides, i) +
                   or0(c.outputPadding, i) +
                   (c.weights[i + 2] - 1) * or1(c.dilations, i) + 1 -
                   or0(c.pads, i) - or0(c.pads, i + spatial));
  Array result(dims);
  forEachIndex(c.input, [&](const Dims &from) {
    forEachIndex(c.weights, [&](const Dims &k) {
      if (k[0] != from[1])
        return;
      Dims to{from[0], from[1] / inputs * outputs + k[1]};
      for (size_t i = 0; i < spatial; ++i) {
        int64_t cell = from[i + 2] * or1(c.strides, i) +
                       k[i + 2] * or1(c.dilations, i) - or0(c.pads, i);
        if (cell < 0 || cell >= dims[i + 2])
          return;
        to.push_back(cell);
      }
      result.at(to) += x.at(from) * w.at(k);
    });
  });
  return result;
}

static KernelTester testerFor(const Case &c, std::string name) {
  KernelTester tester(std::move(name));
  tester.attr("groups", Dims{c.groups});
  // An empty list is the default, as an absent one.
  tester.attr("strides", c.strides).attr("dilations", c.dilations);
  if (!c.pads.empty())
    tester.attr("pads", c.pads);
  if (!c.outputPadding.empty())
    tester.attr("output_padding", c.outputPadding);
  return tester;
}

namespace {
/// Element types of images and weights, and of bias and result.
struct Types {
  DType operands, result;
  double tolerance;
};
} // namespace

// Sums are in f32 whatever is summed up: only bf16 results are rounded.
static constexpr Types allTypes[] = {{DType::F32, DType::F32, 2e-5},
                                     {DType::BF16, DType::BF16, 1.2e-2},
                                     {DType::BF16, DType::F32, 2e-5}};

/// Runs `c` in both layouts and all types, with weights known at load or not.
static void check(const Case &c, bool transposed) {
  Array x = patterned(c.input, 1), w = patterned(c.weights, 2);
  Array sum = transposed ? scatter(c, x, w) : convolve(c, x, w);
  int64_t channels = sum.dims[1];
  Array bias = patterned({channels}, 3);
  Array biased = sum;
  forEachIndex(sum.dims, [&](const Dims &i) {
    biased.at(i) = sum.at(i) + bias.at({i[1]});
  });
  for (const auto &[type, resultType, tolerance] : allTypes)
    for (int variant = 0; variant < 8; ++variant) {
      bool last = variant & 1, constant = variant & 2, hasBias = variant & 4;
      KernelTester tester =
          testerFor(c, transposed ? "conv_transpose" : "conv");
      tester.operand(inLayout(last, type, c.input), x);
      if (constant)
        tester.constant(rowMajor(type, c.weights), w);
      else
        tester.operand(rowMajor(type, c.weights), w);
      if (hasBias)
        tester.operand(rowMajor(resultType, {channels}), bias);
      tester.result(inLayout(last, resultType, sum.dims));
      SCOPED_TRACE(tester.spec.operands[0].toString() + " by " +
                   tester.spec.operands[1].toString());
      tester.expect(hasBias ? biased : sum, tolerance);
    }
}

// Groups, depthwise windows with and without a multiplier, strides, dilation
// and uneven padding over 1 to 3 spatial dims.
TEST(Conv, MatchesDefinition) {
  Case cases[] = {
      {{2, 3, 9}, {4, 3, 3}},
      {{1, 16, 12}, {16, 16, 3}, 1, {2}, {2}, {2, 1}},
      {{1, 4, 8}, {4, 1, 3}, 4, {1}, {1}, {1, 1}},
      {{1, 1, 8, 9}, {8, 1, 3, 3}},
      {{2, 3, 8, 9}, {8, 3, 3, 3}, 1, {2, 2}, {1, 1}, {1, 0, 0, 1}},
      {{1, 16, 7, 7}, {32, 16, 1, 1}},
      {{1, 5, 8, 7}, {7, 5, 3, 2}, 1, {1, 2}, {2, 1}, {2, 0, 1, 1}},
      {{1, 6, 7, 7}, {4, 3, 3, 3}, 2, {1, 1}, {1, 1}, {1, 1, 1, 1}},
      {{1, 32, 7, 7}, {32, 16, 3, 3}, 2, {1, 1}, {1, 1}, {1, 1, 1, 1}},
      {{2, 16, 7, 7}, {16, 1, 3, 3}, 16, {2, 2}, {1, 1}, {1, 1, 1, 1}},
      {{1, 5, 7, 7}, {5, 1, 3, 3}, 5, {1, 1}, {2, 2}, {2, 2, 2, 2}},
      {{1, 4, 7, 7}, {8, 1, 3, 3}, 4, {1, 1}, {1, 1}, {0, 1, 2, 1}},
      {{1, 2, 4, 4}, {3, 2, 3, 3}, 1, {1, 1}, {1, 1}, {3, 3, 3, 3}},
      {{1, 4, 5, 5, 4},
       {6, 4, 3, 2, 2},
       1,
       {2, 1, 1},
       {1, 2, 1},
       {1, 0, 1, 0, 1, 0}},
      {{1, 4, 5, 5, 4}, {4, 2, 2, 2, 2}, 2},
  };
  for (const Case &c : cases)
    check(c, false);
}

// Dims in which images and windows have one cell, beside long ones: the
// library gets none of them, and rows for columns.
TEST(Conv, LeavesThinDimsOut) {
  Case cases[] = {
      {{2, 8, 9, 1}, {16, 8, 3, 1}, 1, {2, 3}, {2, 1}, {2, 0, 1, 0}},
      {{1, 8, 1, 9}, {16, 8, 1, 3}, 1, {2, 1}, {1, 1}, {0, 1, 0, 1}},
      {{1, 4, 9, 1}, {4, 1, 5, 1}, 4, {1, 1}, {1, 1}, {2, 0, 2, 0}},
      {{1, 4, 1, 7, 1}, {6, 2, 1, 3, 1}, 2},
      {{1, 4, 1, 7, 6}, {6, 4, 1, 3, 2}, 1, {1, 2, 1}},
      {{2, 8, 1, 1}, {5, 8, 1, 1}},
      // One cell, yet several windows, or several cells of a window.
      {{1, 4, 9, 1}, {4, 4, 3, 1}, 1, {1, 1}, {1, 1}, {0, 1, 0, 1}},
      {{1, 4, 9, 1}, {4, 4, 3, 3}, 1, {1, 1}, {1, 1}, {0, 1, 0, 1}},
      {{1, 4, 9, 3}, {4, 4, 3, 1}, 1, {1, 4}},
  };
  for (const Case &c : cases)
    check(c, false);
}

// The library is slow on rows of more than a million cells only where windows
// have several.
TEST(Conv, ReadsLongRowsCellByCell) {
  const int64_t cells = (int64_t(1) << 20) + 9;
  for (int64_t stride : {1, 2}) {
    const Case c{{1, 2, 1, cells}, {3, 2, 1, 1}, 1, {1, stride}};
    const Array x = patterned(c.input, 1), w = patterned(c.weights, 2);
    const Array expected = convolve(c, x, w);
    for (bool isLast : {false, true}) {
      KernelTester tester = testerFor(c, "conv");
      tester.operand(inLayout(isLast, DType::F32, c.input), x)
          .constant(rowMajor(DType::F32, c.weights), w)
          .result(inLayout(isLast, DType::F32, expected.dims))
          .expect(expected, 2e-5);
    }
  }
}

TEST(ConvTranspose, LeavesThinDimsOut) {
  Case cases[] = {
      {{2, 16, 5, 1}, {16, 8, 3, 1}, 1, {2, 1}, {1, 1}, {1, 0, 1, 0}, {1, 0}},
      {{1, 16, 5, 1}, {16, 8, 2, 1}, 1, {2, 1}},
      {{1, 6, 1, 5, 1}, {6, 2, 1, 3, 1}, 2, {1, 2, 1}},
      {{1, 4, 5, 1}, {4, 3, 2, 1}, 1, {1, 2}, {1, 1}, {}, {0, 1}},
  };
  for (const Case &c : cases)
    check(c, true);
}

// The same for transposed convolution, with output padding.
TEST(ConvTranspose, MatchesDefinition) {
  Case cases[] = {
      {{2, 3, 7}, {3, 4, 3}},
      {{1, 4, 7}, {4, 3, 3}, 1, {3}, {2}, {1, 2}, {1}},
      {{1, 3, 5, 5}, {3, 4, 3, 3}},
      {{2, 16, 5, 6}, {16, 16, 3, 3}, 1, {2, 2}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {{1, 5, 5, 6}, {5, 7, 2, 3}, 1, {2, 1}, {1, 2}, {0, 1, 1, 0}, {1, 0}},
      {{2, 16, 5, 6}, {16, 8, 2, 2}, 1, {2, 2}},
      {{1, 4, 4, 5}, {4, 3, 3, 2}, 1, {3, 2}},
      {{1, 6, 5, 5}, {6, 2, 3, 3}, 2, {1, 2}},
      {{1, 8, 5, 5}, {8, 1, 3, 3}, 8, {2, 2}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {{1, 4, 4, 3, 4}, {4, 3, 3, 2, 2}, 1, {1, 2, 2}},
      {{1, 4, 4, 3, 4},
       {4, 2, 2, 2, 2},
       2,
       {1, 1, 1},
       {2, 1, 1},
       {1, 0, 0, 0, 1, 0}},
  };
  for (const Case &c : cases)
    check(c, true);
}

// Bias, activation, residual (in either layout) and per-channel scale ride
// along, in the order of the list.
static void checkPostOps(const Case &c, std::span<const Dims> extraDims) {
  Array x = patterned(c.input, 1), w = patterned(c.weights, 2);
  Array sum = convolve(c, x, w);
  for (bool last : {false, true})
    for (bool residualLast : {false, true})
      for (const Dims &dims : extraDims) {
        if (dims.size() < sum.dims.size() && residualLast)
          continue;
        Array extra = patterned(dims, 4);
        Array expected = computed(sum.dims, [&](const Dims &i) {
          double value = sum.at(i) > 0 ? sum.at(i) : 0.25 * sum.at(i);
          value = value * 0.5 + 0.125;
          return std::tanh(value + extra.broadcastAt(i));
        });
        KernelTester tester = testerFor(c, "conv");
        tester.threads(2)
            .operand(inLayout(last, DType::F32, c.input), x)
            .constant(rowMajor(DType::F32, c.weights), w)
            .result(inLayout(last, DType::F32, sum.dims))
            .postOp("eltwise_relu", 0.25, 0)
            .postOp("eltwise_linear", 0.5, 0.125)
            .postOp("binary_add",
                    dims.size() < sum.dims.size()
                        ? rowMajor(DType::F32, dims)
                        : inLayout(residualLast, DType::F32, dims),
                    extra)
            .postOp("eltwise_tanh", 0, 0)
            .expect(expected, 1e-4);
      }
}

TEST(Conv, AppliesPostOps) {
  const Dims image[] = {{2, 16, 7, 7}, {16, 1, 1},    {1},
                        {2, 1, 7, 7},  {2, 16, 1, 1}, {7, 7}};
  checkPostOps({{2, 8, 7, 7}, {16, 8, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1, 1, 1}},
               image);
  const Dims column[] = {{2, 16, 7, 1}, {16, 1, 1},    {1},
                         {2, 1, 7, 1},  {2, 16, 1, 1}, {7, 1}};
  checkPostOps({{2, 8, 7, 1}, {16, 8, 3, 1}, 1, {1, 1}, {1, 1}, {1, 0, 1, 0}},
               column);
  const Dims sequence[] = {{2, 16, 7}, {16, 1}, {1}, {2, 1, 7}, {7}};
  checkPostOps({{2, 8, 7}, {16, 8, 3}, 1, {1}, {1}, {1, 1}}, sequence);
}

// A channels-first image goes in and a channels-last one comes out, and the
// other way round.
TEST(Conv, MixesLayouts) {
  Case c{{1, 3, 8, 8}, {5, 3, 3, 3}};
  Array x = patterned(c.input, 1), w = patterned(c.weights, 2);
  Array sum = convolve(c, x, w);
  for (bool last : {false, true})
    testerFor(c, "conv")
        .operand(inLayout(last, DType::F32, c.input), x)
        .constant(rowMajor(DType::F32, c.weights), w)
        .result(inLayout(!last, DType::F32, sum.dims))
        .expect(sum);
}

// Windows side by side, whose rows are products of their own.
TEST(ConvTranspose, AppliesPostOpsToEachRow) {
  Case c{{2, 16, 5, 6}, {16, 3, 2, 2}, 1, {2, 2}};
  Array x = patterned(c.input, 1), w = patterned(c.weights, 2);
  Array sum = scatter(c, x, w), bias = patterned({3}, 3);
  KernelTester tester = testerFor(c, "conv_transpose");
  tester.threads(2)
      .operand(channelsLast(DType::F32, c.input), x)
      .constant(rowMajor(DType::F32, c.weights), w)
      .constant(rowMajor(DType::F32, {3}), bias)
      .result(channelsLast(DType::F32, sum.dims))
      .postOp("eltwise_relu", 0.25, 0)
      .postOp("binary_add", rowMajor(DType::F32, {1}), Array({1}, 0.5))
      .postOp("eltwise_tanh", 0, 0)
      .expect(computed(sum.dims,
                       [&](const Dims &i) {
                         double value = sum.at(i) + bias.at({i[1]});
                         return std::tanh((value > 0 ? value : 0.25 * value) +
                                          0.5);
                       }),
              1e-4);
}

// A bias that is not known at load, and whose elements lie apart, is not taken
// for the input, which is known.
TEST(ConvTranspose, ReadsABiasWithGaps) {
  Case c{{2, 16, 5, 6}, {16, 3, 2, 2}, 1, {2, 2}};
  Array x = patterned(c.input, 1), w = patterned(c.weights, 2);
  Array sum = scatter(c, x, w), bias = patterned({3}, 3);
  testerFor(c, "conv_transpose")
      .constant(channelsLast(DType::F32, c.input), x)
      .constant(rowMajor(DType::F32, c.weights), w)
      .operand({DType::F32, {3}, {2}}, bias)
      .result(channelsLast(DType::F32, sum.dims))
      .expect(computed(sum.dims, [&](const Dims &i) {
        return sum.at(i) + bias.at({i[1]});
      }));
}
