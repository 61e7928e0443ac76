//===- InverseIndexTest.cpp - The kernel inverse_index ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include "weir/Support/Random.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace weir;
using namespace weir::test;

static KernelTester testerFor(DType type, const Array &x, int64_t size,
                              int64_t axis) {
  Dims dims = x.dims;
  dims[static_cast<size_t>(axis)] = size;
  KernelTester tester("inverse_index");
  tester.attr("axis", Dims{axis})
      .operand(rowMajor(type, x.dims), x)
      .result(rowMajor(DType::I64, dims));
  return tester;
}

/// The last place along `axis` at which each number below `size` stands, or -1.
static Array invert(const Array &x, int64_t size, size_t axis) {
  Dims dims = x.dims;
  dims[axis] = size;
  Array result(dims, -1);
  forEachIndex(x.dims, [&](const Dims &at) {
    const auto index = static_cast<int64_t>(x.at(at));
    Dims place = at;
    place[axis] = index < 0 ? index + size : index;
    if (place[axis] >= 0 && place[axis] < size)
      result.at(place) = static_cast<double>(at[axis]);
  });
  return result;
}

// Along any axis; indices occur twice, count from the end and are outside.
TEST(InverseIndex, FindsPlaces) {
  const Dims dims{3, 11, 4};
  SplitMix64 random(5);
  Array x(dims);
  for (double &index : x.values)
    index = static_cast<double>(random.next() % 20) - 9;
  for (size_t axis = 0; axis < 3; ++axis)
    for (int64_t size : {1, 2, 7})
      for (DType type : {DType::I8, DType::I16, DType::I32, DType::I64})
        testerFor(type, x, size, static_cast<int64_t>(axis))
            .expect(invert(x, size, axis));
}

// Without indices there is no place, and without places nothing is written.
TEST(InverseIndex, TakesEmptyTensors) {
  const Array none({0, 2}), one({1, 0});
  testerFor(DType::I64, none, 3, 0).expect(Array({3, 2}, -1));
  testerFor(DType::I64, one, 3, 0).expect(Array({3, 0}));
  testerFor(DType::I64, Array({5}, 1), 0, 0).expect(Array({0}));
}

// An unsigned index never counts from the end, however large it is.
TEST(InverseIndex, TakesUnsignedIndicesAsTheyAre) {
  Array x({4});
  x.values = {1, 255, 3, 2};
  testerFor(DType::U8, x, 4, 0).expect(invert(x, 4, 0));
  // What a double rounds down to is 2^64 - 2048, or -2048 in 64 bits.
  x.values[1] = std::nextafter(std::ldexp(1, 64), 0);
  Array expected({2048}, -1);
  expected.values[1] = 0, expected.values[2] = 3, expected.values[3] = 2;
  testerFor(DType::U64, x, 2048, 0).expect(expected);
}
