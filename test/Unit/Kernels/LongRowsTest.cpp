//===- LongRowsTest.cpp - Windows of one cell on long rows ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The library makes tables with an entry for each position where windows have
// several cells. Rows of more than a million cells are for windows of one.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::test;

namespace {
/// Windows that are `stride` cells apart, on a row that ends with the last one.
struct Row {
  int64_t stride, places;

  Dims placesDims() const { return {1, 1, 1, places}; }
  Dims cellsDims() const { return {1, 1, 1, (places - 1) * stride + 1}; }
  /// The cell of the window at `place`.
  Dims cellAt(const Dims &place) const { return {0, 0, 0, place[3] * stride}; }

  KernelTester tester(const std::string &name) const {
    KernelTester tester(name);
    tester.attr("strides", Dims{1, stride}).attr("kernel_shape", Dims{1, 1});
    return tester;
  }
};
} // namespace

static const Row rows[] = {{1, (int64_t(1) << 20) + 9},
                           {2, (int64_t(1) << 19) + 9}};

TEST(LongRows, ConvTranspose) {
  for (const Row &row : rows) {
    const Array x = patterned(row.placesDims(), 1);
    const Array w = patterned({1, 1, 1, 1}, 2);
    Array expected(row.cellsDims());
    forEachIndex(x.dims, [&](const Dims &place) {
      expected.at(row.cellAt(place)) = x.at(place) * w.values[0];
    });
    row.tester("conv_transpose")
        .operand(rowMajor(DType::F32, x.dims), x)
        .constant(rowMajor(DType::F32, w.dims), w)
        .result(rowMajor(DType::F32, expected.dims))
        .expect(expected);
  }
}

TEST(LongRows, ConvWeightGradient) {
  for (const Row &row : rows) {
    const Array x = patterned(row.cellsDims(), 1);
    const Array g = patterned(row.placesDims(), 2);
    Array expected({1, 1, 1, 1});
    forEachIndex(g.dims, [&](const Dims &place) {
      expected.values[0] += g.at(place) * x.at(row.cellAt(place));
    });
    row.tester("conv_weight_gradient")
        .operand(rowMajor(DType::F32, x.dims), x)
        .operand(rowMajor(DType::F32, g.dims), g)
        .result(rowMajor(DType::F32, expected.dims))
        .expect(expected, 1e-3);
  }
}

TEST(LongRows, Pools) {
  for (const Row &row : rows) {
    const Array x = patterned(row.cellsDims(), 1);
    const Array expected = computed(row.placesDims(), [&](const Dims &place) {
      return x.at(row.cellAt(place));
    });
    for (const char *name : {"max_pool", "average_pool"})
      row.tester(name)
          .operand(rowMajor(DType::F32, x.dims), x)
          .result(rowMajor(DType::F32, expected.dims))
          .expect(expected);
  }
}

TEST(LongRows, MaxPoolGradient) {
  for (const Row &row : rows) {
    const Array g = patterned(row.placesDims(), 1);
    Array expected(row.cellsDims());
    forEachIndex(g.dims, [&](const Dims &place) {
      expected.at(row.cellAt(place)) = g.at(place);
    });
    row.tester("max_pool_gradient")
        .operand(rowMajor(DType::F32, g.dims), g)
        .operand(rowMajor(DType::U8, g.dims), Array(g.dims))
        .result(rowMajor(DType::F32, expected.dims))
        .expect(expected);
  }
}
