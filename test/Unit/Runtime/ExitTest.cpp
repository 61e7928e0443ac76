//===- ExitTest.cpp - Sessions while the process ends -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SmallPlans.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace weir;
using namespace weir::test;

/// y = 5x on two devices, of which each has two threads.
static std::unique_ptr<Session> loadDiamond() {
  PlanBuilder plan = diamond(false);
  for (auto &device : plan.variant().devices)
    device->threads = 2;
  return load(plan);
}

/// Ends the process with 1 if a run, which has an hour, is wrong.
static void runDiamond(Session &session) {
  const std::vector<int64_t> dims = {4};
  const Floats x(4, 1);
  Floats y(4);
  const ConstTensorView input{DType::F32, dims, x.data(), 16};
  const TensorView output{DType::F32, dims, y.data(), 16};
  RunOptions options;
  options.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
  if (!session.run({&input, 1}, {&output, 1}, options).isOk() || y[3] != 5)
    _exit(1);
}

/// A process that ends in the middle of sessions.
static void expectEnd(void (*live)()) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        alarm(60);
        live();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

// A static, which is destroyed behind all that loading it has made.
TEST(ExitDeathTest, MayHaveAStaticSession) {
  expectEnd([] {
    static std::unique_ptr<Session> kept;
    kept = loadDiamond();
    runDiamond(*kept);
  });
}

// What is called at the end was registered before anything else, so all other
// statics are destroyed. It runs one session, and loads another.
TEST(ExitDeathTest, MayRunAtTheEnd) {
  expectEnd([] {
    static Session *kept = nullptr;
    std::atexit([] {
      runDiamond(*kept);
      const auto other = loadDiamond();
      runDiamond(*other);
      delete kept;
    });
    kept = loadDiamond().release();
    runDiamond(*kept);
  });
}

/// Runs a session of so many inputs that their bytes are kept per thread.
static void runWide(Session &session) {
  const std::vector<int64_t> dims = {4};
  const size_t numInputs = session.inputs().size();
  const Floats x(4 * numInputs, 1);
  Floats y(4);
  std::vector<ConstTensorView> inputs;
  for (size_t i = 0; i < numInputs; ++i)
    inputs.push_back({DType::F32, dims, x.data() + 4 * i, 16});
  const TensorView output{DType::F32, dims, y.data(), 16};
  if (!session.run(inputs, {&output, 1}).isOk() || y[3] != 1)
    _exit(1);
}

// The thread's own values are destroyed by then.
TEST(ExitDeathTest, MayRunManyPortsAtTheEnd) {
  expectEnd([] {
    static Session *kept = nullptr;
    std::atexit([] { runWide(*kept); });
    PlanBuilder plan;
    plan.device("test:0");
    const uint32_t first = plan.input("x0", 4);
    for (int i = 1; i < 70; ++i)
      plan.input("x" + std::to_string(i), 4);
    const uint32_t y = plan.output("y", 4);
    plan.on(0).launch("copy", "via_workspace", {first}, {y});
    kept = load(plan).release();
    runWide(*kept);
  });
}

// Other threads run a session and load others all the time.
TEST(ExitDeathTest, MayEndBesideRuns) {
  expectEnd([] {
    static std::atomic<int> numRuns = 0;
    std::thread([] {
      const auto session = loadDiamond();
      for (;; ++numRuns)
        runDiamond(*session);
    }).detach();
    std::thread([] {
      for (;; ++numRuns)
        runDiamond(*loadDiamond());
    }).detach();
    while (numRuns < 20)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
}
