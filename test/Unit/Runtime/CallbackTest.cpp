//===- CallbackTest.cpp - What callbacks of runs may do -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"

#include "SmallPlans.h"

#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <optional>
#include <thread>

using namespace weir;
using namespace weir::test;

namespace {

/// y = x by `kernel` on one device.
PlanBuilder single(const std::string &kernel = "affine") {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  plan.on(0).launch("op", kernel, {x}, {y});
  return plan;
}

/// Loads and runs the artifact, runs `session` and then stops it, all on the
/// calling thread. Returns the first error.
Status useAll(Session &session, const std::vector<std::byte> &artifact) {
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<Session> other,
                        Session::load(artifact, testOptions()));
  OneRun inside;
  WEIR_RETURN_IF_ERROR(inside.run(*other));
  WEIR_RETURN_IF_ERROR(inside.run(session));
  session.stop();
  return Status::ok();
}

// No device waits for a callback. So a callback may load an artifact, run
// sessions and stop its own.
TEST(Callback, MayRunAndStop) {
  PlanBuilder plan = single();
  const std::vector<std::byte> artifact = plan.bytes();
  auto session = load(plan);
  OneRun run;
  std::promise<Status> used;
  run.start(*session,
            [&](Status) { used.set_value(useAll(*session, artifact)); });
  const Status status = used.get_future().get();
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(run.run(*session).code(), StatusCode::Cancelled);
}

// So may the destructors of what a callback has captured.
TEST(Callback, ItsCapturesMayRunAndStop) {
  PlanBuilder plan = single();
  const std::vector<std::byte> artifact = plan.bytes();
  auto session = load(plan);
  OneRun run;
  std::promise<Status> used;
  const auto atEnd = [&](int *number) {
    delete number;
    used.set_value(useAll(*session, artifact));
  };
  run.start(*session, [guard = std::shared_ptr<int>(new int, atEnd)](Status) {
    EXPECT_NE(guard, nullptr);
  });
  const Status status = used.get_future().get();
  EXPECT_TRUE(status.isOk()) << status.message();
}

// Devices go on while a callback takes its time. The callbacks of all sessions
// come one after the other, and a session waits for its own.
TEST(Callback, ComesOnOneThread) {
  const int before = countSettledThreads();
  {
    PlanBuilder plan = single();
    auto session = load(plan), other = load(plan);
    OneRun runs[3];
    std::vector<int> order;
    std::vector<std::thread::id> threads;
    std::promise<void> isReached, mayReturn;
    const auto note = [&](int number) {
      order.push_back(number);
      threads.push_back(std::this_thread::get_id());
    };
    runs[0].start(*session, [&](Status) {
      note(0);
      isReached.set_value();
      mayReturn.get_future().wait();
    });
    isReached.get_future().wait();
    runs[1].start(*other, [&](Status) { note(1); });
    OneRun meanwhile;
    EXPECT_TRUE(meanwhile.run(*other).isOk());
    EXPECT_TRUE(meanwhile.start(*session).get().isOk());
    // A run that is refused is no exception.
    const ConstTensorView none{};
    session->entry().runAsync({&none, 1}, {&runs[2].output, 1},
                              [&](const Status &status) {
                                EXPECT_FALSE(status.isOk());
                                note(2);
                              });
    EXPECT_EQ(order.size(), 1u);
    mayReturn.set_value();
    session->stop();
    other->stop();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(threads, std::vector(3, threads[0]));
    EXPECT_NE(threads[0], std::this_thread::get_id());
  }
  expectThreads(before);
}

// A callback that throws ends neither the thread nor the callbacks behind it.
TEST(Callback, MayThrow) {
  PlanBuilder plan = single();
  auto session = load(plan);
  OneRun first, second;
  std::promise<void> isCalled;
  first.start(*session, [](Status) { throw 1; });
  second.start(*session, [&](Status) { isCalled.set_value(); });
  isCalled.get_future().wait();
  // The calling thread is in no callback any more: this waits.
  session->stop();
}

// A callback may destroy a session that is not its own.
TEST(Callback, MayDestroyAnotherSession) {
  const int before = countSettledThreads();
  PlanBuilder plan = single();
  auto session = load(plan), other = load(plan);
  OneRun run, ofOther;
  ASSERT_TRUE(ofOther.run(*other).isOk());
  std::promise<void> isDestroyed;
  run.start(*session, [&](Status) {
    other.reset();
    isDestroyed.set_value();
  });
  isDestroyed.get_future().wait();
  EXPECT_TRUE(run.run(*session).isOk());
  session.reset();
  expectThreads(before);
}

/// Stops a session while one run is at a gate and another one waits whose
/// callback takes its time. Returns whether the stop on the calling thread, the
/// second, returned after both callbacks.
bool stopsAfterCallbacks() {
  PlanBuilder plan = single("gate");
  auto session = load(plan);
  OneRun first, second;
  std::atomic<int> numCalled{0};
  std::atomic<bool> isStopping{false};
  std::thread stopper;
  {
    numAtGate = 0;
    GateCloser closer;
    first.start(*session, [&](Status) { ++numCalled; });
    second.start(*session, [&](Status status) {
      EXPECT_EQ(status.code(), StatusCode::Cancelled);
      isStopping = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      ++numCalled;
    });
    while (numAtGate == 0)
      std::this_thread::yield();
    stopper = std::thread([&] { session->stop(); });
    // The waiting run ends, although the other one is at the gate.
    for (int i = 0; i < 1000 && !isStopping; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(isStopping);
  }
  session->stop();
  const bool isLast = numCalled == 2;
  stopper.join();
  return isLast;
}

TEST(Callback, AStopWaitsForAll) { EXPECT_TRUE(stopsAfterCallbacks()); }

/// Two runs in flight that begin at a gate.
PlanBuilder gatedChain() { return chainOfTwo(2, "gate", "affine"); }

// A callback may destroy its session while other runs are in flight and wait.
// They all end, and so do the session's threads.
TEST(Callback, MayDestroyItsSession) {
  const int before = countSettledThreads();
  PlanBuilder plan = gatedChain();
  std::vector<OneRun> runs(5);
  std::vector<std::promise<StatusCode>> ends(runs.size());
  std::unique_ptr<Session> session = load(plan);
  {
    GateCloser closer;
    for (size_t i = 1; i < runs.size(); ++i)
      runs[i].start(*session, [&, i](Status status) {
        ends[i].set_value(status.code());
      });
    // This run ends at once.
    runs[0].options.deadline = std::chrono::steady_clock::now();
    runs[0].start(*session, [&](Status status) {
      session.reset();
      ends[0].set_value(status.code());
    });
    EXPECT_EQ(ends[0].get_future().get(), StatusCode::Cancelled);
  }
  for (size_t i = 1; i + 1 < runs.size(); ++i)
    (void)ends[i].get_future().get();
  EXPECT_EQ(ends.back().get_future().get(), StatusCode::Cancelled);
  expectThreads(before);
}

// A callback that a stop calls may destroy the session.
TEST(Callback, MayDestroyASessionThatStops) {
  const int before = countSettledThreads();
  PlanBuilder plan = single("gate");
  OneRun first, second;
  std::unique_ptr<Session> session = load(plan);
  std::optional<GateCloser> closer(std::in_place);
  auto ended = first.start(*session);
  second.start(*session, [&](Status status) {
    EXPECT_EQ(status.code(), StatusCode::Cancelled);
    session.reset();
    closer.reset();
  });
  session->stop();
  EXPECT_FALSE(session);
  (void)ended.get();
  expectThreads(before);
}

// The last reference to a session may be one that a callback has captured.
TEST(Callback, MayHoldItsSession) {
  const int before = countSettledThreads();
  PlanBuilder plan = gatedChain();
  OneRun run;
  std::promise<StatusCode> end;
  {
    GateCloser closer;
    const std::shared_ptr<Session> session = load(plan);
    run.start(*session,
              [session, &end](Status status) { end.set_value(status.code()); });
  }
  EXPECT_EQ(end.get_future().get(), StatusCode::Ok);
  expectThreads(before);
}

/// Destroys its session at the first tensor.
class EndingObserver final : public TensorObserver {
public:
  Status observe(size_t, const void *) override {
    session.reset();
    return Status::ok();
  }
  std::unique_ptr<Session> session;
};

TEST(Callback, AnObserverMayDestroyItsSession) {
  const int before = countSettledThreads();
  PlanBuilder plan = single("gate");
  plan.tensor("y", 1);
  EndingObserver observer;
  SessionOptions options = testOptions();
  options.observer = &observer;
  observer.session = load(plan, options);
  OneRun run;
  std::promise<StatusCode> end;
  {
    GateCloser closer;
    run.start(*observer.session,
              [&](Status status) { end.set_value(status.code()); });
  }
  EXPECT_EQ(end.get_future().get(), StatusCode::Cancelled);
  expectThreads(before);
}

} // namespace
