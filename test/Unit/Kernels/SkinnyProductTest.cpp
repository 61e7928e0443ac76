//===- SkinnyProductTest.cpp - Products of few rows by known weights ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include "Runtime/Kernels/CPU/LibraryStatus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace weir;
using namespace weir::test;

namespace {
struct Case {
  int64_t rows, depth, columns;

  Dims lhs() const { return {rows, depth}; }
  Dims weights() const { return {columns, depth}; }
  Dims result() const { return {rows, columns}; }
};
} // namespace

static Array product(const Case &c, const Array &x, const Array &w) {
  return computed(c.result(), [&](const Dims &i) {
    double sum = 0;
    for (int64_t k = 0; k < c.depth; ++k)
      sum += x.at({i[0], k}) * w.at({i[1], k});
    return sum;
  });
}

static KernelTester testerFor(const Case &c, DType type, const Array &x,
                              const Array &w) {
  KernelTester tester("linear");
  tester.operand(rowMajor(type, c.lhs()), x)
      .constant(rowMajor(type, c.weights()), w);
  return tester;
}

static bool isSkinny(const KernelTester &tester) {
  return tester.implementation.find("panels") != std::string::npos;
}

// All numbers of rows; columns that fill panels of each width or do not; sums
// shorter and longer than what is read together; teams that do not divide the
// panels.
TEST(SkinnyProduct, MatchesDefinition) {
  for (int64_t rows : {1, 2, 3, 4})
    for (int64_t columns : {8, 16, 30, 64, 100, 200})
      for (int64_t depth : {2, 6, 129, 400}) {
        const Case c{rows, depth, columns};
        const Array x = patterned(c.lhs(), 1), w = patterned(c.weights(), 2);
        const Array expected = product(c, x, w);
        for (int threads : {1, 3}) {
          KernelTester tester = testerFor(c, DType::F32, x, w);
          tester.threads(threads).result(rowMajor(DType::F32, c.result()));
          SCOPED_TRACE(tester.spec.operands[0].toString() + " by " +
                       tester.spec.operands[1].toString());
          tester.expect(expected, 1e-5);
          EXPECT_TRUE(isSkinny(tester)) << tester.implementation;
        }
      }
}

// Sums of bf16 are f32, whatever the result is.
TEST(SkinnyProduct, SumsBFloat16InF32) {
  for (int64_t rows : {1, 2, 3, 4})
    for (int64_t columns : {10, 30, 100})
      for (DType type : {DType::F32, DType::BF16}) {
        const Case c{rows, 130, columns};
        const Array x = patterned(c.lhs(), 1), w = patterned(c.weights(), 2);
        KernelTester tester = testerFor(c, DType::BF16, x, w);
        tester.result(rowMajor(type, c.result()))
            .expect(product(c, x, w), type == DType::F32 ? 1e-5 : 4e-3);
        EXPECT_TRUE(isSkinny(tester)) << tester.implementation;
      }
}

// Bias, activation and other additions are fused in the order of the list, in
// f32 or bf16 and broadcast. What the loop cannot fuse follows it.
TEST(SkinnyProduct, AppliesPostOps) {
  const Case c{3, 48, 70};
  const Array x = patterned(c.lhs(), 1), w = patterned(c.weights(), 2);
  const Array bias = patterned({c.columns}, 3);
  const Array sum = product(c, x, w);
  for (const Dims &dims : {Dims{3, 70}, Dims{70}, Dims{1, 1}, Dims{3, 1}})
    for (DType type : {DType::F32, DType::BF16}) {
      const Array extra = patterned(dims, 4);
      const Array expected = computed(c.result(), [&](const Dims &i) {
        const double active = std::max(sum.at(i) + bias.at({i[1]}), 0.0);
        return 0.5 * (active + extra.broadcastAt(i)) + 1;
      });
      KernelTester tester = testerFor(c, DType::F32, x, w);
      tester.operand(rowMajor(type, bias.dims), bias)
          .result(rowMajor(DType::F32, c.result()))
          .postOp("eltwise_relu", 0, 0)
          .postOp("binary_add", rowMajor(type, dims), extra)
          .postOp("eltwise_linear", 0.5, 1)
          .threads(2)
          .expect(expected, 1e-5);
      EXPECT_TRUE(isSkinny(tester)) << tester.implementation;
    }
}

// Rows with gaps between them, and weights whose columns are contiguous as in
// matmul.
TEST(SkinnyProduct, TakesGapsBetweenRows) {
  const Case c{2, 64, 96};
  const Array x = patterned(c.lhs(), 1), w = patterned({64, 96}, 2);
  const Array expected = computed(c.result(), [&](const Dims &i) {
    double sum = 0;
    for (int64_t k = 0; k < c.depth; ++k)
      sum += x.at({i[0], k}) * w.at({k, i[1]});
    return sum;
  });
  KernelTester tester("matmul");
  tester.operand({DType::F32, c.lhs(), {80, 1}}, x)
      .constant(rowMajor(DType::F32, w.dims), w)
      .result({DType::F32, c.result(), {100, 1}})
      .expect(expected, 1e-5);
  EXPECT_TRUE(isSkinny(tester)) << tester.implementation;
}

// Rows of a batch are treated like other rows. The added tensor may differ
// between batches, and a result may be stored by columns.
TEST(SkinnyProduct, FoldsBatches) {
  const Dims dims = {2, 2, 40};
  const Array x = patterned({2, 2, 64}, 1), w = patterned({64, 40}, 2);
  const TensorDesc byRows = rowMajor(DType::F32, dims);
  const TensorDesc byColumns = {DType::F32, dims, {80, 1, 2}};
  for (const Dims &added : {Dims{2, 1, 40}, Dims{2, 1, 1}, Dims{40}})
    for (const TensorDesc &result : {byRows, byColumns}) {
      const Array extra = patterned(added, 3);
      const Array expected = computed(dims, [&](const Dims &i) {
        double sum = extra.broadcastAt(i);
        for (int64_t k = 0; k < 64; ++k)
          sum += x.at({i[0], i[1], k}) * w.at({k, i[2]});
        return sum;
      });
      KernelTester tester("matmul");
      tester.operand(rowMajor(DType::F32, x.dims), x)
          .constant(rowMajor(DType::F32, w.dims), w)
          .result(result)
          .postOp("binary_add", rowMajor(DType::F32, added), extra)
          .expect(expected, 1e-5);
      EXPECT_TRUE(isSkinny(tester)) << tester.implementation;
    }
}

// One row, given as a vector.
TEST(SkinnyProduct, TakesVectors) {
  const Array x = patterned({64}, 1), w = patterned({64, 24}, 2);
  const Array expected = computed({24}, [&](const Dims &i) {
    double sum = 0;
    for (int64_t k = 0; k < 64; ++k)
      sum += x.at({k}) * w.at({k, i[0]});
    return sum;
  });
  KernelTester tester("matmul");
  tester.operand(rowMajor(DType::F32, {64}), x)
      .constant(rowMajor(DType::F32, w.dims), w)
      .result(rowMajor(DType::F32, {24}))
      .expect(expected, 1e-5);
  EXPECT_TRUE(isSkinny(tester)) << tester.implementation;
}

// NaN and infinity in the input affect the sums as in plain arithmetic, and
// ReLU keeps them.
TEST(SkinnyProduct, KeepsWhatIsNoNumber) {
  const Case c{3, 32, 20};
  Array x = patterned(c.lhs(), 1), w = patterned(c.weights(), 2);
  for (double &weight : w.values)
    weight = std::abs(weight) + 1;
  const double infinity = std::numeric_limits<double>::infinity();
  x.at({0, 5}) = std::numeric_limits<double>::quiet_NaN();
  x.at({1, 31}) = infinity;
  x.at({2, 0}) = -infinity;
  KernelTester tester = testerFor(c, DType::F32, x, w);
  const Array found = tester.result(rowMajor(DType::F32, c.result()))
                          .postOp("eltwise_relu", 0, 0)
                          .run();
  for (int64_t i = 0; i < c.columns; ++i) {
    EXPECT_TRUE(std::isnan(found.at({0, i})));
    EXPECT_EQ(found.at({1, i}), infinity);
    EXPECT_EQ(found.at({2, i}), 0);
  }
}

// More rows, weights that are not constant, columns too few for a panel, and
// odd lengths of bf16 sums are left to the library.
TEST(SkinnyProduct, IsNotTakenWhereItDoesNotFit) {
  auto expectLibrary = [](KernelTester &tester, const Array &expected) {
    tester.expect(expected, 2e-3);
    EXPECT_FALSE(isSkinny(tester)) << tester.implementation;
  };
  for (const Case &c : {Case{5, 32, 64}, Case{1, 32, 7}}) {
    const Array x = patterned(c.lhs(), 1), w = patterned(c.weights(), 2);
    KernelTester tester = testerFor(c, DType::F32, x, w);
    tester.result(rowMajor(DType::F32, c.result()));
    expectLibrary(tester, product(c, x, w));
  }
  const Case c{1, 33, 64};
  const Array x = patterned(c.lhs(), 1), w = patterned(c.weights(), 2);
  KernelTester odd = testerFor(c, DType::BF16, x, w);
  odd.result(rowMajor(DType::F32, c.result())).expect(product(c, x, w), 1e-3);
  // Without bf16 instructions the product is computed in f32.
  EXPECT_EQ(isSkinny(odd), !cpu::hasBFloat16()) << odd.implementation;
  KernelTester unknown("linear");
  unknown.operand(rowMajor(DType::F32, c.lhs()), x)
      .operand(rowMajor(DType::F32, c.weights()), w)
      .result(rowMajor(DType::F32, c.result()));
  expectLibrary(unknown, product(c, x, w));
}
