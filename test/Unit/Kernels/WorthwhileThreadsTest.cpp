//===- WorthwhileThreadsTest.cpp - How many threads kernels get -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Kernels/CPU/WorthwhileThreads.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::cpu;

namespace {

KernelSpec pointwise(int64_t elements) {
  KernelSpec spec;
  spec.operands = {TensorDesc::rowMajor(DType::F32, {elements})};
  spec.results = spec.operands;
  return spec;
}

// Ten numbers are not worth a team. A million are, and so are few numbers with
// much arithmetic.
TEST(WorthwhileThreads, DependsOnTheWork) {
  EXPECT_EQ(worthwhileThreads(pointwise(10), 0, 2), 1);
  EXPECT_EQ(worthwhileThreads(pointwise(10), 0, 64), 1);
  EXPECT_EQ(worthwhileThreads(pointwise(1000000), 0, 2), 2);
  EXPECT_EQ(worthwhileThreads(pointwise(1000000), 0, 64), 64);
  EXPECT_EQ(worthwhileThreads(pointwise(10), 1e7, 2), 2);
  EXPECT_EQ(worthwhileThreads(pointwise(1000000), 0, 1), 1);
}

// Also no work at all is done by one thread, on a device of none.
TEST(WorthwhileThreads, IsNeverLessThanOne) {
  EXPECT_EQ(worthwhileThreads(pointwise(0), 0, 0), 1);
  EXPECT_EQ(worthwhileThreads(pointwise(1000000), 0, 0), 1);
}

// A product of 2x3 by 3x4 has 24 products and as many sums.
TEST(WorthwhileThreads, CountsFlops) {
  EXPECT_EQ(flopsOfSums(TensorDesc::rowMajor(DType::F32, {2, 4}), 3), 48);
}

} // namespace
