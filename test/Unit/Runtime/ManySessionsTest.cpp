//===- ManySessionsTest.cpp - What sessions of a process share -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SmallPlans.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

using namespace weir;
using namespace weir::test;

namespace {
/// y = x of `size` floats by way of an arena and a workspace of as many.
std::vector<std::byte> copier(int64_t size) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", size), y = plan.output("y", size);
  const uint32_t between = plan.queueScratch(size);
  plan.on(0).launch("first", "via_workspace", {x}, {between});
  plan.launch("second", "via_workspace", {between}, {y});
  return plan.bytes();
}

/// A run from `value`s that has an hour. Returns the last element.
float runOn(Session &session, int64_t size, float value) {
  Floats from(static_cast<size_t>(size), value), to(from.size());
  const std::vector<int64_t> dims = {size};
  const size_t bytes = from.size() * sizeof(float);
  const ConstTensorView input{DType::F32, dims, from.data(), bytes};
  const TensorView output{DType::F32, dims, to.data(), bytes};
  RunOptions options;
  options.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
  const Status status = session.run({&input, 1}, {&output, 1}, options);
  EXPECT_TRUE(status.isOk()) << status.message();
  return to.back();
}
} // namespace

// 1,000 sessions have as many threads as one, and the same scratch memory.
TEST(ManySessions, ShareThreadsAndScratch) {
  constexpr int64_t size = int64_t(1) << 16;
  const std::vector<std::byte> artifact = copier(size);
  std::vector<std::unique_ptr<Session>> sessions;
  const auto growTo = [&](size_t count) {
    while (sessions.size() < count) {
      sessions.push_back(*Session::load(artifact, testOptions()));
      if (sessions.size() % 10 == 1) {
        ASSERT_EQ(runOn(*sessions.back(), size, 5), 5);
      }
    }
  };
  growTo(1);
  const int threads = countSettledThreads();
  growTo(100);
  expectThreads(threads);
  const int64_t before = residentBytes();
  growTo(1000);
  expectThreads(threads);
  // Each would have 512 KiB of its own.
  EXPECT_LT((residentBytes() - before) / 900, 256 << 10);
  EXPECT_EQ(runOn(*sessions.front(), size, 6), 6);
}

// Sessions that share scratch memory do not disturb each other.
TEST(ManySessions, RunAtOnce) {
  constexpr int64_t size = 1000;
  const std::vector<std::byte> artifact = copier(size);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto session = *Session::load(artifact, testOptions());
      for (int i = 0; i < 200; ++i) {
        const auto value = static_cast<float>(t * 1000 + i);
        ASSERT_EQ(runOn(*session, size, value), value);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

// A small session does not keep the memory of a large one.
TEST(ManySessions, DoNotKeepMuchMore) {
  const auto small = *Session::load(copier(1000), testOptions());
  const int64_t before = residentBytes();
  {
    const auto large = *Session::load(copier(int64_t(1) << 24), testOptions());
    const auto other = *Session::load(copier(1000), testOptions());
    EXPECT_GT(residentBytes() - before, 64 << 20);
  }
  EXPECT_LT(residentBytes() - before, 32 << 20);
  EXPECT_EQ(runOn(*small, 1000, 3), 3);
}
