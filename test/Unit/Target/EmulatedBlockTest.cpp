//===- EmulatedBlockTest.cpp - The emulator finds missing barriers --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../../GpuEmulator/EmulatedBlock.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::emulator;

namespace {
constexpr uint64_t numThreads = 64;

EmulatedThread &selfOf(const WeirKernelArgs *args) {
  return *static_cast<EmulatedThread *>(args->scratch);
}

/// Passes the number of each thread to the one before it.
void passOn(const WeirKernelArgs *args, bool hasBarrier) {
  EmulatedThread &self = selfOf(args);
  auto *shared = static_cast<uint64_t *>(self.shared);
  shared[self.thread] = self.thread;
  if (hasBarrier)
    self.barrier(&self);
  static_cast<uint64_t *>(args->buffers[0])[self.thread] =
      shared[(self.thread + 1) % numThreads];
}
void passOnSafely(const WeirKernelArgs *args) { passOn(args, true); }
void passOnAtOnce(const WeirKernelArgs *args) { passOn(args, false); }

/// The warps wait at barriers of different places.
void waitApart(const WeirKernelArgs *args) {
  EmulatedThread &self = selfOf(args);
  if (self.thread < 32) {
    self.barrier(&self);
    asm volatile("# the first place");
  } else {
    self.barrier(&self);
    asm volatile("# the second place");
  }
}

/// The lanes of a warp take part in different exchanges.
void exchangeApart(const WeirKernelArgs *args) {
  EmulatedThread &self = selfOf(args);
  if (self.thread % 2) {
    (void)self.shuffle(&self, 0, 1);
    asm volatile("# the first place");
  } else {
    (void)self.shuffle(&self, 0, 1);
    asm volatile("# the second place");
  }
}

using Results = std::vector<uint64_t>;

StatusOr<Results> run(WeirKernelFunction kernel, ThreadOrder order) {
  Results results(numThreads);
  void *buffers[] = {results.data()};
  EmulatedBlock block(numThreads, numThreads * sizeof(uint64_t));
  WEIR_RETURN_IF_ERROR(block.run(kernel, buffers, 0, order));
  return results;
}
} // namespace

// Without a barrier, what a thread reads depends on the order of threads.
TEST(EmulatedBlockTest, ordersShowAMissingBarrier) {
  Results expected;
  for (uint64_t thread = 0; thread < numThreads; ++thread)
    expected.push_back((thread + 1) % numThreads);
  for (ThreadOrder order : {ThreadOrder::Ascending, ThreadOrder::Descending})
    EXPECT_EQ(*run(passOnSafely, order), expected);
  EXPECT_NE(*run(passOnAtOnce, ThreadOrder::Ascending),
            *run(passOnAtOnce, ThreadOrder::Descending));
}

// A barrier is one place of the code, and so is an exchange.
TEST(EmulatedBlockTest, placesMustMatch) {
  for (WeirKernelFunction kernel : {waitApart, exchangeApart}) {
    const auto results = run(kernel, ThreadOrder::Ascending);
    ASSERT_FALSE(results.isOk());
    EXPECT_EQ(results.status().message(),
              "threads of a block wait for different things");
  }
}
