//===- SlowDriverTest.cpp - Drivers and devices that take long ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ForwardingDriver.h"

#include <chrono>
#include <condition_variable>
#include <future>
#include <gtest/gtest.h>
#include <mutex>

using namespace weir;
using namespace weir::test;

namespace {

/// What a driver or a device does not return from before it is opened. Waits
/// that take long fail the test, so that a lock which keeps others from opening
/// it is found.
class Barrier {
public:
  /// Waits until it is opened.
  void pass() {
    set(isReached);
    EXPECT_TRUE(await(isOpen)) << "somebody waits for a device that waits";
  }
  /// Waits until somebody waits here.
  void awaitArrival() { EXPECT_TRUE(await(isReached)); }
  void open() { set(isOpen); }

private:
  void set(bool &flag) {
    const std::lock_guard lock(mutex);
    flag = true;
    changed.notify_all();
  }
  bool await(const bool &flag) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(20),
                            [&] { return flag; });
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool isReached = false, isOpen = false;
};

/// Where a device waits at its barrier.
enum class Place { Open, Prepare, Submit, Submitted };

/// A queue of another device, whose `submit` waits at `barrier`: before the
/// other queue has the submission, or after.
class SlowQueue final : public DeviceQueue {
public:
  SlowQueue(DeviceQueue &queue, Place place, Barrier &barrier)
      : queue(queue), place(place), barrier(barrier) {}
  void submit(Submission &submission) override {
    if (place == Place::Submit)
      barrier.pass();
    queue.submit(submission);
    if (place == Place::Submitted)
      barrier.pass();
  }

private:
  DeviceQueue &queue;
  const Place place;
  Barrier &barrier;
};

/// A device that waits in one place.
class SlowDevice final : public ForwardingDevice {
public:
  SlowDevice(std::unique_ptr<Device> device, Place place, Barrier &barrier)
      : ForwardingDevice(std::move(device)), place(place), barrier(barrier) {}

  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,
                                            PrepareContext &context) override {
    if (place == Place::Prepare && spec.attrs.floatOr("scale", 0) == 7)
      barrier.pass();
    return ForwardingDevice::prepare(spec, context);
  }
  StatusOr<DeviceQueue *> openQueue(QueueRole role) override {
    WEIR_ASSIGN_OR_RETURN(DeviceQueue * queue,
                          ForwardingDevice::openQueue(role));
    if (place != Place::Submit && place != Place::Submitted)
      return queue;
    slow = std::make_unique<SlowQueue>(*queue, place, barrier);
    return slow.get();
  }

private:
  const Place place;
  Barrier &barrier;
  std::unique_ptr<SlowQueue> slow;
};

/// A driver that waits in one place, or whose devices do.
class SlowDriver final : public ForwardingDriver {
public:
  SlowDriver(Place place, Barrier &barrier) : place(place), barrier(barrier) {}

  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest> requests) const override {
    if (place == Place::Open)
      barrier.pass();
    return ForwardingDriver::open(requests);
  }

private:
  std::unique_ptr<Device> wrap(std::unique_ptr<Device> device) const override {
    return std::make_unique<SlowDevice>(std::move(device), place, barrier);
  }

  const Place place;
  Barrier &barrier;
};

/// y = scale * x on an isolated device, which has x and y in its memory.
PlanBuilder scaleBy(double scale) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint16_t far = plan.device("faulty:0", /*isolated=*/true);
  const uint32_t x = plan.input("x", 1, far), y = plan.output("y", 1, far);
  plan.on(far).launch("op", "affine", {x}, {y}, affine(scale));
  return plan;
}

/// y = x by `kernel` on `device`.
void addLaunch(PlanBuilder &plan, uint16_t device, const std::string &kernel) {
  const uint32_t x = plan.input("x", 1, device);
  const uint32_t y = plan.output("y", 1, device);
  plan.on(device).launch("op", kernel, {x}, {y});
}

/// y = x by way of two devices, the second of which is the driver's.
PlanBuilder across() {
  PlanBuilder plan;
  const uint16_t one = plan.device("test:0"), two = plan.device("faulty:0");
  const uint32_t x = plan.input("x", 1, one), y = plan.output("y", 1, two);
  const uint32_t between = plan.scratch(1, one), done = plan.event();
  plan.on(one).launch("first", "affine", {x}, {between});
  plan.record(done);
  plan.on(two).wait(done);
  plan.launch("second", "affine", {between}, {y});
  return plan;
}

} // namespace

// While a driver opens devices, others open theirs, and those who want the same
// devices get these.
TEST(SlowDriver, MayTakeLongToOpen) {
  Barrier barrier;
  const SlowDriver slow(Place::Open, barrier);
  const SessionOptions options = withDriver(slow);
  PlanBuilder plan = scaleBy(2);
  const auto loadIt = [&] { return Session::load(plan.bytes(), options); };
  auto first = std::async(std::launch::async, loadIt);
  barrier.awaitArrival();
  auto second = std::async(std::launch::async, loadIt);
  PlanBuilder other = diamond(false);
  EXPECT_NE(load(other), nullptr);
  barrier.open();
  const auto one = first.get(), two = second.get();
  ASSERT_TRUE(one.isOk()) << one.status().message();
  ASSERT_TRUE(two.isOk()) << two.status().message();
  EXPECT_TRUE((*one)->inputs()[0].space == (*two)->inputs()[0].space);
}

// Tensors are allocated while a model is loaded on the device.
TEST(SlowDriver, AllocatesDuringALoad) {
  Barrier barrier;
  const SlowDriver slow(Place::Prepare, barrier);
  const SessionOptions options = withDriver(slow);
  PlanBuilder plan = scaleBy(2), held = scaleBy(7);
  const auto session = Session::load(plan.bytes(), options);
  ASSERT_TRUE(session.isOk()) << session.status().message();
  auto other = std::async(std::launch::async,
                          [&] { return Session::load(held.bytes(), options); });
  barrier.awaitArrival();
  EXPECT_TRUE((*session)->allocate((*session)->inputs()[0]).isOk());
  barrier.open();
  EXPECT_TRUE(other.get().isOk());
}

// A queue that does not take a run at once keeps nobody from the session.
TEST(SlowDriver, MayTakeLongToSubmit) {
  Barrier barrier;
  const SlowDriver slow(Place::Submit, barrier);
  PlanBuilder plan = across();
  const auto session = load(plan, withDriver(slow));
  OneRun run;
  auto end = std::async(std::launch::async, [&] { return run.run(*session); });
  barrier.awaitArrival();
  EXPECT_EQ(session->stats().runs, 0u);
  barrier.open();
  const Status status = end.get();
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(run.y, 1);
}

// It does not keep the caller of a run with a deadline, either.
TEST(SlowDriver, SubmitsUntilADeadline) {
  Barrier barrier;
  const SlowDriver slow(Place::Submit, barrier);
  PlanBuilder plan = across();
  const auto session = load(plan, withDriver(slow));
  OneRun run;
  run.options.deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  EXPECT_EQ(run.run(*session).code(), StatusCode::Cancelled);
  barrier.awaitArrival();
  barrier.open();
  run.options = {};
  EXPECT_TRUE(run.run(*session).isOk());
}

// Nor a session that has another one of its devices in common with this one.
TEST(SlowDriver, SubmitsBesideOthers) {
  Barrier barrier;
  const SlowDriver slow(Place::Submit, barrier);
  const ForwardingDriver prompt;
  PlanBuilder plan = across();
  const auto held = load(plan, withDriver(slow));
  const auto free = load(plan, withDriver(prompt));
  OneRun run, other;
  auto end = std::async(std::launch::async, [&] { return run.run(*held); });
  barrier.awaitArrival();
  EXPECT_TRUE(other.run(*free).isOk());
  barrier.open();
  EXPECT_TRUE(end.get().isOk());
}

// Nor the thread of the device whose end of a run lets this one begin.
TEST(SlowDriver, SubmitsForTheThreadsOfOthers) {
  Barrier barrier;
  const SlowDriver slow(Place::Submit, barrier);
  PlanBuilder plan, alone;
  plan.device("test:0");
  plan.device("faulty:0");
  addLaunch(plan, 0, "gate");
  plan.beginEntry("far");
  addLaunch(plan, 1, "affine");
  alone.device("test:0");
  addLaunch(alone, 0, "affine");
  SessionOptions options = withDriver(slow);
  options.entry = "main";
  const auto session = load(plan, options), other = load(alone);
  OneRun near, far, beside;
  std::future<Status> nearEnd, farEnd;
  {
    const GateCloser closer;
    nearEnd = near.start(*session);
    farEnd = session->entry("far")->runAsync({&far.input, 1}, {&far.output, 1});
  }
  barrier.awaitArrival();
  EXPECT_TRUE(beside.start(*other).get().isOk());
  barrier.open();
  EXPECT_TRUE(nearEnd.get().isOk());
  EXPECT_TRUE(farEnd.get().isOk());
}

// A run may end before the queue has returned from taking it. The session's
// devices stay until it has.
TEST(SlowDriver, IsDestroyedWhileAQueueSubmits) {
  Barrier barrier;
  const SlowDriver slow(Place::Submitted, barrier);
  PlanBuilder plan = across();
  std::unique_ptr<Session> session =
      *Session::load(plan.bytes(), withDriver(slow));
  OneRun run;
  EXPECT_TRUE(run.run(*session).isOk());
  barrier.awaitArrival();
  auto destroyed = std::async(std::launch::async, [&] { session.reset(); });
  EXPECT_EQ(destroyed.wait_for(std::chrono::milliseconds(20)),
            std::future_status::timeout);
  barrier.open();
  destroyed.get();
}

// The same if a callback destroys the session, which does not wait.
TEST(SlowDriver, IsDestroyedByACallbackWhileAQueueSubmits) {
  // The devices may be closed after the end of the test.
  static Barrier barrier;
  static const SlowDriver slow(Place::Submitted, barrier);
  PlanBuilder plan = across();
  std::unique_ptr<Session> session =
      *Session::load(plan.bytes(), withDriver(slow));
  OneRun run;
  std::promise<void> destroyed;
  run.start(*session, [&](const Status &status) {
    EXPECT_TRUE(status.isOk()) << status.message();
    session.reset();
    destroyed.set_value();
  });
  destroyed.get_future().get();
  EXPECT_EQ(run.y, 1);
  barrier.awaitArrival();
  barrier.open();
}
