//===- CancelTest.cpp - Tests of runs that end early ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"

#include "SmallPlans.h"
#include "weir/Support/HostTensor.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace weir;
using namespace weir::test;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

/// y = x by way of `length` launches of 300 us on each of two devices.
PlanBuilder slowChain(int length, uint16_t frames) {
  const std::vector<int> launches(static_cast<size_t>(length), 300);
  return sleepingChain(frames, launches, launches);
}

// A run ends at its deadline, whether it is on one device or waits for another.
TEST(Cancel, AtTheDeadline) {
  PlanBuilder plan = slowChain(50, 1);
  auto session = load(plan);
  for (int ms : {2, 20}) {
    OneRun run;
    const auto begin = Clock::now();
    run.options.deadline = begin + milliseconds(ms);
    const Status status = run.run(*session);
    const auto took = Clock::now() - begin;
    EXPECT_EQ(status.code(), StatusCode::Cancelled);
    EXPECT_EQ(status.message(),
              "the deadline of the run has passed; give it more time");
    EXPECT_GE(took, milliseconds(ms));
    EXPECT_LT(took, milliseconds(ms + 60));
  }
  OneRun run;
  EXPECT_TRUE(run.run(*session).isOk());
  EXPECT_EQ(run.y, 1);
  run.options.deadline = Clock::now();
  EXPECT_EQ(run.run(*session).code(), StatusCode::Cancelled);
  run.options.deadline = Clock::now() + std::chrono::seconds(30);
  EXPECT_TRUE(run.run(*session).isOk());
  EXPECT_EQ(session->stats().runs, 2u);
}

// A token cancels its runs, in the line and in flight, and no others.
TEST(Cancel, ByToken) {
  PlanBuilder plan = slowChain(20, 2);
  auto session = load(plan);
  std::vector<OneRun> runs(6);
  CancelToken token;
  for (size_t i = 1; i < runs.size(); i += 2)
    runs[i].options.cancelToken = token;
  std::vector<std::future<Status>> futures;
  for (OneRun &run : runs)
    futures.push_back(run.start(*session));
  std::this_thread::sleep_for(milliseconds(1));
  const auto begin = Clock::now();
  token.cancel();
  for (size_t i = 1; i < runs.size(); i += 2) {
    const Status status = futures[i].get();
    EXPECT_EQ(status.message(), "the run was cancelled by its token");
    EXPECT_EQ(status.code(), StatusCode::Cancelled);
  }
  EXPECT_LT(Clock::now() - begin, milliseconds(60));
  for (size_t i = 0; i < runs.size(); i += 2) {
    EXPECT_TRUE(futures[i].get().isOk());
    EXPECT_EQ(runs[i].y, 1);
  }
  EXPECT_TRUE(token.isCancelled());
  EXPECT_EQ(runs[1].run(*session).code(), StatusCode::Cancelled);
}

// A run that no queue has begun ends at once, although a device is busy.
TEST(Cancel, BeforeItsQueuesBegin) {
  PlanBuilder plan;
  plan.variant().frames = 2;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  plan.on(0).launch("op", "gate", {x}, {y});
  auto session = load(plan);
  OneRun first, second;
  second.y = 7;
  second.options.cancelToken.emplace();
  std::future<Status> ended;
  {
    numAtGate = 0;
    GateCloser closer;
    ended = first.start(*session);
    while (numAtGate == 0)
      std::this_thread::yield();
    auto future = second.start(*session);
    second.options.cancelToken->cancel();
    EXPECT_EQ(future.get().code(), StatusCode::Cancelled);
  }
  EXPECT_TRUE(ended.get().isOk());
  EXPECT_EQ(second.y, 7);
  EXPECT_EQ(first.y, 1);
  OneRun third;
  EXPECT_TRUE(third.run(*session).isOk());
}

/// The op "slow", then x is assigned to "a", then "slow" again, then to "b".
PlanBuilder assignTwice(const std::string &last = "sleep") {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  const uint32_t a = plan.variable({10}, 0, "a");
  const uint32_t b = plan.variable({20}, 0, "b");
  plan.on(0).launch("slow", "sleep", {x}, {y}, sleeping(30000));
  plan.copy("assign", x, a);
  plan.launch("slow", last, {x}, {y}, sleeping(30000));
  plan.copy("assign", x, b);
  plan.beginEntry("readA");
  const uint32_t z = plan.output("z", 1);
  plan.on(0).launch("read", "affine", {plan.variableOn(0)}, {z});
  return plan;
}

Status readA(Session &session) {
  return session.entry("readA")->run(std::span<const HostTensor>()).status();
}

// Stopped before its first write, a run changes nothing. Later, what it has
// written is not valid until it is set.
TEST(Cancel, InvalidatesWhatWasWritten) {
  PlanBuilder plan = assignTwice();
  SessionOptions options = testOptions();
  options.entry = "main";
  auto session = load(plan, options);
  OneRun run;
  run.options.deadline = Clock::now() + milliseconds(10);
  EXPECT_EQ(run.run(*session).code(), StatusCode::Cancelled);
  EXPECT_EQ(session->getVariable("a")->values<float>()[0], 10);
  EXPECT_TRUE(readA(*session).isOk());

  run.options.deadline = Clock::now() + milliseconds(45);
  EXPECT_EQ(run.run(*session).code(), StatusCode::Cancelled);
  const std::string refusal =
      "variable 'a' has no value, because a run or a call that wrote it failed "
      "or was stopped; set it, or load all variables";
  EXPECT_EQ(readA(*session).message(), refusal);
  EXPECT_EQ(session->getVariable("a").status().message(), refusal);
  EXPECT_EQ(session->saveVariables("-").message(), refusal);
  EXPECT_EQ(session->getVariable("b")->values<float>()[0], 20);
  EXPECT_FALSE(session->variables()[0].isValid);
  EXPECT_TRUE(session->variables()[1].isValid);
  const float five = 5;
  const std::vector<int64_t> dims = {1};
  ASSERT_TRUE(session->setVariable("a", {DType::F32, dims, &five, 4}).isOk());
  EXPECT_TRUE(readA(*session).isOk());
  EXPECT_TRUE(session->variables()[0].isValid);
}

// The same for a run that fails.
TEST(Cancel, AFailedRunInvalidates) {
  PlanBuilder plan = assignTwice("fail");
  SessionOptions options = testOptions();
  options.entry = "main";
  auto session = load(plan, options);
  OneRun run;
  EXPECT_EQ(run.run(*session).code(), StatusCode::Internal);
  EXPECT_FALSE(session->variables()[0].isValid);
  EXPECT_TRUE(session->variables()[1].isValid);
  EXPECT_EQ(readA(*session).code(), StatusCode::Unavailable);
}

// A callback learns of each end once, and may wait there for another run.
TEST(Cancel, CallsBack) {
  PlanBuilder plan = slowChain(2, 2);
  auto session = load(plan);
  OneRun first, second, inside;
  std::promise<Status> one, two, within;
  session->entry().runAsync({&first.input, 1}, {&first.output, 1},
                            [&](Status status) {
                              within.set_value(inside.run(*session));
                              one.set_value(std::move(status));
                            });
  second.options.deadline = Clock::now();
  session->entry().runAsync(
      {&second.input, 1}, {&second.output, 1},
      [&](Status status) { two.set_value(std::move(status)); }, second.options);
  EXPECT_EQ(two.get_future().get().code(), StatusCode::Cancelled);
  EXPECT_TRUE(one.get_future().get().isOk());
  EXPECT_EQ(first.y, 1);
  EXPECT_TRUE(within.get_future().get().isOk());
}

// Thousands of runs with far deadlines leave nothing behind, and the thread
// that watches them ends with the session.
TEST(Cancel, WatchesWithOneThread) {
  const int before = countSettledThreads();
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  plan.on(0).launch("op", "affine", {x}, {y});
  auto session = load(plan);
  const int withSession = countSettledThreads();
  OneRun run;
  ASSERT_TRUE(run.run(*session).isOk());
  EXPECT_EQ(countSettledThreads(), withSession);
  run.options.deadline = Clock::now() + std::chrono::hours(1);
  run.options.cancelToken.emplace();
  for (int i = 0; i < 2000; ++i)
    ASSERT_TRUE(run.run(*session).isOk());
  EXPECT_EQ(countSettledThreads(), withSession + 1);
  session.reset();
  expectThreads(before);
}

} // namespace
