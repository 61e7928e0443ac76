//===- GatesTest.cpp - The gradients of relu and clip -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace weir;
using namespace weir::test;

static double passRelu(double value, double by) { return by > 0 ? value : 0; }
static double passClip(double value, double by) {
  return by > -0.25 && by < 0.5 ? value : 0;
}

// Gates that are kernels: types, layouts, broadcasting, a rest of a vector.
TEST(Gates, MatchDefinition) {
  for (const Dims &dims : {Dims{7}, Dims{2, 5, 3, 11}, Dims{1, 64, 5, 5}})
    for (DType type : {DType::F32, DType::BF16})
      for (bool last : {false, true})
        for (bool isClip : {false, true}) {
          if (last && dims.size() < 3)
            continue;
          const Array value = patterned(dims, 1), by = patterned(dims, 2);
          KernelTester tester("binary");
          tester
              .attr("algorithm", std::string(isClip ? "binary_clip_gradient"
                                                    : "binary_relu_gradient"))
              .attr("alpha", std::vector<double>{isClip ? -0.25 : 0})
              .attr("beta", std::vector<double>{isClip ? 0.5 : 0})
              .operand(inLayout(last, type, dims), value)
              .operand(rowMajor(type, dims), by)
              .result(inLayout(last, type, dims))
              .threads(2)
              .expect(computed(dims,
                               [&](const Dims &i) {
                                 return isClip
                                            ? passClip(value.at(i), by.at(i))
                                            : passRelu(value.at(i), by.at(i));
                               }),
                      0);
        }
  const Array value = patterned({3, 4}, 1), by = patterned({4}, 2);
  KernelTester("binary")
      .attr("algorithm", std::string("binary_relu_gradient"))
      .operand(rowMajor(DType::F32, {3, 4}), value)
      .operand(rowMajor(DType::F32, {4}), by)
      .result(rowMajor(DType::F32, {3, 4}))
      .expect(computed({3, 4},
                       [&](const Dims &i) {
                         return passRelu(value.at(i), by.broadcastAt(i));
                       }),
              0);
}

// A gate whose test is NaN is closed, infinite values pass an open one.
TEST(Gates, TreatExtremes) {
  const double inf = std::numeric_limits<double>::infinity();
  Array value({4}), by({4}), expected({4});
  value.values = {inf, inf, 1, NAN};
  by.values = {1, 0, NAN, -1};
  expected.values = {inf, 0, 0, 0};
  KernelTester tester("binary");
  tester.attr("algorithm", std::string("binary_relu_gradient"))
      .operand(rowMajor(DType::F32, {4}), value)
      .operand(rowMajor(DType::F32, {4}), by)
      .result(rowMajor(DType::F32, {4}));
  EXPECT_EQ(tester.run().values, expected.values);
}

// Behind a convolution and a product, after another post-op and before one.
TEST(Gates, FollowOtherKernels) {
  const Dims dims{2, 8, 5, 6};
  const Array x = patterned(dims, 1), added = patterned(dims, 2);
  const Array by = patterned(dims, 3);
  Array weight({8, 8, 1, 1});
  for (int64_t c = 0; c < 8; ++c)
    weight.at({c, c, 0, 0}) = 0.5;
  for (DType type : {DType::F32, DType::BF16})
    for (bool last : {false, true}) {
      const TensorDesc image = inLayout(last, type, dims);
      KernelTester("conv_transpose")
          .operand(image, x)
          .operand(rowMajor(type, {8, 8, 1, 1}), weight)
          .result(image)
          .postOp("binary_add", image, added)
          .postOp("binary_relu_gradient", image, by)
          .postOp("eltwise_linear", 2, 0)
          .threads(2)
          .expect(computed(dims,
                           [&](const Dims &i) {
                             return 2 * passRelu(x.at(i) / 2 + added.at(i),
                                                 by.at(i));
                           }),
                  type == DType::F32 ? 1e-6 : 1e-2);
    }
  const Array rows = patterned({3, 4}, 4), other = patterned({3, 2}, 5);
  Array matrix({4, 2});
  matrix.at({0, 0}) = matrix.at({1, 1}) = 1;
  KernelTester tester("matmul");
  tester.operand(rowMajor(DType::F32, {3, 4}), rows)
      .operand(rowMajor(DType::F32, {4, 2}), matrix)
      .result(rowMajor(DType::F32, {3, 2}))
      .postOp("binary_clip_gradient", rowMajor(DType::F32, {3, 2}), other);
  tester.spec.postOps.back().alpha = -0.25;
  tester.spec.postOps.back().beta = 0.5;
  tester.expect(computed({3, 2}, [&](const Dims &i) {
    return passClip(rows.at(i), other.at(i));
  }));
}
