//===- TopKTest.cpp - The kernel top_k --------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace weir;
using namespace weir::test;

namespace {
/// The first `k` positions in the order of a stable sort.
std::vector<double> sortedPositions(const std::vector<double> &row, int64_t k,
                                    bool isLargest) {
  std::vector<int64_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  auto key = [&](int64_t i) { return std::isnan(row[i]) ? HUGE_VAL : row[i]; };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return isLargest ? key(a) > key(b) : key(a) < key(b);
  });
  return {order.begin(), order.begin() + k};
}

Array topK(DType type, const Array &x, int64_t axis, int64_t k, bool isLargest,
           int threads = 2) {
  Dims dims = x.dims;
  dims[axis] = k;
  return KernelTester("top_k")
      .attr("axis", Dims{axis})
      .attr("largest", Dims{isLargest})
      .threads(threads)
      .operand(rowMajor(type, x.dims), x)
      .result(rowMajor(DType::I64, dims))
      .run();
}
} // namespace

// Every k of a row with equal elements, in each type.
TEST(TopK, FindsPositions) {
  Array x({23});
  for (int64_t i = 0; i < 23; ++i)
    x.values[i] = static_cast<double>(i * 7 % 11);
  for (DType type :
       {DType::F32, DType::F16, DType::BF16, DType::F64, DType::I8, DType::U8,
        DType::I16, DType::U16, DType::I32, DType::U32, DType::I64, DType::U64})
    for (int64_t k = 0; k <= 23; ++k)
      for (bool isLargest : {true, false})
        EXPECT_EQ(topK(type, x, 0, k, isLargest).values,
                  sortedPositions(x.values, k, isLargest))
            << toString(type) << " " << k;
}

// NaN is the largest, before infinity.
TEST(TopK, TakesNaNForTheLargest) {
  Array x({5});
  x.values = {1, HUGE_VAL, NAN, -HUGE_VAL, NAN};
  EXPECT_EQ(topK(DType::F32, x, 0, 3, true).values,
            (std::vector<double>{2, 4, 1}));
  EXPECT_EQ(topK(DType::F32, x, 0, 5, false).values,
            (std::vector<double>{3, 0, 1, 2, 4}));
}

// Many rows, long ones, along the inner and the outer dim, by any team.
TEST(TopK, FindsAlongAnyAxis) {
  Array x = patterned({300, 40}, 3);
  Array inner = topK(DType::F32, x, 1, 6, true, 1);
  Array outer = topK(DType::F32, x, 0, 6, false, 1);
  for (int64_t i = 0; i < 300; ++i) {
    std::vector<double> row(x.values.begin() + i * 40,
                            x.values.begin() + (i + 1) * 40);
    std::vector<double> expected = sortedPositions(row, 6, true);
    for (int64_t n = 0; n < 6; ++n)
      ASSERT_EQ(inner.at({i, n}), expected[n]) << i;
  }
  for (int64_t i = 0; i < 40; ++i) {
    std::vector<double> column;
    for (int64_t n = 0; n < 300; ++n)
      column.push_back(x.at({n, i}));
    std::vector<double> expected = sortedPositions(column, 6, false);
    for (int64_t n = 0; n < 6; ++n)
      ASSERT_EQ(outer.at({n, i}), expected[n]) << i;
  }
  for (int threads : {2, 3, 8}) {
    EXPECT_EQ(topK(DType::F32, x, 1, 6, true, threads).values, inner.values);
    EXPECT_EQ(topK(DType::F32, x, 0, 6, false, threads).values, outer.values);
  }
}
