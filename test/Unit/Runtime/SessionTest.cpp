//===- SessionTest.cpp - Tests of sessions on hand-written plans ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"

#include "SmallPlans.h"
#include "weir/Support/HostTensor.h"

#include <gtest/gtest.h>
#include <thread>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

using namespace weir;
using namespace weir::test;

namespace {

// A value that crosses between devices which share memory costs no bytes.
TEST(Session, RunsADiamondOnTwoDevices) {
  PlanBuilder plan = diamond(false);
  auto session = load(plan);
  EXPECT_EQ(*run(*session, {{1, 2, 3, 4}}),
            (std::vector<Floats>{{5, 10, 15, 20}}));
  const SessionStats stats = session->stats();
  ASSERT_EQ(stats.devices.size(), 2u);
  EXPECT_EQ(stats.devices[0].launches, 2u);
  EXPECT_EQ(stats.devices[1].launches, 1u);
  EXPECT_EQ(stats.devices[1].crossings, 1u);
  EXPECT_EQ(stats.devices[1].bytesCrossed, 0u);
  EXPECT_EQ(stats.devices[0].groups, 2u);
  EXPECT_EQ(stats.runs, 1u);
}

// An isolated device's value crosses as bytes, and they are counted.
TEST(Session, CountsTheBytesThatCrossIsolatedDevices) {
  PlanBuilder plan = diamond(true);
  auto session = load(plan);
  EXPECT_EQ(*run(*session, {{1, 2, 3, 4}}),
            (std::vector<Floats>{{5, 10, 15, 20}}));
  EXPECT_EQ(session->stats().devices[1].bytesCrossed, 16u);
}

// A session says on which devices it runs, and what its artifact says about
// itself.
TEST(Session, DescribesItself) {
  PlanBuilder plan = diamond(true);
  auto &pair = *plan.model().metadata.emplace_back(
      std::make_unique<artifact::MetadataT>());
  pair.key = "made by";
  pair.value = "a test";
  auto session = load(plan);
  const std::vector<DeviceInfo> devices = session->devices();
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].name, "test:0");
  EXPECT_EQ(devices[1].kind, "test");
  EXPECT_EQ(devices[1].threads, 1);
  ASSERT_EQ(session->metadata().size(), 1u);
  EXPECT_EQ(session->metadata()[0].first, "made by");
  EXPECT_EQ(session->metadata()[0].second, "a test");
}

// What is allocated for arenas is what was planned, to the byte.
TEST(Session, AllocatesWhatWasPlanned) {
  PlanBuilder plan = diamond(true);
  auto session = load(plan);
  for (const DeviceStats &device : session->stats().devices) {
    EXPECT_GT(device.plannedBytes, 0u);
    EXPECT_EQ(device.allocatedBytes, device.plannedBytes);
  }
}

// Callers on eight threads each get the answer to their own input.
TEST(Session, AnswersEightThreads) {
  PlanBuilder plan = diamond(true);
  auto session = load(plan);
  std::vector<std::thread> threads;
  std::atomic<int> numWrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const auto value = static_cast<float>(t * 100 + i);
        auto result = run(*session, {Floats(4, value)});
        numWrong += !result.isOk() ||
                    *result != std::vector<Floats>{Floats(4, 5 * value)};
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numWrong, 0);
  EXPECT_EQ(session->stats().runs, 400u);
}

/// y = x / 4, by a kernel that tells its thread.
PlanBuilder quarter(uint16_t threads = 1) {
  PlanBuilder plan;
  plan.device("test:0", false, threads);
  const uint32_t x = plan.input("x", 4);
  const uint32_t y = plan.output("y", 4);
  plan.on(0).launch("quarter", "thread", {x}, {y}, affine(0.25));
  return plan;
}

// A run of one device needs no other thread, unless the caller forbids it.
TEST(Session, RunsOnTheCaller) {
  PlanBuilder plan = quarter();
  SessionOptions options = testOptions();
  for (bool isAllowed : {true, false}) {
    options.runOnCaller = isAllowed;
    auto session = load(plan, options);
    EXPECT_EQ((*run(*session, {Floats(4, 4)}))[0], Floats(4, 1));
    EXPECT_EQ(lastThread.load() == std::this_thread::get_id(), isAllowed);
    EXPECT_EQ(session->stats().devices[0].launches, 1u);
  }
}

// Queues that wait for each other have a thread each. So do asynchronous runs.
TEST(Session, RunsOnItsOwnThreads) {
  PlanBuilder two = diamond(false, "thread");
  EXPECT_TRUE(run(*load(two), {Floats(4, 1)}).isOk());
  EXPECT_NE(lastThread.load(), std::this_thread::get_id());
  PlanBuilder plan = quarter();
  auto session = load(plan);
  const std::vector<int64_t> dims = {4};
  Floats in(4, 8), out(4);
  const ConstTensorView input{DType::F32, dims, in.data(), 16};
  const TensorView output{DType::F32, dims, out.data(), 16};
  EXPECT_TRUE(session->runAsync({&input, 1}, {&output, 1}).get().isOk());
  EXPECT_EQ(out, Floats(4, 2));
  EXPECT_NE(lastThread.load(), std::this_thread::get_id());
}

// Callers of one device take turns with its own thread, with or without a team.
TEST(Session, AnswersEightThreadsOfOneDevice) {
  for (uint16_t numThreads : {1, 2}) {
    PlanBuilder plan = quarter(numThreads);
    auto session = load(plan);
    std::vector<std::thread> threads;
    std::atomic<int> numWrong{0};
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) {
          const auto value = static_cast<float>(t * 1000 + i * 4);
          auto result = run(*session, {Floats(4, value)});
          numWrong += !result.isOk() ||
                      *result != std::vector<Floats>{Floats(4, value / 4)};
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(numWrong, 0);
    EXPECT_EQ(session->stats().runs, 1600u);
  }
}

#if defined(__SSE__)
// A caller that flushes subnormal numbers to zero does not change results.
TEST(Session, KeepsItsFloatModes) {
  PlanBuilder plan = quarter();
  auto session = load(plan);
  const float least = std::numeric_limits<float>::min();
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | _MM_FLUSH_ZERO_ON | 0x40);
  auto results = run(*session, {Floats(4, least)});
  const bool isKept = (_mm_getcsr() & _MM_FLUSH_ZERO_ON) != 0;
  _mm_setcsr(before);
  EXPECT_TRUE(isKept);
  EXPECT_EQ((*results)[0], Floats(4, least / 4));
}
#endif

// Asynchronous runs end in the order in which they were queued, with their own
// results.
TEST(Session, RunsAsynchronously) {
  PlanBuilder plan = diamond(false);
  auto session = load(plan);
  constexpr size_t numRuns = 20;
  std::vector<Floats> inputs, outputs;
  std::vector<std::future<Status>> futures;
  const std::vector<int64_t> dims = {4};
  for (size_t i = 0; i < numRuns; ++i) {
    inputs.emplace_back(4, static_cast<float>(i));
    outputs.emplace_back(4);
  }
  for (size_t i = 0; i < numRuns; ++i) {
    const ConstTensorView in{DType::F32, dims, inputs[i].data(), 16};
    const TensorView out{DType::F32, dims, outputs[i].data(), 16};
    futures.push_back(session->runAsync({&in, 1}, {&out, 1}));
  }
  for (size_t i = 0; i < numRuns; ++i) {
    EXPECT_TRUE(futures[i].get().isOk());
    EXPECT_EQ(outputs[i], Floats(4, 5 * static_cast<float>(i)));
  }
}

// Stopping cancels the run in flight and those behind it; none is lost.
TEST(Session, StopsWithRunsInTheLine) {
  PlanBuilder plan = diamond(false, "gate");
  auto session = load(plan);
  const std::vector<int64_t> dims = {4};
  Floats in(4), out(4);
  const ConstTensorView input{DType::F32, dims, in.data(), 16};
  const TensorView output{DType::F32, dims, out.data(), 16};
  std::vector<std::future<Status>> futures;
  std::thread stopper;
  {
    numAtGate = 0;
    GateCloser closer;
    for (int i = 0; i < 5; ++i)
      futures.push_back(session->runAsync({&input, 1}, {&output, 1}));
    while (numAtGate == 0)
      std::this_thread::yield();
    stopper = std::thread([&] { session->stop(); });
    // The stop is under way once new runs are refused.
    while (true) {
      auto late = session->runAsync({&input, 1}, {&output, 1});
      const bool refused = late.wait_for(std::chrono::milliseconds(1)) ==
                           std::future_status::ready;
      futures.push_back(std::move(late));
      if (refused)
        break;
    }
  }
  stopper.join();
  for (std::future<Status> &future : futures)
    EXPECT_EQ(future.get().code(), StatusCode::Cancelled);
}

// Destroying a session with queued runs neither hangs nor drops a future.
TEST(Session, IsDestroyedWithRunsInTheLine) {
  PlanBuilder plan = diamond(false);
  auto session = load(plan);
  const std::vector<int64_t> dims = {4};
  Floats in(4), out(4);
  const ConstTensorView input{DType::F32, dims, in.data(), 16};
  const TensorView output{DType::F32, dims, out.data(), 16};
  std::vector<std::future<Status>> futures;
  for (int i = 0; i < 50; ++i)
    futures.push_back(session->runAsync({&input, 1}, {&output, 1}));
  session.reset();
  for (std::future<Status> &future : futures)
    (void)future.get();
}

// An error names op, device, kernel and shapes, and cancels the rest of the
// run. The session stays usable.
TEST(Session, ReportsTheOpThatFailed) {
  PlanBuilder plan = diamond(false, "affine", "fail");
  auto session = load(plan);
  for (int i = 0; i < 3; ++i) {
    auto result = run(*session, {{1, 2, 3, 4}});
    ASSERT_FALSE(result.isOk());
    EXPECT_EQ(result.status().message(),
              "op 'right' on test:1: kernel 'fail' (4xf32 -> 4xf32): broken");
  }
  EXPECT_EQ(session->stats().failedRuns, 3u);
}

// Kernels are shared if they are prepared from equal specs, not if specs print
// alike: the second one's only attribute has a strange name.
TEST(Session, TellsKernelsApartThatReadAlike) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 2);
  const uint32_t y = plan.output("y", 2), z = plan.output("z", 2);
  AttrMap strange;
  strange.set("scale=f2;shift", std::vector<double>{1});
  plan.on(0);
  plan.launch("first", "affine", {x}, {y}, affine(2, 1));
  plan.launch("second", "affine", {x}, {z}, strange);
  EXPECT_EQ(*run(*load(plan), {{1, 2}}), (std::vector<Floats>{{3, 5}, {1, 2}}));
}

// A variable starts as its blob and keeps what a run assigns to it.
TEST(Session, KeepsVariablesBetweenRuns) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 2);
  const uint32_t y = plan.output("y", 2);
  const uint32_t state = plan.variable({10, 20});
  plan.on(0);
  plan.launch("sum", "add", {x, state}, {y});
  plan.copy("assign", y, state);
  auto session = load(plan);
  EXPECT_EQ(*run(*session, {{1, 2}}), (std::vector<Floats>{{11, 22}}));
  EXPECT_EQ(*run(*session, {{1, 2}}), (std::vector<Floats>{{12, 24}}));
  // Another session of the same plan starts afresh.
  EXPECT_EQ(*run(*load(plan), {{1, 2}}), (std::vector<Floats>{{11, 22}}));
}

/// y = x + 2p on both of two devices, with p packed.
PlanBuilder packedTwice(bool isolated) {
  PlanBuilder plan;
  for (uint16_t d = 0; d < 2; ++d)
    plan.device("test:" + std::to_string(d), isolated);
  for (uint16_t d = 0; d < 2; ++d) {
    const std::string n = std::to_string(d);
    const uint32_t x = plan.input("x" + n, 2, d);
    const uint32_t y = plan.output("y" + n, 2, d);
    const uint32_t p = d ? plan.parameterOn(0, d) : plan.parameter({10, 20}, d);
    const uint32_t between = plan.scratch(2, d);
    plan.on(d);
    plan.launch("first", "packed", {x, p}, {between});
    plan.launch("second", "packed", {between, p}, {y});
  }
  return plan;
}

// Equal launches share a kernel. Devices that pack in the same way share packed
// operands.
TEST(Session, SharesKernelsAndPackedOperands) {
  PlanBuilder plan = packedTwice(false);
  numPrepared = numPacked = 0;
  auto session = load(plan);
  EXPECT_EQ(*run(*session, {{1, 2}, {3, 4}}),
            (std::vector<Floats>{{41, 82}, {43, 84}}));
  EXPECT_EQ(numPrepared, 2);
  EXPECT_EQ(numPacked, 1);
  const SessionStats stats = session->stats();
  EXPECT_EQ(stats.devices[0].kernels, 1u);
  EXPECT_EQ(stats.devices[0].packedBytes, 256u);
  EXPECT_EQ(stats.devices[1].packedBytes, 0u);
  EXPECT_EQ(stats.devices[0].parameterBytes, 0u);
}

// Isolated devices load and pack parameters once each.
TEST(Session, IsolatedDevicesKeepTheirOwnParameters) {
  PlanBuilder plan = packedTwice(true);
  numPacked = 0;
  auto session = load(plan);
  EXPECT_EQ(*runAnywhere(*session, session->entry(), {{1, 2}, {3, 4}}),
            (std::vector<Floats>{{41, 82}, {43, 84}}));
  EXPECT_EQ(numPacked, 2);
  for (const DeviceStats &device : session->stats().devices) {
    EXPECT_EQ(device.packedBytes, 256u);
    EXPECT_EQ(device.parameterBytes, 256u);
  }
}

// Launches get the workspace they asked for; a queue has the largest once.
TEST(Session, GivesKernelsTheirWorkspace) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 100);
  const uint32_t y = plan.output("y", 100);
  const uint32_t between = plan.scratch(100);
  plan.on(0);
  plan.launch("first", "via_workspace", {x}, {between});
  plan.launch("second", "via_workspace", {between}, {y});
  auto session = load(plan);
  EXPECT_EQ((*run(*session, {Floats(100, 7)}))[0], Floats(100, 7));
  EXPECT_EQ(session->stats().devices[0].workspaceBytes, 400u);
}

// A fill writes zeros.
TEST(Session, Fills) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t y = plan.output("y", 3);
  plan.on(0).fill("zero", y);
  auto session = load(plan);
  EXPECT_EQ(*run(*session, {}), (std::vector<Floats>{{0, 0, 0}}));
}

// Removing one wait is a data race, which the thread sanitizer must report.
// Otherwise its silence on all other tests would mean nothing. With the wait it
// is silent. Without it the second device reads and the first one writes while
// both are in their kernels: nothing can order them by chance.
TEST(SessionDeathTest, ThreadSanitizerSeesAMissingWait) {
#if defined(__SANITIZE_THREAD__)
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto runAndExit = [](bool withWait) {
    PlanBuilder plan = withWait
                           ? chainOfTwo(1, "affine", "affine")
                           : chainOfTwo(1, "racing_writer", "racing_reader");
    auto &commands = plan.entry().programs[1]->commands;
    if (!withWait)
      commands.erase(commands.begin());
    auto session = load(plan);
    (void)run(*session, {{1}});
    session.reset();
    std::exit(0);
  };
  EXPECT_EXIT(runAndExit(true), testing::ExitedWithCode(0), "");
  EXPECT_DEATH(runAndExit(false), "data race");
#else
  GTEST_SKIP() << "needs the tsan preset";
#endif
}

} // namespace
