//===- ElementwiseTest.cpp - eltwise and binary -*- C++ -*-===//
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

namespace {
struct Unary {
  const char *algorithm;
  double alpha;
  double beta;
  double (*value)(double);
};
struct Binary {
  const char *algorithm;
  double (*value)(double, double);
};
} // namespace

static double logistic(double x) { return 1 / (1 + std::exp(-x)); }

static const Unary unaries[] = {
    {"eltwise_abs", 0, 0, [](double x) { return std::abs(x); }},
    {"eltwise_clip", -0.25, 0.5,
     [](double x) { return std::clamp(x, -0.25, 0.5); }},
    {"eltwise_elu", 0.5, 0,
     [](double x) { return x > 0 ? x : 0.5 * std::expm1(x); }},
    {"eltwise_exp", 0, 0, [](double x) { return std::exp(x); }},
    {"eltwise_gelu_erf", 0, 0,
     [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2))); }},
    {"eltwise_gelu_tanh", 0, 0,
     [](double x) {
       double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
       return x / 2 * (1 + std::tanh(inner));
     }},
    {"eltwise_hardsigmoid", 0.2, 0.5,
     [](double x) { return std::clamp(0.2 * x + 0.5, 0.0, 1.0); }},
    {"eltwise_hardswish", 0.25, 0.5,
     [](double x) { return x * std::clamp(0.25 * x + 0.5, 0.0, 1.0); }},
    {"eltwise_linear", 3, -1, [](double x) { return 3 * x - 1; }},
    {"eltwise_log", 0, 0, [](double x) { return std::log(x); }},
    {"eltwise_logistic", 0, 0, logistic},
    {"eltwise_mish", 0, 0,
     [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
    {"eltwise_pow", 2, 3, [](double x) { return 2 * x * x * x; }},
    {"eltwise_relu", 0, 0, [](double x) { return std::max(x, 0.0); }},
    {"eltwise_relu", 0.25, 0, [](double x) { return x > 0 ? x : 0.25 * x; }},
    {"eltwise_soft_relu", 2, 0,
     [](double x) { return std::log1p(std::exp(2 * x)) / 2; }},
    {"eltwise_sqrt", 0, 0, [](double x) { return std::sqrt(x); }},
    {"eltwise_square", 0, 0, [](double x) { return x * x; }},
    {"eltwise_swish", 1, 0, [](double x) { return x * logistic(x); }},
    {"eltwise_tanh", 0, 0, [](double x) { return std::tanh(x); }},
};

static const Binary binaries[] = {
    {"binary_add", [](double a, double b) { return a + b; }},
    {"binary_sub", [](double a, double b) { return a - b; }},
    {"binary_mul", [](double a, double b) { return a * b; }},
    {"binary_div", [](double a, double b) { return a / b; }},
    {"binary_max", [](double a, double b) { return std::max(a, b); }},
    {"binary_min", [](double a, double b) { return std::min(a, b); }},
};
static const Binary comparisons[] = {
    {"binary_eq", [](double a, double b) -> double { return a == b; }},
    {"binary_ne", [](double a, double b) -> double { return a != b; }},
    {"binary_lt", [](double a, double b) -> double { return a < b; }},
    {"binary_le", [](double a, double b) -> double { return a <= b; }},
    {"binary_gt", [](double a, double b) -> double { return a > b; }},
    {"binary_ge", [](double a, double b) -> double { return a >= b; }},
};

/// Values away from 0, so that quotients and logarithms stay tame.
static Array nonzero(const Dims &dims, int seed, bool positive = false) {
  Array array = patterned(dims, seed);
  for (double &value : array.values)
    value = positive || value >= 0 ? std::abs(value) + 0.25 : value - 0.25;
  return array;
}

static KernelTester unary(const Unary &op) {
  KernelTester tester("eltwise");
  tester.attr("algorithm", std::string(op.algorithm))
      .attr("alpha", std::vector<double>{op.alpha})
      .attr("beta", std::vector<double>{op.beta});
  return tester;
}

static KernelTester binary(const Binary &op) {
  KernelTester tester("binary");
  tester.attr("algorithm", std::string(op.algorithm));
  return tester;
}

// Every algorithm of one operand against libm, in f32 and bf16.
TEST(Eltwise, MatchesLibm) {
  for (const Unary &op : unaries) {
    SCOPED_TRACE(op.algorithm);
    bool positive = std::isnan(op.value(-1));
    Array x = nonzero({3, 5, 7}, 1, positive);
    Array expected =
        computed(x.dims, [&](const Dims &i) { return op.value(x.at(i)); });
    unary(op)
        .operand(rowMajor(DType::F32, x.dims), x)
        .result(rowMajor(DType::F32, x.dims))
        .expect(expected);
    unary(op)
        .operand(rowMajor(DType::BF16, x.dims), x)
        .result(rowMajor(DType::BF16, x.dims))
        .expect(expected, 1.2e-2);
  }
}

// Operand and result may lie differently, with gaps or repeated.
TEST(Eltwise, TakesAnyStrides) {
  Array x = patterned({4, 6}, 1);
  for (const Dims &from : {Dims{6, 1}, Dims{1, 4}, Dims{24, 2}})
    for (const Dims &to : {Dims{6, 1}, Dims{1, 4}, Dims{30, 3}})
      unary(unaries[4])
          .operand({DType::F32, x.dims, from}, x)
          .result({DType::F32, x.dims, to})
          .expect(computed(x.dims, [&](const Dims &i) {
            return unaries[4].value(x.at(i));
          }));
}

// A chain of post-ops with operands of several shapes.
TEST(Eltwise, AppliesPostOps) {
  Array x = patterned({2, 4, 3, 5}, 1), whole = patterned(x.dims, 2);
  Array channel = patterned({4, 1, 1}, 3), row = patterned({5}, 4);
  for (bool last : {false, true})
    unary(unaries[19])
        .operand(inLayout(last, DType::F32, x.dims), x)
        .result(inLayout(last, DType::F32, x.dims))
        .postOp("binary_add", rowMajor(DType::F32, x.dims), whole)
        .postOp("binary_mul", rowMajor(DType::F32, channel.dims), channel)
        .postOp("eltwise_relu", 0.5, 0)
        .postOp("binary_sub", rowMajor(DType::F32, row.dims), row)
        .expect(computed(x.dims, [&](const Dims &i) {
          double value =
              (std::tanh(x.at(i)) + whole.at(i)) * channel.broadcastAt(i);
          value = value > 0 ? value : value / 2;
          return value - row.broadcastAt(i);
        }));
}

static const std::pair<Dims, Dims> shapes[] = {
    {{2, 4, 3, 5}, {2, 4, 3, 5}},
    {{2, 4, 3, 5}, {4, 1, 1}},
    {{2, 4, 3, 5}, {}},
    {{2, 4, 3, 5}, {5}},
    {{2, 4, 3, 5}, {3, 5}},
    {{2, 4, 3, 5}, {3, 1}},
    {{2, 4, 3, 5}, {2, 1, 1, 1}},
    {{2, 4, 3, 5}, {2, 4, 1, 1}},
    {{2, 4, 3, 5}, {4, 3, 5}},
    {{2, 4, 3, 5}, {2, 1, 3, 5}},
    {{2, 4, 3, 5}, {4, 1, 5}},
    {{2, 4, 3, 5}, {2, 1, 3, 1}},
    {{4, 1}, {1, 6}},
    {{2, 1, 3, 1}, {4, 1, 5}},
    {{7}, {7}},
    {{1}, {7}},
    {{}, {}},
    {{2, 2, 2, 2, 3, 2}, {2, 1, 2, 1, 2}},
    {{33, 65}, {33, 1}},
    {{33, 65}, {65}},
};

static Dims broadcastDims(const Dims &a, const Dims &b) {
  Dims dims(std::max(a.size(), b.size()), 1);
  for (const Dims *own : {&a, &b})
    for (size_t i = 0; i < own->size(); ++i) {
      int64_t &dim = dims[dims.size() - own->size() + i];
      dim = std::max(dim, (*own)[i]);
    }
  return dims;
}

static void checkBinary(const Binary &op, const Dims &a, const Dims &b,
                        DType type, DType resultType, double tolerance) {
  Array lhs = nonzero(a, 1), rhs = nonzero(b, 2);
  if (a == b)
    rhs.values[0] = lhs.values[0];
  Array expected = computed(broadcastDims(a, b), [&](const Dims &i) {
    return op.value(lhs.broadcastAt(i), rhs.broadcastAt(i));
  });
  SCOPED_TRACE(std::string(op.algorithm) + " of " +
               rowMajor(type, a).toString() + " and " +
               rowMajor(type, b).toString());
  binary(op)
      .operand(rowMajor(type, a), lhs)
      .operand(rowMajor(type, b), rhs)
      .result(rowMajor(resultType, expected.dims))
      .expect(expected, tolerance);
}

// Every algorithm with every pattern of broadcasting, both ways.
TEST(Binary, Broadcasts) {
  for (const Binary &op : binaries)
    for (const auto &[a, b] : shapes) {
      checkBinary(op, a, b, DType::F32, DType::F32, 1e-5);
      checkBinary(op, b, a, DType::F32, DType::F32, 1e-5);
      checkBinary(op, b, a, DType::BF16, DType::BF16, 1.2e-2);
    }
}

// A comparison writes one byte, 0 or 1.
TEST(Binary, Compares) {
  for (const Binary &op : comparisons)
    for (const auto &[a, b] : shapes) {
      checkBinary(op, a, b, DType::F32, DType::I1, 0);
      checkBinary(op, b, a, DType::F32, DType::I1, 0);
      checkBinary(op, a, b, DType::BF16, DType::I1, 0);
    }
}

// Bytes are compared and selected from exactly.
TEST(Binary, TakesBytes) {
  Array lhs({40}), rhs({40});
  for (int i = 0; i < 40; ++i) {
    lhs.values[i] = i % 7;
    rhs.values[i] = i % 5;
  }
  for (DType type : {DType::U8, DType::I8})
    for (const Binary &op : {binaries[4], binaries[5], comparisons[0],
                             comparisons[2], comparisons[5]}) {
      bool compares = std::string(op.algorithm).size() == 9;
      binary(op)
          .operand(rowMajor(type, {40}), lhs)
          .operand(rowMajor(type, {40}), rhs)
          .result(rowMajor(compares ? DType::I1 : type, {40}))
          .expect(computed({40},
                           [&](const Dims &i) {
                             return op.value(lhs.at(i), rhs.at(i));
                           }),
                  0);
    }
}

// Operands and result in any mixture of layouts and gaps.
TEST(Binary, TakesAnyStrides) {
  Array lhs = patterned({2, 4, 3, 5}, 1), rhs = patterned({2, 4, 3, 5}, 2);
  Array expected =
      computed(lhs.dims, [&](const Dims &i) { return lhs.at(i) - rhs.at(i); });
  TensorDesc layouts[] = {rowMajor(DType::F32, lhs.dims),
                          channelsLast(DType::F32, lhs.dims),
                          {DType::F32, lhs.dims, {240, 60, 10, 2}}};
  for (const TensorDesc &a : layouts)
    for (const TensorDesc &b : layouts)
      for (const TensorDesc &c : layouts)
        binary(binaries[1])
            .operand(a, lhs)
            .operand(b, rhs)
            .result(c)
            .expect(expected);
}

// Post-ops follow in order; a difference with exchanged operands too.
TEST(Binary, AppliesPostOps) {
  for (const auto &[a, b] : {shapes[0], shapes[1], shapes[12],
                             std::pair<Dims, Dims>{{4, 1, 1}, {2, 4, 3, 5}}}) {
    Dims dims = broadcastDims(a, b);
    Array lhs = patterned(a, 1), rhs = patterned(b, 2);
    Array whole = patterned(dims, 3);
    binary(binaries[1])
        .operand(rowMajor(DType::F32, a), lhs)
        .operand(rowMajor(DType::F32, b), rhs)
        .result(rowMajor(DType::F32, dims))
        .postOp("eltwise_relu", 0, 0)
        .postOp("binary_add", rowMajor(DType::F32, dims), whole)
        .expect(computed(dims, [&](const Dims &i) {
          double value = lhs.broadcastAt(i) - rhs.broadcastAt(i);
          return std::max(value, 0.0) + whole.at(i);
        }));
  }
}
