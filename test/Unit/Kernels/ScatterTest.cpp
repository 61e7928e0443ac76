//===- ScatterTest.cpp - The kernel scatter ---------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include "weir/Support/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

// Small floats are combined as f32 and rounded once: bf16 holds no odd number
// from 2^8 on, and f16 none from 2^11 on.
TEST(Scatter, RoundsSmallFloatsOnce) {
  for (auto [type, large] :
       {std::pair(DType::F16, 2048.0), std::pair(DType::BF16, 256.0)})
    for (int threads : {1, 2}) {
      Array input({2, 3, 1}, large), updates({2, 4, 1}, 1.0), indices({4});
      indices.values = {0, 2, 0, 2};
      std::vector<double> sums =
          KernelTester("scatter")
              .attr("algorithm", std::string("scatter_sum"))
              .threads(threads)
              .operand(rowMajor(type, updates.dims), updates)
              .operand(rowMajor(DType::I64, indices.dims), indices)
              .operand(rowMajor(type, input.dims), input)
              .result(rowMajor(type, input.dims))
              .run()
              .values;
      EXPECT_EQ(sums, (std::vector<double>{large + 2, large, large + 2,
                                           large + 2, large, large + 2}))
          << toString(type);
    }
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
  EXPECT_NE(messageOf(DType::I1, updates, input, "scatter_sum")
                .find("expected integers or floats, found i1"),
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
