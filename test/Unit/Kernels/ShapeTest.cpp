//===- ShapeTest.cpp - reorder against plain loops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelTester.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace weir;
using namespace weir::test;

static const DType allTypes[] = {
    DType::F32, DType::F16, DType::BF16, DType::F64, DType::I8,
    DType::U8,  DType::I16, DType::I32,  DType::I64, DType::I1,
    DType::U16, DType::U32, DType::U64};

/// Whole numbers that every type but i1 holds.
static Array small(const Dims &dims) {
  int next = 0;
  return computed(dims, [&](const Dims &) { return next++ % 97; });
}

static void checkCopy(const TensorDesc &from, const TensorDesc &to) {
  SCOPED_TRACE(from.toString() + " to " + to.toString());
  Array values = computed(from.dims, [&](const Dims &index) {
    Dims source = index;
    for (size_t i = 0; i < index.size(); ++i)
      if (from.strides[i] == 0)
        source[i] = 0;
    double value = small(from.dims).at(source);
    return from.type == DType::I1 ? value > 40 : value;
  });
  KernelTester("reorder").operand(from, values).result(to).expect(values, 0);
}

// Every type is copied bit for bit between any two orders of dims, through
// gaps, and from repeated dims.
TEST(Reorder, CopiesStridedViews) {
  for (DType type : allTypes) {
    Dims dims{4, 6};
    for (const Dims &from : {Dims{6, 1}, Dims{1, 4}, Dims{24, 2}, Dims{0, 1},
                             Dims{1, 0}, Dims{0, 0}})
      for (const Dims &to : {Dims{6, 1}, Dims{1, 4}, Dims{24, 2}})
        checkCopy({type, dims, from}, {type, dims, to});
    checkCopy({type, {7}, {3}}, {type, {7}, {1}});
    checkCopy({type, {7}, {1}}, {type, {7}, {2}});
    checkCopy({type, {}, {}}, {type, {}, {}});
    checkCopy({type, {2, 3, 4, 5}, {60, 1, 15, 3}},
              rowMajor(type, {2, 3, 4, 5}));
    checkCopy({type, {2, 3, 4, 5}, {0, 5, 0, 1}}, rowMajor(type, {2, 3, 4, 5}));
    checkCopy({type, {2, 3, 4, 5}, {3, 1, 0, 0}}, rowMajor(type, {2, 3, 4, 5}));
    checkCopy({type, {2, 3, 2, 3, 2, 2}, {1, 2, 6, 12, 36, 72}},
              rowMajor(type, {2, 3, 2, 3, 2, 2}));
  }
}

// Casts between all pairs of types keep whole numbers in range.
TEST(Reorder, CastsEveryPairOfTypes) {
  Array values = small({3, 50});
  for (DType from : allTypes)
    for (DType to : allTypes) {
      if (from == DType::I1)
        continue;
      Array expected = values;
      if (to == DType::I1)
        for (double &value : expected.values)
          value = value != 0;
      KernelTester("reorder")
          .operand(rowMajor(from, {3, 50}), values)
          .result({to, {3, 50}, {1, 3}})
          .expect(expected, 0);
    }
}

// A cast of a float to an integer cuts off; it does not round.
TEST(Reorder, CutsFloatsOff) {
  Array values({6});
  values.values = {-1.75, -0.5, 0.5, 1.5, 2.75, 99.99};
  Array expected({6});
  expected.values = {-1, 0, 0, 1, 2, 99};
  for (DType to : {DType::I8, DType::I16, DType::I32, DType::I64})
    KernelTester("reorder")
        .operand(rowMajor(DType::F32, {6}), values)
        .result(rowMajor(to, {6}))
        .expect(expected, 0);
}

// What an integer cannot hold is clamped, and NaN becomes 0, as the op cast is
// defined; numbers from the types' limits.
TEST(Reorder, ClampsFloats) {
  struct {
    DType to;
    std::vector<double> expected;
  } cases[] = {
      {DType::I8, {127, -128, 127, 0, 127, -128}},
      {DType::U8, {255, 0, 255, 0, 255, 0}},
      {DType::I16, {300, -300, 32767, 0, 32767, -32768}},
      {DType::I32, {300, -300, 2147483647.0, 0, 2147483647.0, -2147483648.0}},
      {DType::I64,
       {300, -300, 1e10, 0, 9223372036854775807.0, -9223372036854775808.0}},
      {DType::U16, {300, 0, 65535, 0, 65535, 0}},
      {DType::U32, {300, 0, 4294967295.0, 0, 4294967295.0, 0}},
      {DType::U64, {300, 0, 1e10, 0, 18446744073709551615.0, 0}},
      {DType::I1, {1, 1, 1, 1, 1, 1}}};
  Array values({6}), expected({6});
  values.values = {300, -300, 1e10, NAN, INFINITY, -INFINITY};
  for (const auto &c : cases) {
    SCOPED_TRACE(toString(c.to));
    expected.values = c.expected;
    for (DType from : {DType::F32, DType::F64})
      KernelTester("reorder")
          .operand(rowMajor(from, {6}), values)
          .result(rowMajor(c.to, {6}))
          .expect(expected, 0);
  }
}

// A u64 beyond 2^63 is no negative number, and a float there fits into a u64.
TEST(Reorder, ConvertsLargeUnsigned) {
  Array large({2});
  large.values = {std::ldexp(1, 63), std::ldexp(3, 62)};
  for (auto [from, to] : {std::pair(DType::U64, DType::F32),
                          {DType::U64, DType::F64},
                          {DType::F32, DType::U64},
                          {DType::F64, DType::U64}})
    KernelTester("reorder")
        .operand(rowMajor(from, {2}), large)
        .result(rowMajor(to, {2}))
        .expect(large, 0);
}

// f32 becomes bf16 by rounding to nearest even.
TEST(Reorder, RoundsToBFloat16) {
  Array values = computed({64}, [](const Dims &i) {
    return std::sin(static_cast<double>(i[0])) * 3;
  });
  Array expected = computed({64}, [&](const Dims &i) {
    return bfloat16ToFloat(floatToBFloat16(values.at(i)));
  });
  KernelTester("reorder")
      .operand(rowMajor(DType::F32, {64}), values)
      .result(rowMajor(DType::BF16, {64}))
      .expect(expected, 0);
}

// A large cast is split over threads without a seam.
TEST(Reorder, CastsLargeTensors) {
  Array values = small({5, 70001});
  KernelTester("reorder")
      .threads(2)
      .operand(rowMajor(DType::I32, {5, 70001}), values)
      .result(rowMajor(DType::I64, {5, 70001}))
      .expect(values, 0);
}
