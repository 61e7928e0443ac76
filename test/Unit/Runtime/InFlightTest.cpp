//===- InFlightTest.cpp - Tests of several runs in flight -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"

#include "SmallPlans.h"
#include "weir/Support/HostTensor.h"

#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <thread>

using namespace weir;
using namespace weir::test;

namespace {

/// Runs `session` from `numThreads` threads and returns the number of wrong
/// answers, where 5 times the input is right.
int countWrong(Session &session, int numThreads, int numRuns) {
  std::vector<std::thread> threads;
  std::atomic<int> numWrong{0};
  for (int t = 0; t < numThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < numRuns; ++i) {
        const auto value = static_cast<float>(t * 1000 + i);
        auto result = run(session, {Floats(4, value)});
        numWrong += !result.isOk() ||
                    *result != std::vector<Floats>{Floats(4, 5 * value)};
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  return numWrong;
}

// Each run has its own slots and memory, whether devices share memory or not.
TEST(InFlight, RunsDoNotMix) {
  for (bool isolated : {false, true})
    for (uint16_t frames : {1, 2, 3}) {
      PlanBuilder plan = diamond(isolated);
      plan.variant().frames = frames;
      auto session = load(plan);
      EXPECT_EQ(countWrong(*session, 4, 300), 0);
      EXPECT_EQ(session->stats().runs, 1200u);
    }
}

/// A chain over two devices, whose second half can be held at a gate.
PlanBuilder gatedChain(uint16_t frames) {
  return chainOfTwo(frames, "count", "gate");
}

/// Waits until `reached` is true, at most a second.
template <typename Predicate> bool becomes(Predicate reached) {
  for (int i = 0; i < 1000 && !reached(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return reached();
}

/// How many runs of `frames` in flight begin while the first is at the gate.
int countBegun(uint16_t frames, int inFlight) {
  PlanBuilder plan = gatedChain(frames);
  SessionOptions options = testOptions();
  options.inFlight = inFlight;
  auto session = load(plan, options);
  const std::vector<int64_t> dims = {1};
  Floats in(1), out(4);
  std::vector<std::future<Status>> futures;
  numCounted = numAtGate = 0;
  int numBegun = 0;
  {
    GateCloser closer;
    for (float &to : out) {
      const ConstTensorView input{DType::F32, dims, in.data(), 4};
      const TensorView output{DType::F32, dims, &to, 4};
      futures.push_back(session->runAsync({&input, 1}, {&output, 1}));
    }
    becomes([&] { return numAtGate > 0 && numCounted >= frames; });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    numBegun = numCounted;
  }
  for (std::future<Status> &future : futures)
    EXPECT_TRUE(future.get().isOk());
  return numBegun;
}

// A device works on the next run while another one is busy with the run before.
// The artifact and the session limit how many runs are in flight.
TEST(InFlight, AsManyAsAllowed) {
  EXPECT_EQ(countBegun(1, 0), 1);
  EXPECT_EQ(countBegun(2, 0), 2);
  EXPECT_EQ(countBegun(3, 0), 3);
  EXPECT_EQ(countBegun(3, 2), 2);
  EXPECT_EQ(countBegun(2, 9), 2);
}

// More than the artifact was compiled for are not refused, but the devices say
// so.
TEST(InFlight, SaysThatFewerAreInFlight) {
  PlanBuilder plan = gatedChain(2);
  SessionOptions options = testOptions();
  for (int inFlight : {0, 1, 2, 3}) {
    options.inFlight = inFlight;
    const SessionStats stats = load(plan, options)->stats();
    std::string text;
    for (const DeviceNote &note : stats.devices[0].info.notes)
      if (note.code == "runs-in-flight")
        text = note.text;
    EXPECT_EQ(text, inFlight == 3
                        ? "has at most 2 runs in flight, not 3, since the "
                          "model was compiled for that; compile it for 3"
                        : "");
  }
}

TEST(InFlight, RefusesANegativeNumber) {
  PlanBuilder plan = diamond(false);
  SessionOptions options = testOptions();
  options.inFlight = -1;
  EXPECT_EQ(Session::load(plan.bytes(), options).status().message(),
            "expected 1 or more runs in flight, or 0 for what the artifact "
            "says, found -1");
}

// Only what each run needs for itself exists once for each; entries share it.
TEST(InFlight, CountsMemoryOnce) {
  PlanBuilder plan;
  plan.variant().frames = 3;
  plan.device("test:0");
  for (const auto &[name, size] : {std::pair("main", 100), {"other", 300}}) {
    if (name != std::string("main"))
      plan.beginEntry(name);
    const uint32_t x = plan.input("x", size), y = plan.output("y", size);
    const uint32_t own = plan.scratch(size), shared = plan.queueScratch(size);
    plan.on(0).launch("one", "affine", {x}, {own});
    plan.launch("two", "affine", {own}, {shared});
    plan.launch("three", "affine", {shared}, {y});
  }
  auto session = load(plan);
  EXPECT_EQ(session->stats().devices[0].allocatedBytes, 4 * 1216u);
  EXPECT_EQ(session->stats().devices[0].plannedBytes, 4 * 1216u);
  EXPECT_EQ((*run(*session, {Floats(100, 3)}))[0], Floats(100, 3));
}

// Events keep their order when their counters pass the largest number.
TEST(InFlight, CountersMayWrap) {
  PlanBuilder plan;
  plan.variant().frames = 2;
  const uint16_t one = plan.device("test:0"), two = plan.device("test:1");
  const uint32_t x = plan.input("x", 4, one), y = plan.output("y", 4, two);
  const uint32_t between = plan.scratch(4, one);
  constexpr uint32_t largest = (1u << 22) - 1;
  const uint32_t done = plan.event(largest);
  plan.on(one).launch("first", "affine", {x}, {between}, affine(5));
  plan.record(done, largest);
  plan.on(two).wait(done, largest);
  plan.launch("second", "affine", {between}, {y});
  auto session = load(plan);
  EXPECT_EQ(countWrong(*session, 2, 1500), 0);
}

/// Options with another number of threads than the plans', so that sessions get
/// devices of their own.
SessionOptions withThreads(int threads) {
  SessionOptions options = testOptions();
  options.threads = threads;
  return options;
}

// Sessions that ask for the same devices share their threads; others do not.
TEST(InFlight, SessionsShareDevices) {
  const int before = countSettledThreads();
  PlanBuilder plan = diamond(false);
  auto first = load(plan);
  const int withOne = countSettledThreads();
  EXPECT_GT(withOne, before);
  {
    auto second = load(plan);
    EXPECT_EQ(countSettledThreads(), withOne);
    std::thread other([&] { EXPECT_EQ(countWrong(*second, 2, 200), 0); });
    EXPECT_EQ(countWrong(*first, 2, 200), 0);
    other.join();
    auto third = load(plan, withThreads(2));
    EXPECT_GT(countSettledThreads(), withOne);
  }
  EXPECT_EQ(countWrong(*first, 2, 50), 0);
  first.reset();
  expectThreads(before);
}

// The share of the machine that a device gets by default may also be stated.
TEST(InFlight, StatedThreadsShareDevices) {
  PlanBuilder plan;
  plan.device("test:0", false, 0);
  const uint32_t x = plan.input("x", 4), y = plan.output("y", 4);
  plan.on(0).launch("only", "affine", {x}, {y}, affine(5));
  auto first = load(plan);
  const int withOne = countSettledThreads();
  auto second = load(plan, withThreads(testDriver().detect()[0].threads));
  EXPECT_EQ(countSettledThreads(), withOne);
}

// While a run is on some devices, no run begins on others of the same cores.
TEST(InFlight, UnlikeDevicesTakeTurns) {
  PlanBuilder gated = gatedChain(1), counted;
  counted.device("test:0");
  const uint32_t x = counted.input("x", 1), y = counted.output("y", 1);
  counted.on(0).launch("only", "count", {x}, {y});
  auto first = load(gated);
  auto second = load(counted, withThreads(2));
  const int atGate = numAtGate;
  auto gate = std::make_unique<GateCloser>();
  std::thread one([&] { EXPECT_TRUE(run(*first, {{1}}).isOk()); });
  ASSERT_TRUE(becomes([&] { return numAtGate > atGate; }));
  const int before = numCounted;
  std::thread two([&] { EXPECT_TRUE(run(*second, {{1}}).isOk()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(numCounted, before);
  gate.reset();
  one.join();
  two.join();
  EXPECT_EQ(numCounted, before + 1);
}

// A run that waits for its turn may end early, and the turn still comes.
TEST(InFlight, RunsEndWhileTheyAwaitTheirTurn) {
  PlanBuilder gated = gatedChain(1), plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  plan.on(0).launch("only", "affine", {x}, {y}, affine(5));
  auto first = load(gated);
  auto second = load(plan, withThreads(2));
  auto third = load(plan, withThreads(2));
  numAtGate = 0;
  auto gate = std::make_unique<GateCloser>();
  std::thread one([&] { EXPECT_TRUE(run(*first, {{1}}).isOk()); });
  ASSERT_TRUE(becomes([&] { return numAtGate > 0; }));
  OneRun late, stopped, last;
  late.options.deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
  EXPECT_EQ(late.run(*second).code(), StatusCode::Cancelled);
  auto ended = stopped.start(*third);
  third->stop();
  EXPECT_EQ(ended.get().code(), StatusCode::Cancelled);
  auto right = last.start(*second);
  gate.reset();
  one.join();
  EXPECT_TRUE(right.get().isOk());
  EXPECT_EQ(last.y, 5);
}

// Each group gets its turn, and a session may end while others wait.
TEST(InFlight, TurnsGoRound) {
  PlanBuilder plan = diamond(false);
  plan.variant().frames = 2;
  std::vector<std::thread> threads;
  for (int group = 1; group <= 4; ++group)
    threads.emplace_back([&, group] {
      for (int round = 0; round < 3; ++round) {
        auto session = load(plan, withThreads(group));
        EXPECT_EQ(countWrong(*session, 3, 150), 0);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

// A queue that a caller works on takes the runs of other sessions behind it.
TEST(InFlight, CallersOfSharedDevicesTakeTurns) {
  for (uint16_t threads : {1, 2}) {
    PlanBuilder plan;
    plan.device("test:0", false, threads);
    const uint32_t x = plan.input("x", 4), y = plan.output("y", 4);
    const uint32_t shared = plan.queueScratch(4);
    plan.on(0).launch("one", "affine", {x}, {shared}, affine(5));
    plan.launch("two", "affine", {shared}, {y});
    auto first = load(plan), second = load(plan);
    std::thread other([&] { EXPECT_EQ(countWrong(*second, 2, 2000), 0); });
    EXPECT_EQ(countWrong(*first, 2, 2000), 0);
    other.join();
  }
}

// While a model is loaded, others run on its devices.
TEST(InFlight, RunsGoOnDuringALoad) {
  PlanBuilder small, large;
  for (PlanBuilder *plan : {&small, &large})
    plan->device("test:0");
  small.on(0).fill("zero", small.output("y", 1));
  const uint32_t x = large.input("x", 1), y = large.output("y", 1);
  large.on(0);
  for (int i = 0; i < 40; ++i)
    large.launch("op", "slow_prepare", {x}, {y}, affine(i));
  const std::vector<std::byte> artifact = large.bytes();
  auto session = load(small);
  numPrepared = 0;
  std::future<bool> isLoaded = std::async(std::launch::async, [&] {
    return Session::load(artifact, testOptions()).isOk();
  });
  int numRuns = 0;
  while (isLoaded.wait_for(std::chrono::seconds(0)) !=
         std::future_status::ready) {
    numRuns += numPrepared > 0;
    ASSERT_TRUE(run(*session, {}).isOk());
  }
  EXPECT_TRUE(isLoaded.get());
  EXPECT_GT(numRuns, 2);
}

/// y = the sum of 2 * x over the parts of x, one part for each trip.
PlanBuilder loopOverParts() {
  PlanBuilder plan;
  plan.variant().frames = 2;
  const uint16_t one = plan.device("test:0"), two = plan.device("test:1");
  const uint32_t x = plan.input("x", 12, one), y = plan.output("y", 12, two);
  const uint32_t parts = plan.scratch(12, one);
  const uint32_t computed = plan.event(6);
  plan.on(one).repeat(2);
  plan.repeat(3);
  plan.launchOn(2, "double", "affine", {x}, {parts}, affine(2));
  plan.move(0, {6, 2});
  plan.move(1, {6, 2});
  plan.record(computed);
  plan.move(-1, {3, 1});
  plan.endRepeat();
  plan.endRepeat();
  plan.on(two).repeat(6);
  plan.wait(computed);
  plan.move(-1, {1});
  plan.launchOn(2, "add", "affine", {parts}, {y}, affine(1, 1));
  plan.move(0, {2});
  plan.move(1, {2});
  plan.endRepeat();
  return plan;
}

// A loop passes over parts of buffers and through values of events, alike in
// each run and with several in flight.
TEST(InFlight, RunsLoops) {
  PlanBuilder plan = loopOverParts();
  auto session = load(plan);
  Floats in(12), expected(12);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i);
    expected[i] = 2 * in[i] + 1;
  }
  std::vector<std::thread> threads;
  std::atomic<int> numWrong{0};
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        auto result = run(*session, {in});
        numWrong += !result.isOk() || (*result)[0] != expected;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numWrong, 0);
  EXPECT_EQ(session->stats().devices[0].launches, 6u);
}

} // namespace
