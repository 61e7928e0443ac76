//===- AllocationTest.cpp - A run allocates nothing ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A program of its own: it replaces the global allocation functions.
//
//===----------------------------------------------------------------------===//

#include "PlanBuilder.h"
#include "TestKernels.h"
#include "weir/Runtime/Session.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

static std::atomic<uint64_t> numAllocations{0};

static void *allocate(size_t bytes) {
  numAllocations.fetch_add(1, std::memory_order_relaxed);
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  std::abort();
}

void *operator new(size_t bytes) { return allocate(bytes); }
void *operator new[](size_t bytes) { return allocate(bytes); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }

using namespace weir;
using namespace weir::test;

namespace {

/// A chain of `length` launches from x to y on `device`.
PlanBuilder chain(const std::string &device, int length) {
  PlanBuilder plan;
  plan.device(device);
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  const uint32_t ends[] = {plan.scratch(1), plan.scratch(1)};
  plan.on(0);
  plan.launch("first", "affine", {x}, {ends[0]});
  for (int i = 1; i + 1 < length; ++i)
    plan.launch("middle", "affine", {ends[(i + 1) % 2]}, {ends[i % 2]});
  plan.launch("last", "affine", {ends[length % 2]}, {y});
  return plan;
}

class Caller {
public:
  explicit Caller(PlanBuilder plan)
      : session(*Session::load(plan.build(), testOptions())) {}
  Status run() {
    const ConstTensorView input{DType::F32, dims, &x, sizeof(x)};
    const TensorView output{DType::F32, dims, &y, sizeof(y)};
    return session->run({&input, 1}, {&output, 1});
  }

private:
  std::unique_ptr<Session> session;
  const std::vector<int64_t> dims = {1};
  float x = 1, y = 0;
};

// After the first run, nothing in a run allocates on any thread.
TEST(Allocation, NoneInASteadyRun) {
  Caller caller(chain("test:0", 100));
  ASSERT_TRUE(caller.run().isOk());
  const uint64_t before = numAllocations;
  bool isOk = true;
  for (int i = 0; i < 1000; ++i)
    isOk &= caller.run().isOk();
  EXPECT_EQ(numAllocations - before, 0u);
  EXPECT_TRUE(isOk);
}

// What the executor itself costs, printed and never asserted.
TEST(Allocation, PrintsTheCostOfALaunch) {
  constexpr int numLaunches = 100000;
  Caller caller(chain("null:0", numLaunches));
  double best = 1e30;
  for (int i = 0; i < 10; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(caller.run().isOk());
    const std::chrono::duration<double, std::nano> took =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count() / numLaunches);
  }
  std::printf("%.1f ns per launch\n", best);
}

} // namespace
