//===- NormalizationTest.cpp - Norms and softmax -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace weir;
using namespace weir::test;

static double toleranceOf(DType type) {
  return type == DType::F32 ? 2e-5 : 1.6e-2;
}

// Inference: each channel is shifted and scaled, for rank 2 to 5.
TEST(BatchNorm, MatchesDefinition) {
  for (const Dims &dims : {Dims{3, 5}, Dims{2, 16, 9}, Dims{2, 5, 4, 3},
                           Dims{2, 32, 7, 7}, Dims{1, 3, 2, 4, 3}}) {
    int64_t channels = dims[1];
    Array x = patterned(dims, 1), scale = patterned({channels}, 2);
    Array bias = patterned({channels}, 3), mean = patterned({channels}, 4);
    Array variance = patterned({channels}, 5);
    for (double &value : variance.values)
      value = std::abs(value) + 0.5;
    Array expected = computed(dims, [&](const Dims &i) {
      Dims c{i[1]};
      double unit = (x.at(i) - mean.at(c)) / std::sqrt(variance.at(c) + 1e-3);
      return std::max(unit * scale.at(c) + bias.at(c), 0.0);
    });
    for (DType type : {DType::F32, DType::BF16})
      for (bool last : {false, true}) {
        if (last && dims.size() < 3)
          continue;
        KernelTester tester("batch_norm");
        tester.attr("epsilon", std::vector<double>{1e-3})
            .operand(inLayout(last, type, dims), x);
        for (const Array *row : {&scale, &bias, &mean, &variance})
          if (last)
            tester.constant(rowMajor(type, {channels}), *row);
          else
            tester.operand(rowMajor(type, {channels}), *row);
        tester.result(inLayout(last, type, dims))
            .postOp("eltwise_relu", 0, 0)
            .expect(expected, toleranceOf(type));
      }
  }
}

// Mean and variance over the dims from axis on; scale and bias are shaped like
// these dims.
TEST(LayerNorm, MatchesDefinition) {
  Dims dims{2, 3, 4, 5};
  Array x = patterned(dims, 1);
  for (int64_t axis : {-1, 1, 2, 3}) {
    size_t first = axis < 0 ? axis + 4 : axis;
    Dims inner(dims.begin() + first, dims.end());
    Array scale = patterned(inner, 2), bias = patterned(inner, 3);
    Array normal = computed(dims, [&](const Dims &i) {
      double sum = 0, squares = 0;
      forEachIndex(inner, [&](const Dims &k) {
        Dims at(i.begin(), i.begin() + first);
        at.insert(at.end(), k.begin(), k.end());
        sum += x.at(at);
        squares += x.at(at) * x.at(at);
      });
      double count = static_cast<double>(scale.values.size());
      double mean = sum / count, variance = squares / count - mean * mean;
      return (x.at(i) - mean) / std::sqrt(variance + 1e-3) *
             scale.broadcastAt(i);
    });
    for (bool hasBias : {false, true})
      for (bool last : {false, true})
        for (DType type : {DType::F32, DType::BF16}) {
          KernelTester tester("layer_norm");
          tester.attr("axis", Dims{axis})
              .attr("epsilon", std::vector<double>{1e-3})
              .operand(inLayout(last, type, dims), x)
              .operand(rowMajor(type, inner), scale);
          if (hasBias)
            tester.operand(rowMajor(type, inner), bias);
          tester.result(inLayout(last, type, dims))
              .expect(computed(dims,
                               [&](const Dims &i) {
                                 double shift =
                                     hasBias ? bias.broadcastAt(i) : 0;
                                 return normal.at(i) + shift;
                               }),
                      toleranceOf(type));
        }
  }
}

// ONNX's window over channels: (size - 1) / 2 before, the rest behind; even
// sizes too.
TEST(Lrn, MatchesDefinition) {
  for (const Dims &dims : {Dims{2, 16, 4, 5}, Dims{1, 5, 3, 3}, Dims{1, 7, 6},
                           Dims{1, 3, 2, 2, 2}})
    for (int64_t size : {1, 3, 4, 5}) {
      Array x = patterned(dims, 1);
      Array expected = computed(dims, [&](const Dims &i) {
        int64_t begin = std::max<int64_t>(i[1] - (size - 1) / 2, 0);
        int64_t end = std::min<int64_t>(i[1] + size / 2, dims[1] - 1);
        double sum = 0;
        for (int64_t c = begin; c <= end; ++c) {
          Dims at = i;
          at[1] = c;
          sum += x.at(at) * x.at(at);
        }
        return x.at(i) / std::pow(2 + 0.5 / size * sum, 0.75);
      });
      for (bool last : {false, true})
        for (DType type : {DType::F32, DType::BF16})
          KernelTester("lrn")
              .attr("size", Dims{size})
              .attr("alpha", std::vector<double>{0.5})
              .attr("beta", std::vector<double>{0.75})
              .attr("bias", std::vector<double>{2})
              .operand(inLayout(last, type, dims), x)
              .result(inLayout(last, type, dims))
              .expect(expected, toleranceOf(type));
    }
}

// Softmax and its logarithm over each axis, in both layouts.
TEST(Softmax, MatchesDefinition) {
  for (const Dims &dims : {Dims{2, 5, 4, 6}, Dims{3, 10, 7}, Dims{1, 16, 9}})
    for (int64_t axis = 0; axis < static_cast<int64_t>(dims.size()); ++axis) {
      Array x = patterned(dims, 1);
      for (double &value : x.values)
        value *= 4;
      Array logs = computed(dims, [&](const Dims &i) {
        double sum = 0;
        for (int64_t k = 0; k < dims[axis]; ++k) {
          Dims at = i;
          at[axis] = k;
          sum += std::exp(x.at(at));
        }
        return x.at(i) - std::log(sum);
      });
      Array plain =
          computed(dims, [&](const Dims &i) { return std::exp(logs.at(i)); });
      for (bool last : {false, true})
        for (DType type : {DType::F32, DType::BF16})
          for (bool isLog : {false, true})
            KernelTester(isLog ? "log_softmax" : "softmax")
                .attr("axis", Dims{axis})
                .operand(inLayout(last, type, dims), x)
                .result(inLayout(last, type, dims))
                .expect(isLog ? logs : plain, toleranceOf(type));
    }
}

// A row that overflows in the exponential without subtracting its maximum.
TEST(Softmax, IsStable) {
  Array x({1, 3});
  x.values = {1000, 999, -1000};
  double tail = std::exp(-1);
  Array expected({1, 3});
  expected.values = {1 / (1 + tail), tail / (1 + tail), 0};
  KernelTester("softmax")
      .attr("axis", Dims{1})
      .operand(rowMajor(DType::F32, {1, 3}), x)
      .result(rowMajor(DType::F32, {1, 3}))
      .expect(expected);
}
