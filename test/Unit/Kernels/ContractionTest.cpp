//===- ContractionTest.cpp - matmul and linear -*- C++ -*-===//
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

/// numpy's matmul for operands of rank 2 or more.
static Array product(const Array &lhs, const Array &rhs) {
  size_t rank = std::max(lhs.dims.size(), rhs.dims.size());
  auto padded = [&](const Array &array) {
    Array view = array;
    view.dims.insert(view.dims.begin(), rank - array.dims.size(), 1);
    return view;
  };
  Array a = padded(lhs), b = padded(rhs);
  Dims dims(rank);
  for (size_t i = 0; i + 2 < rank; ++i)
    dims[i] = std::max(a.dims[i], b.dims[i]);
  dims[rank - 2] = a.dims[rank - 2];
  dims[rank - 1] = b.dims[rank - 1];
  return computed(dims, [&](const Dims &index) {
    double sum = 0;
    for (int64_t k = 0; k < a.dims[rank - 1]; ++k) {
      Dims left = index, right = index;
      left[rank - 1] = k;
      right[rank - 2] = k;
      sum += a.broadcastAt(left) * b.broadcastAt(right);
    }
    return sum;
  });
}

static void checkProduct(Dims lhsDims, Dims rhsDims, DType type, bool constant,
                         double tolerance) {
  Array lhs = patterned(lhsDims, 1), rhs = patterned(rhsDims, 2);
  Array expected = product(lhs, rhs);
  KernelTester tester("matmul");
  tester.operand(rowMajor(type, lhsDims), lhs);
  if (constant)
    tester.constant(rowMajor(type, rhsDims), rhs);
  else
    tester.operand(rowMajor(type, rhsDims), rhs);
  tester.result(rowMajor(type, expected.dims));
  tester.expect(expected, tolerance);
}

// Batched products broadcast their leading dims in every combination, with
// weights known at load or not, in f32 and bf16.
TEST(Matmul, BroadcastsLeadingDims) {
  std::pair<Dims, Dims> shapes[] = {
      {{5, 7}, {7, 3}},
      {{1, 64}, {64, 48}},
      {{32, 1}, {1, 16}},
      {{33, 65}, {65, 1}},
      {{1, 1}, {1, 1}},
      {{3, 5, 7}, {3, 7, 4}},
      {{3, 5, 7}, {7, 4}},
      {{3, 5, 7}, {1, 7, 4}},
      {{5, 7}, {3, 7, 4}},
      {{1, 5, 7}, {3, 7, 4}},
      {{2, 1, 5, 7}, {1, 3, 7, 4}},
      {{2, 3, 5, 7}, {3, 7, 4}},
      {{2, 3, 5, 7}, {1, 3, 7, 4}},
      {{2, 1, 5, 7}, {3, 7, 4}},
      {{2, 1, 2, 5, 7}, {3, 1, 7, 4}},
  };
  for (auto &[lhs, rhs] : shapes)
    for (bool constant : {false, true}) {
      SCOPED_TRACE(rowMajor(DType::F32, lhs).toString() + " by " +
                   rowMajor(DType::F32, rhs).toString());
      checkProduct(lhs, rhs, DType::F32, constant, 1e-5);
      checkProduct(lhs, rhs, DType::BF16, constant, 1e-2);
    }
}

// Transposed, gapped, repeated and doubly strided views of operands and result
// give what the dense ones give.
TEST(Matmul, TakesAnyStrides) {
  Array lhs = patterned({6, 9}, 1), rhs = patterned({9, 5}, 2);
  Array expected = product(lhs, rhs);
  Dims lhsStrides[] = {{9, 1}, {1, 6}, {20, 1}, {40, 2}};
  Dims rhsStrides[] = {{5, 1}, {1, 9}, {11, 1}, {30, 3}};
  Dims resultStrides[] = {{5, 1}, {1, 6}, {12, 1}, {24, 2}};
  for (const Dims &a : lhsStrides)
    for (const Dims &b : rhsStrides)
      for (const Dims &c : resultStrides)
        KernelTester("matmul")
            .operand({DType::F32, {6, 9}, a}, lhs)
            .operand({DType::F32, {9, 5}, b}, rhs)
            .result({DType::F32, {6, 5}, c})
            .expect(expected);
}

// Heads of attention are read and written in place: batch, head, row, column
// over a row-major batch x row x head x column.
TEST(Matmul, MultipliesInterleavedHeads) {
  Array lhs = patterned({2, 4, 6, 8}, 1), rhs = patterned({2, 4, 8, 6}, 2);
  KernelTester("matmul")
      .operand({DType::F32, {2, 4, 6, 8}, {192, 8, 32, 1}}, lhs)
      .operand({DType::F32, {2, 4, 8, 6}, {192, 8, 1, 32}}, rhs)
      .result({DType::F32, {2, 4, 6, 6}, {144, 6, 24, 1}})
      .expect(product(lhs, rhs));
}

// A vector is a row on the left and a column on the right, as in numpy.
TEST(Matmul, MultipliesVectors) {
  Array matrix = patterned({3, 4, 5}, 1);
  Array column = patterned({5}, 2), row = patterned({4}, 3);
  KernelTester("matmul")
      .operand(rowMajor(DType::F32, {3, 4, 5}), matrix)
      .operand(rowMajor(DType::F32, {5}), column)
      .result(rowMajor(DType::F32, {3, 4}))
      .expect(computed({3, 4}, [&](const Dims &i) {
        double sum = 0;
        for (int64_t k = 0; k < 5; ++k)
          sum += matrix.at({i[0], i[1], k}) * column.at({k});
        return sum;
      }));
  KernelTester("matmul")
      .operand(rowMajor(DType::F32, {4}), row)
      .operand(rowMajor(DType::F32, {3, 4, 5}), matrix)
      .result(rowMajor(DType::F32, {3, 5}))
      .expect(computed({3, 5}, [&](const Dims &i) {
        double sum = 0;
        for (int64_t k = 0; k < 4; ++k)
          sum += row.at({k}) * matrix.at({i[0], k, i[1]});
        return sum;
      }));
}

// Post-ops of every broadcasting run after the product, in their order.
TEST(Matmul, AppliesPostOps) {
  Array lhs = patterned({2, 6, 9}, 1), rhs = patterned({9, 5}, 2);
  for (const Dims &dims :
       {Dims{2, 6, 5}, Dims{5}, Dims{1, 1, 1}, Dims{6, 1}, Dims{2, 1, 5}}) {
    Array extra = patterned(dims, 3);
    Array expected = product(lhs, rhs);
    forEachIndex(expected.dims, [&](const Dims &index) {
      double sum = expected.at(index) + extra.broadcastAt(index);
      expected.at(index) = 0.5 * std::max(sum, 0.0) + 1;
    });
    KernelTester("matmul")
        .threads(2)
        .operand(rowMajor(DType::F32, {2, 6, 9}), lhs)
        .operand(rowMajor(DType::F32, {9, 5}), rhs)
        .result(rowMajor(DType::F32, {2, 6, 5}))
        .postOp("binary_add", rowMajor(DType::F32, dims), extra)
        .postOp("eltwise_relu", 0, 0)
        .postOp("eltwise_linear", 0.5, 1)
        .expect(expected);
  }
}

// What is summed up from bf16 is not rounded before an f32 result is written,
// and operands of post-ops may be of either type.
TEST(Linear, SumsBFloat16InF32) {
  constexpr int64_t rows = 6, depth = 65, columns = 40;
  const Array x = patterned({rows, depth}, 1);
  const Array w = patterned({columns, depth}, 2);
  const Array bias = patterned({columns}, 3);
  const Array extra = patterned({rows, columns}, 4);
  const Array expected = computed({rows, columns}, [&](const Dims &index) {
    double sum = bias.at({index[1]}) + extra.at(index);
    for (int64_t k = 0; k < depth; ++k)
      sum += x.at({index[0], k}) * w.at({index[1], k});
    return std::max(sum, 0.0);
  });
  for (DType extraType : {DType::F32, DType::BF16})
    for (DType resultType : {DType::F32, DType::BF16})
      KernelTester("linear")
          .operand(rowMajor(DType::BF16, x.dims), x)
          .constant(rowMajor(DType::BF16, w.dims), w)
          .operand(rowMajor(DType::F32, bias.dims), bias)
          .result(rowMajor(resultType, expected.dims))
          .postOp("binary_add", rowMajor(extraType, extra.dims), extra)
          .postOp("eltwise_relu", 0, 0)
          .expect(expected, resultType == DType::F32 ? 1e-5 : 4e-3);
}

// linear is x by the transposed weights plus bias, for any rank of x.
// Large constant weights are packed slice by slice, of which the last is not
// whole.
TEST(Linear, PacksSlices) {
  constexpr int64_t columns = 1100, depth = 4096;
  const Array x = patterned({2, depth}, 1), w = patterned({columns, depth}, 2);
  const Array expected = computed({2, columns}, [&](const Dims &index) {
    double sum = 0;
    for (int64_t k = 0; k < depth; ++k)
      sum += x.values[static_cast<size_t>(index[0] * depth + k)] *
             w.values[static_cast<size_t>(index[1] * depth + k)];
    return sum;
  });
  KernelTester tester("linear");
  tester.operand(rowMajor(DType::F32, {2, depth}), x)
      .constant(rowMajor(DType::F32, {columns, depth}), w)
      .result(rowMajor(DType::F32, {2, columns}))
      .expect(expected, 1e-3);
  EXPECT_GT(tester.mostReads(), 1u);
}

TEST(Linear, AddsBias) {
  for (const Dims &dims : {Dims{4, 9}, Dims{2, 3, 9}, Dims{2, 2, 3, 9}})
    for (bool constant : {false, true})
      for (bool hasBias : {false, true})
        for (DType type : {DType::F32, DType::BF16}) {
          Array x = patterned(dims, 1), w = patterned({5, 9}, 2);
          Array bias = patterned({5}, 3);
          Dims resultDims = dims;
          resultDims.back() = 5;
          Array expected = computed(resultDims, [&](const Dims &index) {
            double sum = hasBias ? bias.at({index.back()}) : 0;
            Dims from = index;
            for (int64_t k = 0; k < 9; ++k) {
              from.back() = k;
              sum += x.at(from) * w.at({index.back(), k});
            }
            return std::max(sum, 0.0);
          });
          KernelTester tester("linear");
          tester.operand(rowMajor(type, dims), x);
          if (constant)
            tester.constant(rowMajor(type, {5, 9}), w);
          else
            tester.operand(rowMajor(type, {5, 9}), w);
          if (hasBias)
            tester.operand(rowMajor(type, {5}), bias);
          tester.result(rowMajor(type, resultDims))
              .postOp("eltwise_relu", 0, 0)
              .expect(expected, type == DType::F32 ? 1e-5 : 1e-2);
        }
}
