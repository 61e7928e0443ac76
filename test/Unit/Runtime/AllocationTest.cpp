//===- AllocationTest.cpp - Allocations in runs, and failing ones ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A separate program, because it replaces the global allocation functions.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/Host/HostMemory.h"

#include "SmallPlans.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

static std::atomic<uint64_t> numAllocations{0};
/// The number of the allocation that fails, and whether all later ones do.
static std::atomic<uint64_t> failing{UINT64_MAX};
static std::atomic<bool> areAllFailing{false};

static void *allocate(size_t bytes) {
  const uint64_t number =
      numAllocations.fetch_add(1, std::memory_order_relaxed);
  if (number == failing || (areAllFailing && number > failing))
    throw std::bad_alloc();
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  std::abort();
}

/// Not inlined, because GCC warns of a free() where a new is beside it.
[[gnu::noinline]] static void release(void *memory) { std::free(memory); }

void *operator new(size_t bytes) { return allocate(bytes); }
void *operator new[](size_t bytes) { return allocate(bytes); }
// The default calls the first operator, but not with sanitizers.
void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  try {
    return allocate(bytes);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}
void operator delete(void *memory) noexcept { release(memory); }
void operator delete[](void *memory) noexcept { release(memory); }
void operator delete(void *memory, size_t) noexcept { release(memory); }
void operator delete[](void *memory, size_t) noexcept { release(memory); }

using namespace weir;
using namespace weir::test;

namespace {

/// A chain of `length` launches from x to y on `device`.
std::vector<std::byte> chain(const std::string &device, int length) {
  PlanBuilder plan;
  plan.device(device);
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  const uint32_t ends[] = {plan.scratch(1), plan.scratch(1)};
  plan.on(0);
  plan.launch("first", "affine", {x}, {ends[0]});
  for (int i = 1; i + 1 < length; ++i)
    plan.launch("middle", "affine", {ends[(i + 1) % 2]}, {ends[i % 2]});
  plan.launch("last", "affine", {ends[length % 2]}, {y});
  return plan.bytes();
}

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

/// y = relu(2p + x) for a parameter p, on two devices with teams; the last op
/// is the library's.
std::vector<std::byte> mixedPlan() {
  PlanBuilder plan;
  plan.device("test:0", /*isolated=*/true, /*threads=*/2);
  const uint16_t last = plan.device("cpu:0", /*isolated=*/true, 2);
  const uint32_t host = plan.hostInput("x", 1), y = plan.hostOutput("y", 1);
  const uint32_t x = plan.scratch(1), result = plan.scratch(1, last);
  const uint32_t sum = plan.scratch(1), copied = plan.scratch(1);
  const uint32_t arrived = plan.scratch(1, last);
  const uint32_t computed = plan.event(), crossed = plan.event();
  plan.on(0).copy("x", host, x);
  plan.launch("sum", "packed", {x, plan.parameter({3})}, {sum});
  plan.launch("copy", "via_workspace", {sum}, {copied});
  plan.record(computed);
  plan.on(0, QueueRole::CopyIn).wait(computed);
  plan.copy("copy", copied, arrived, true);
  plan.record(crossed);
  AttrMap relu;
  relu.set("algorithm", "eltwise_relu");
  plan.on(last).wait(crossed);
  plan.launch("relu", "eltwise", {arrived}, {result}, relu);
  plan.copy("y", result, y);
  return plan.bytes();
}

/// Loads while the allocation `number` from now fails, and all later ones if
/// `laterToo`.
StatusOr<std::unique_ptr<Session>>
loadWithout(const std::vector<std::byte> &artifact, uint64_t number,
            bool laterToo = false) {
  const SessionOptions options = testOptions();
  areAllFailing = laterToo;
  failing = numAllocations + number;
  auto session = Session::load(artifact, options);
  failing = UINT64_MAX;
  areAllFailing = false;
  return session;
}

/// How many allocations a load makes.
uint64_t countAllocations(const std::vector<std::byte> &artifact) {
  const uint64_t before = numAllocations;
  EXPECT_TRUE(loadWithout(artifact, UINT32_MAX).isOk());
  return numAllocations - before;
}

// Whichever allocation fails, a load ends with an error or continues without
// it. What it has begun is undone, so that the next load succeeds. Only some of
// the allocations after the first 300 are tried.
TEST(Allocation, EachMayFailInALoad) {
  const std::vector<std::byte> artifact = mixedPlan();
  const uint64_t inAll = countAllocations(artifact);
  uint64_t numRefused = 0, numTried = 0;
  for (uint64_t i = 0; i < inAll; i += i < 300 ? 1 : 19, ++numTried) {
    auto session = loadWithout(artifact, i);
    if (session.isOk()) {
      EXPECT_EQ(Caller(*std::move(session)).result(), 7) << i;
      continue;
    }
    ++numRefused;
    EXPECT_EQ(session.status().code(), StatusCode::ResourceExhausted)
        << i << ": " << session.status().message();
  }
  EXPECT_GT(numTried, 300u);
  EXPECT_GT(numRefused, 150u);
  EXPECT_EQ(Caller(*loadWithout(artifact, UINT32_MAX)).result(), 7);
}

// Memory of a device that cannot be described is not counted as in use.
TEST(Allocation, MayFailForMemoryOfADevice) {
  const auto inUse = [] {
    return std::string(mapHostMemory(1, 0).status().message());
  };
  const std::string before = inUse();
  bool isOk = false;
  for (uint64_t i = 0; !isOk; ++i) {
    failing = numAllocations + i;
    try {
      isOk = mapHostMemory(1 << 20, uint64_t(1) << 40).isOk();
    } catch (const std::bad_alloc &) {
      isOk = false;
    }
    failing = UINT64_MAX;
    EXPECT_TRUE(i > 0 || !isOk);
  }
  EXPECT_EQ(inUse(), before);
}

// When memory is really gone, no error can be described, and none needs to be.
TEST(Allocation, AllMayFailInALoad) {
  const std::vector<std::byte> artifact = mixedPlan();
  const uint64_t inAll = countAllocations(artifact);
  uint64_t numRefused = 0;
  for (uint64_t i = 0; i < inAll; i += i < 300 ? 1 : 19) {
    auto session = loadWithout(artifact, i, /*laterToo=*/true);
    if (session.isOk())
      continue;
    ++numRefused;
    EXPECT_EQ(session.status().code(), StatusCode::ResourceExhausted)
        << i << ": " << session.status().message();
    EXPECT_NE(session.status().message(), "") << i;
  }
  EXPECT_GT(numRefused, 150u);
  EXPECT_EQ(Caller(*loadWithout(artifact, UINT32_MAX)).result(), 7);
}

// Without memory a run that fails says so, and one that cannot be queued throws
// as documented.
TEST(Allocation, AllMayFailInARun) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  plan.on(0).launch("op", "throw_in_run", {x}, {y});
  Caller caller(plan);
  uint64_t numThrown = 0, numFailed = 0;
  for (uint64_t i = 0; i < 30; ++i) {
    StatusCode codes[2] = {};
    for (bool isAsync : {false, true}) {
      areAllFailing = true;
      failing = numAllocations + i;
      try {
        codes[isAsync] = (isAsync ? caller.runAsync() : caller.run()).code();
      } catch (const std::bad_alloc &) {
        codes[isAsync] = StatusCode::Ok;
        ++numThrown;
        EXPECT_TRUE(isAsync);
      }
      failing = UINT64_MAX;
      areAllFailing = false;
    }
    EXPECT_NE(codes[0], StatusCode::Ok) << i;
    numFailed += codes[1] == StatusCode::ResourceExhausted;
  }
  EXPECT_GT(numThrown, 0u);
  EXPECT_LT(numThrown, 5u);
  EXPECT_GT(numFailed, 0u);
}

// An error is one, also where there is no memory for its words.
TEST(Allocation, StatusesNeedNoMemory) {
  const std::string text(100, 'x');
  Status full(StatusCode::NotFound, text);
  areAllFailing = true;
  failing = numAllocations.load();
  const Status copy = full;
  const Status inContext = std::move(full).withContext("a context of its own");
  const Status made(StatusCode::NotFound, std::string());
  const Status again = Status(made).withContext("anywhere");
  failing = UINT64_MAX;
  areAllFailing = false;
  for (const Status *status : {&copy, &made, &again}) {
    EXPECT_EQ(status->code(), StatusCode::ResourceExhausted);
    EXPECT_EQ(status->message(), "out of memory");
  }
  EXPECT_EQ(inContext.code(), StatusCode::NotFound);
  EXPECT_EQ(inContext.message(), text);
}

// Prints the cost of the executor itself, without a check.
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
