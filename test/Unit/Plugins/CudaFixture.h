//===- CudaFixture.h - Plans for pretended GPUs -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_PLUGINS_CUDAFIXTURE_H
#define WEIR_TEST_UNIT_PLUGINS_CUDAFIXTURE_H

#include "FakeCuda/FakeCuda.h"
#include "SmallPlans.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace weir::test {

/// The entries of the code in these tests: the sum of two vectors, twice a
/// vector, and a vector with a NaN at its beginning.
inline constexpr uint32_t add = 0, twice = 1, makesNan = 2;

/// The driver of the pretended GPUs.
FakeCuda &fake();

/// Code for GPUs with these entries, whose images have these first lines: PTX
/// for sm_80, unless others are named.
std::vector<std::byte>
makeCode(const std::vector<std::pair<bool, uint32_t>> &cubins = {{false, 80}},
         const std::string &text = "");

/// y = 2^n x by `numLaunches` launches "launch0", "launch1" ... on `device`.
/// The last one is of the entry `last`.
PlanBuilder makeChain(const std::string &device, int numLaunches,
                      uint32_t last = twice);

/// y = 10x: x is doubled on cuda:0, and `kernel` makes 3x on a CPU; the sum is
/// made on cuda:1 and doubled on another CPU.
PlanBuilder makeMixed(const std::string &kernel = "affine");

/// What a program can ask the pretended driver for, on two streams.
struct FakeDriverCalls {
  /// Fills the memory of the GPU on a stream.
  std::function<void(int stream)> fill;
  /// Lets stream `second` wait for `first`.
  std::function<void(int first, int second)> order;
};
/// Calls `use` on a GPU and some of its memory.
void useFakeDriver(const std::function<void(const FakeDriverCalls &)> &use);

/// The result of a run on 1, or NaN.
float resultOf(Session &session);

/// No test may use memory without an order or leave anything behind.
class Cuda : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;
};

} // namespace weir::test

#endif // WEIR_TEST_UNIT_PLUGINS_CUDAFIXTURE_H
