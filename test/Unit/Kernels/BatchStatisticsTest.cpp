//===- BatchStatisticsTest.cpp - Batch norm in training ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

using namespace weir;
using namespace weir::test;

static constexpr DType types[] = {DType::F32, DType::BF16};

static double toleranceOf(DType type) {
  return type == DType::F32 ? 2e-5 : 1.6e-2;
}

/// Rows of one and more tiles; channels of a vector, of blocks of vectors, and
/// with a rest. The last one has many of both.
static const Dims shapes[] = {{3, 17},           {2, 16, 9},    {2, 70, 4, 3},
                              {1, 23, 9, 31},    {1, 19, 2},    {4, 2048},
                              {2, 130, 3, 5, 7}, {5, 700, 4, 9}};

namespace {

/// What a channel's values sum up to.
struct Channels {
  explicit Channels(const Array &x, double mean = 0) : x(x), mean(mean) {}

  /// The sum of `value` at each index of channel `c`.
  double sum(int64_t c,
             const std::function<double(const Dims &)> &value) const {
    double total = 0;
    Dims channel = x.dims;
    channel[1] = 1;
    forEachIndex(channel, [&](Dims i) {
      i[1] = c;
      total += value(i);
    });
    return total;
  }
  double count() const {
    return static_cast<double>(x.values.size()) /
           static_cast<double>(x.dims[1]);
  }

  const Array &x;
  double mean;
};

struct Norm {
  Array y, mean, variance;
};

} // namespace

static Norm computeNorm(const Array &x, const Array &scale, const Array &bias,
                        double epsilon) {
  const Channels channels(x);
  const Dims each{x.dims[1]};
  Norm norm{Array(x.dims), Array(each), Array(each)};
  for (int64_t c = 0; c < x.dims[1]; ++c) {
    norm.mean.at({c}) = channels.sum(c, [&](const Dims &i) {
      return x.at(i);
    }) / channels.count();
    norm.variance.at({c}) = channels.sum(c, [&](const Dims &i) {
      double d = x.at(i) - norm.mean.at({c});
      return d * d;
    }) / channels.count();
  }
  norm.y = computed(x.dims, [&](const Dims &i) {
    const Dims c{i[1]};
    return (x.at(i) - norm.mean.at(c)) /
               std::sqrt(norm.variance.at(c) + epsilon) * scale.at(c) +
           bias.at(c);
  });
  return norm;
}

static KernelTester makeTraining(DType type, const Array &x, const Array &scale,
                                 const Array &bias, bool last = true) {
  const Dims each{x.dims[1]};
  KernelTester tester("batch_norm_training");
  tester.attr("epsilon", std::vector<double>{1e-3})
      .operand(inLayout(last, type, x.dims), x)
      .operand(rowMajor(type, each), scale)
      .operand(rowMajor(type, each), bias)
      .result(inLayout(last, type, x.dims))
      .result(rowMajor(type, each))
      .result(rowMajor(type, each));
  return tester;
}

// Both statistics, and the elements normalised by them. A large mean costs no
// digits of the variance.
TEST(BatchNormTraining, MatchesDefinition) {
  for (const Dims &dims : shapes) {
    Array x = patterned(dims, 1), scale = patterned({dims[1]}, 2);
    Array bias = patterned({dims[1]}, 3);
    for (double &value : x.values)
      value += 3;
    const Norm norm = computeNorm(x, scale, bias, 1e-3);
    // Offset values are not exact in bf16.
    makeTraining(DType::F32, x, scale, bias)
        .expectAll({norm.y, norm.mean, norm.variance}, toleranceOf(DType::F32));
    for (double &value : x.values)
      value -= 3;
    const Norm around = computeNorm(x, scale, bias, 1e-3);
    for (DType type : types)
      makeTraining(type, x, scale, bias)
          .threads(3)
          .expectAll({around.y, around.mean, around.variance},
                     toleranceOf(type));
  }
}

// A residual and an activation are computed on the way; others follow as steps.
TEST(BatchNormTraining, AppliesPostOps) {
  const Dims dims{2, 37, 6, 5};
  const Array x = patterned(dims, 1), scale = patterned({37}, 2);
  const Array bias = patterned({37}, 3), other = patterned(dims, 4);
  const Norm norm = computeNorm(x, scale, bias, 1e-3);
  const auto expectWith =
      [&](KernelTester tester, DType type,
          const std::function<double(const Dims &)> &value) {
        tester.expectAll({computed(dims, value), norm.mean, norm.variance},
                         2 * toleranceOf(type));
        return tester.implementation;
      };
  for (DType type : types) {
    const auto start = [&] { return makeTraining(type, x, scale, bias); };
    const TensorDesc image = inLayout(true, type, dims);
    const std::string own = expectWith(
        start().postOp("binary_add", image, other).postOp("eltwise_relu", 0, 0),
        type, [&](const Dims &i) {
          return std::max(norm.y.at(i) + other.at(i), 0.0);
        });
    // Rows of bf16 are converted first.
    if (type == DType::F32) {
      EXPECT_EQ(own, "sums of tiles, statistics, norm");
    }
    expectWith(
        start().postOp("eltwise_clip", -0.25, 0.5), type,
        [&](const Dims &i) { return std::clamp(norm.y.at(i), -0.25, 0.5); });
    expectWith(
        start().postOp("eltwise_relu", 0, 0).postOp("binary_add", image, other),
        type, [&](const Dims &i) {
          return std::max(norm.y.at(i), 0.0) + other.at(i);
        });
    expectWith(start().postOp("eltwise_tanh", 0, 0), type,
               [&](const Dims &i) { return std::tanh(norm.y.at(i)); });
  }
}

// The definition is the paper's, which has the normalised input.
TEST(BatchNormGradient, MatchesDefinition) {
  for (const Dims &dims : shapes) {
    const Dims each{dims[1]};
    const Array g = patterned(dims, 1), x = patterned(dims, 2);
    const Array scale = patterned(each, 3);
    Array mean = patterned(each, 4), variance = patterned(each, 5);
    for (double &value : variance.values)
      value = std::abs(value) + 0.5;
    const auto normal = [&](const Dims &i) {
      const Dims c{i[1]};
      return (x.at(i) - mean.at(c)) / std::sqrt(variance.at(c) + 1e-3);
    };
    const Channels channels(x);
    Array ofScale(each), ofBias(each);
    for (int64_t c = 0; c < dims[1]; ++c) {
      ofScale.at({c}) =
          channels.sum(c, [&](const Dims &i) { return g.at(i) * normal(i); });
      ofBias.at({c}) = channels.sum(c, [&](const Dims &i) { return g.at(i); });
    }
    const Array ofX = computed(dims, [&](const Dims &i) {
      const Dims c{i[1]};
      const double n = channels.count();
      return scale.at(c) / std::sqrt(variance.at(c) + 1e-3) *
             (g.at(i) - ofBias.at(c) / n - normal(i) * ofScale.at(c) / n);
    });
    for (DType type : types)
      for (int threads : {1, 3}) {
        KernelTester tester("batch_norm_gradient");
        tester.attr("epsilon", std::vector<double>{1e-3})
            .operand(inLayout(true, type, dims), g)
            .operand(inLayout(true, type, dims), x);
        for (const Array *row :
             std::initializer_list<const Array *>{&scale, &mean, &variance})
          tester.operand(rowMajor(type, each), *row);
        tester.result(inLayout(true, type, dims))
            .result(rowMajor(type, each))
            .result(rowMajor(type, each))
            .threads(threads)
            .expectAll({ofX, ofScale, ofBias}, 2 * toleranceOf(type));
      }
  }
}

// Errors name what does not fit. Generated code takes what is refused.
TEST(BatchNormTraining, RefusesOtherShapes) {
  const Array x = patterned({2, 16, 4}), row = patterned({16});
  const auto refusal = [&](KernelTester tester) {
    StatusOr<std::unique_ptr<Kernel>> kernel = tester.prepare();
    return kernel ? std::string() : std::string(kernel.status().message());
  };
  KernelTester one = makeTraining(DType::F32, x, row, row);
  one.spec.results.pop_back();
  EXPECT_NE(refusal(one).find("expected 3 results, found 2"),
            std::string::npos);
  KernelTester wide = makeTraining(DType::F32, x, row, row);
  wide.spec.results[1].dims = {4};
  EXPECT_NE(refusal(wide).find("expected 16 values in result 1, found 4xf32"),
            std::string::npos);
  EXPECT_NE(refusal(makeTraining(DType::F16, x, row, row))
                .find("expected images of f32 or bf16, found 2x16x4xf16"),
            std::string::npos);
  const std::string_view few = "expected dense images of 16 channels or more";
  EXPECT_NE(
      refusal(makeTraining(DType::F32, x, row, row, /*last=*/false)).find(few),
      std::string::npos);
  const Array thin = patterned({2, 15, 4}), each = patterned({15});
  EXPECT_NE(refusal(makeTraining(DType::F32, thin, each, each)).find(few),
            std::string::npos);
}
