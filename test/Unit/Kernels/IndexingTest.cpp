//===- IndexingTest.cpp - The kernels scatter and top_k ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include "weir/Support/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace weir;
using namespace weir::test;

namespace {

/// Rows, and updates of them in a random order; some meet no row.
struct ScatterCase {
  Dims updates, input;
  Array indices;
  Array values, start;

  ScatterCase(int64_t planes, int64_t count, int64_t rows, int64_t width)
      : updates{planes, count, width}, input{planes, rows, width},
        indices({count}), values(patterned(updates, 1)),
        start(patterned(input, 2)) {
    SplitMix64 random(7);
    for (double &index : indices.values)
      index =
          static_cast<double>(random.next() % static_cast<uint64_t>(rows + 2)) -
          1;
  }

  KernelTester tester(const char *algorithm, DType type, int threads) const {
    KernelTester tester("scatter");
    tester.attr("algorithm", std::string(algorithm))
        .threads(threads)
        .operand(rowMajor(type, updates), values)
        .operand(rowMajor(DType::I64, indices.dims), indices)
        .operand(rowMajor(type, input), start)
        .result(rowMajor(type, input));
    return tester;
  }

  /// Update by update, in f64.
  template <typename Combine> Array expected(Combine combine) const {
    Array result = start;
    for (int64_t v = 0; v < updates[0]; ++v)
      for (int64_t j = 0; j < updates[1]; ++j) {
        const auto row = static_cast<int64_t>(indices.at({j}));
        for (int64_t w = 0; w < updates[2]; ++w)
          if (row >= 0 && row < input[1]) {
            double &known = result.at({v, row, w});
            known = combine(known, values.at({v, j, w}));
          }
      }
    return result;
  }
};

double sum(double known, double update) { return known + update; }

} // namespace

// Each algorithm, over planes, rows and widths of 1 and more.
TEST(Scatter, Combines) {
  for (const auto &[planes, count, rows, width] :
       {std::array<int64_t, 4>{1, 9, 4, 3},
        {3, 20, 5, 1},
        {2, 1, 1, 7},
        {1, 0, 3, 2},
        {0, 4, 3, 2},
        {2, 4, 0, 2}}) {
    ScatterCase c(planes, count, rows, width);
    c.tester("scatter_sum", DType::F32, 2).expect(c.expected(sum));
    c.tester("scatter_prod", DType::F64, 2)
        .expect(c.expected(
            [](double known, double update) { return known * update; }));
    c.tester("scatter_max", DType::F32, 2)
        .expect(c.expected([](double known, double update) {
          return std::max(known, update);
        }));
    c.tester("scatter_min", DType::F32, 2)
        .expect(c.expected([](double known, double update) {
          return std::min(known, update);
        }));
  }
}

// The sum of a row has one order, so it has the same bits for any number of
// threads, also where more threads than planes share the rows.
TEST(Scatter, HasTheSameBitsForAnyTeam) {
  for (int64_t planes : {1, 3}) {
    ScatterCase c(planes, 20000, 700, 33);
    Array one = c.tester("scatter_sum", DType::F32, 1).run();
    for (int threads : {2, 3, 8})
      EXPECT_EQ(c.tester("scatter_sum", DType::F32, threads).run().values,
                one.values)
          << threads;
  }
}

// Integers wrap, and a u64 is compared as what it is.
TEST(Scatter, CombinesIntegers) {
  auto combined = [](const char *algorithm, DType type, double start,
                     std::vector<double> updates) {
    Array input({1, 1, 1}, start);
    Array values({1, static_cast<int64_t>(updates.size()), 1});
    values.values = std::move(updates);
    Array indices({values.dims[1]});
    return KernelTester("scatter")
        .attr("algorithm", std::string(algorithm))
        .operand(rowMajor(type, values.dims), values)
        .operand(rowMajor(DType::U8, indices.dims), indices)
        .operand(rowMajor(type, input.dims), input)
        .result(rowMajor(type, input.dims))
        .run()
        .values[0];
  };
  EXPECT_EQ(combined("scatter_sum", DType::U8, 250, {3, 4}), 1);
  EXPECT_EQ(combined("scatter_prod", DType::I8, 16, {4, 2}), -128);
  const double large = std::ldexp(1, 63);
  EXPECT_EQ(combined("scatter_max", DType::U64, 1, {large, 2}), large);
  EXPECT_EQ(combined("scatter_min", DType::U64, large, {2 * large, 3}), 3);
}

TEST(Scatter, RefusesWhatDoesNotFit) {
  auto messageOf = [](DType type, Dims updates, Dims input,
                      const char *algorithm) {
    KernelTester tester("scatter");
    tester.attr("algorithm", std::string(algorithm))
        .operand(rowMajor(type, updates), Array(updates))
        .operand(rowMajor(DType::I64, {2}), Array({2}))
        .operand(rowMajor(type, input), Array(input))
        .result(rowMajor(type, input));
    StatusOr<std::unique_ptr<Kernel>> kernel = tester.prepare();
    return kernel ? std::string() : std::string(kernel.status().message());
  };
  const Dims updates{1, 2, 3}, input{1, 5, 3};
  EXPECT_EQ(messageOf(DType::F32, updates, input, "scatter_sum"), "");
  EXPECT_NE(messageOf(DType::F16, updates, input, "scatter_sum")
                .find("expected integers, f32 or f64, found f16"),
            std::string::npos);
  EXPECT_NE(messageOf(DType::F32, {1, 2, 4}, input, "scatter_sum")
                .find("agree in their first and last dim"),
            std::string::npos);
  EXPECT_NE(messageOf(DType::F32, {1, 3, 3}, input, "scatter_sum")
                .find("expected operand 1 of shape [3], found [2]"),
            std::string::npos);
  EXPECT_NE(messageOf(DType::F32, updates, input, "scatter_mean")
                .find("unknown algorithm 'scatter_mean'"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// top_k
//===----------------------------------------------------------------------===//

namespace {
/// By a stable sort of all positions.
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
