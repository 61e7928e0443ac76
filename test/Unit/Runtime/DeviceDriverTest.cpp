//===- DeviceDriverTest.cpp - Drivers that go wrong -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Tools/DeviceList.h"
#include "SmallPlans.h"
#include "TestPaths.h"
#include "weir/Support/DevicePlugin.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <gtest/gtest.h>
#include <mutex>
#include <stdexcept>

using namespace weir;
using namespace weir::test;
namespace fs = std::filesystem;

namespace {

/// The function that throws, or what is wrong with a result.
enum class Fault {
  None,
  CanOpen,
  CheckOptions,
  Resolve,
  Open,
  OpenFails,
  TooFewDevices,
  NullDevice,
  Allocate,
  NullMemory,
  Prepare,
  NullKernel,
  NullQueue
};

/// A device that forwards to another one.
class ForwardingDevice : public Device {
public:
  explicit ForwardingDevice(std::unique_ptr<Device> device)
      : device(std::move(device)) {}

  const DeviceInfo &info() const override { return device->info(); }
  StatusOr<std::unique_ptr<DeviceMemory>>
  allocate(size_t bytes, PagePlacement placement) override {
    return device->allocate(bytes, placement);
  }
  Status copyFromHost(void *to, const void *from, size_t bytes) override {
    return device->copyFromHost(to, from, bytes);
  }
  Status copyToHost(void *to, const void *from, size_t bytes) override {
    return device->copyToHost(to, from, bytes);
  }
  std::string packingKey() const override { return device->packingKey(); }
  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,
                                            PrepareContext &context) override {
    return device->prepare(spec, context);
  }
  StatusOr<DeviceQueue *> openQueue(int index) override {
    return device->openQueue(index);
  }

private:
  const std::unique_ptr<Device> device;
};

/// A driver of devices that are called "faulty" and forward to those of the
/// test's driver.
class ForwardingDriver : public DeviceDriver {
public:
  std::string_view name() const override { return "faulty"; }
  std::vector<DeviceInfo> detect() const override { return {}; }
  bool hasFeature(std::string_view) const override { return false; }
  Status canOpen(std::span<const DeviceRequest>) const override {
    return Status::ok();
  }
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest> requests) const override {
    WEIR_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<Device>> devices,
                          testDriver().open(requests));
    for (std::unique_ptr<Device> &device : devices)
      device = wrap(std::move(device));
    return devices;
  }

private:
  virtual std::unique_ptr<Device>
  wrap(std::unique_ptr<Device> device) const = 0;
};

/// A device that has one fault.
class FaultyDevice final : public ForwardingDevice {
public:
  FaultyDevice(std::unique_ptr<Device> device, Fault fault)
      : ForwardingDevice(std::move(device)), fault(fault) {}

  StatusOr<std::unique_ptr<DeviceMemory>>
  allocate(size_t bytes, PagePlacement placement) override {
    if (fault == Fault::Allocate)
      throw std::runtime_error("no such bank");
    if (fault == Fault::NullMemory)
      return std::unique_ptr<DeviceMemory>();
    return ForwardingDevice::allocate(bytes, placement);
  }
  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,
                                            PrepareContext &context) override {
    if (fault == Fault::Prepare)
      throw std::runtime_error("no such unit");
    if (fault == Fault::NullKernel)
      return std::unique_ptr<Kernel>();
    return ForwardingDevice::prepare(spec, context);
  }
  StatusOr<DeviceQueue *> openQueue(int index) override {
    if (fault == Fault::NullQueue)
      return static_cast<DeviceQueue *>(nullptr);
    return ForwardingDevice::openQueue(index);
  }

private:
  const Fault fault;
};

/// A driver that has one fault, or whose devices have it.
class FaultyDriver final : public ForwardingDriver {
public:
  explicit FaultyDriver(Fault fault) : fault(fault) {}

  Status canOpen(std::span<const DeviceRequest>) const override {
    throwAt(Fault::CanOpen);
    return Status::ok();
  }
  Status checkOptions(const DeviceRequest &) const override {
    throwAt(Fault::CheckOptions);
    return Status::ok();
  }
  std::vector<DeviceRequest>
  resolve(std::span<const DeviceRequest> requests) const override {
    throwAt(Fault::Resolve);
    return testDriver().resolve(requests);
  }
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest> requests) const override {
    throwAt(Fault::Open);
    if (fault == Fault::OpenFails)
      return unavailable("cannot reach the chip");
    WEIR_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<Device>> devices,
                          ForwardingDriver::open(requests));
    if (fault == Fault::TooFewDevices)
      devices.pop_back();
    if (fault == Fault::NullDevice)
      devices.back().reset();
    return devices;
  }

private:
  std::unique_ptr<Device> wrap(std::unique_ptr<Device> device) const override {
    return std::make_unique<FaultyDevice>(std::move(device), fault);
  }
  void throwAt(Fault here) const {
    if (fault == here)
      throw std::runtime_error("no such bus");
  }

  const Fault fault;
};

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
  StatusOr<DeviceQueue *> openQueue(int index) override {
    WEIR_ASSIGN_OR_RETURN(DeviceQueue * queue,
                          ForwardingDevice::openQueue(index));
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

SessionOptions withDriver(const DeviceDriver &driver) {
  SessionOptions options = testOptions();
  options.deviceDrivers.push_back(&driver);
  return options;
}

/// y = x on the first of two devices, by way of memory there.
PlanBuilder makePlan() {
  PlanBuilder plan;
  plan.device("faulty:0");
  plan.device("faulty:1");
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  const uint32_t between = plan.scratch(1);
  plan.on(0).launch("op", "affine", {x}, {between});
  plan.copy("copy", between, y);
  return plan;
}

std::string errorOf(Fault fault) {
  const FaultyDriver driver(fault);
  PlanBuilder plan = makePlan();
  SessionOptions options;
  options.deviceDrivers = {&driver};
  options.deviceOptions = {{"faulty:1", "some", "option"}};
  const auto session = Session::load(plan.bytes(), options);
  return session ? "" : std::string(session.status().message());
}

void expectError(Fault fault, const std::string &part) {
  const std::string error = errorOf(fault);
  EXPECT_NE(error.find(part), std::string::npos) << error;
}

} // namespace

// What drivers throw is an error that names them.
TEST(DeviceDriver, ExceptionsAreErrors) {
  EXPECT_EQ(errorOf(Fault::None), "");
  for (const Fault fault : {Fault::CanOpen, Fault::CheckOptions, Fault::Open})
    expectError(fault,
                "an exception in the driver of faulty devices: no such bus");
}

// A driver that does not check options has those that its kind describes. A
// kind that nothing describes has none.
TEST(DeviceDriver, HasTheOptionsOfItsKind) {
  const FaultyDriver driver(Fault::None);
  DeviceRequest request;
  request.name = "faulty:1";
  EXPECT_TRUE(driver.DeviceDriver::checkOptions(request).isOk());
  request.options = {{"some", "option"}};
  EXPECT_EQ(
      driver.DeviceDriver::checkOptions(request).message(),
      "faulty:1: there is no option 'some'; faulty devices have no options");
}

// There must be a device for each request.
TEST(DeviceDriver, OpenedDevicesAreChecked) {
  expectError(Fault::TooFewDevices,
              "the driver of faulty devices opened 1 when 2 were requested; it "
              "must open each, in their order");
  expectError(Fault::NullDevice,
              "the driver of faulty devices opened null for faulty:1; it must "
              "open a device or return an error");
}

// Devices return what they are asked for, or an error. Errors name the device,
// and those of kernels the op.
TEST(DeviceDriver, ResultsOfDevicesAreChecked) {
  expectError(Fault::OpenFails,
              "cannot open faulty:0, faulty:1: cannot reach the chip");
  expectError(Fault::Allocate,
              "faulty:0: an exception in Device::allocate: no such bank");
  expectError(Fault::NullMemory, "faulty:0: Device::allocate returned null; it "
                                 "must return an error instead");
  expectError(Fault::NullQueue, "faulty:0: Device::openQueue returned null");
  expectError(Fault::Prepare, "op 'op' on faulty:0");
  expectError(Fault::Prepare, "an exception in Device::prepare: no such unit");
  expectError(Fault::NullKernel, "op 'op' on faulty:0");
  expectError(Fault::NullKernel, "Device::prepare returned null");
}

// If it is not known whether sessions want the same devices, each gets its own.
TEST(DeviceDriver, SessionsThatCannotShareDevicesWork) {
  const FaultyDriver driver(Fault::Resolve);
  PlanBuilder plan = makePlan();
  SessionOptions options;
  options.deviceDrivers = {&driver};
  options.threads = 1;
  Caller one(plan, options);
  options.threads = 2;
  Caller two(plan, options);
  EXPECT_EQ(one.result(), 1);
  EXPECT_EQ(two.result(), 1);
}

// If a driver cannot say which devices there are, the others are listed.
TEST(DeviceDriver, AreListedWithoutThoseThatFail) {
  const fs::path folder =
      fs::path(testing::TempDir()) / ("weir-list-" + std::to_string(getpid()));
  fs::create_directories(folder);
  fs::copy_file(paths::plugin, folder / devicePluginFile("undetected"));
  const std::string path = getenv("WEIR_PLUGIN_PATH");
  setenv("WEIR_PLUGIN_PATH", folder.c_str(), 1);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const Status status = listDevices(/*json=*/false);
  const std::string list = testing::internal::GetCapturedStdout();
  const std::string notes = testing::internal::GetCapturedStderr();
  setenv("WEIR_PLUGIN_PATH", path.c_str(), 1);
  fs::remove_all(folder);
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_NE(list.find("cpu:0"), std::string::npos) << list;
  // Other kinds may have no device here, either.
  EXPECT_NE(notes.find(
                "note: devices of kind 'undetected' are left out: an exception "
                "in the driver of undetected devices: no such bus\n"),
            notes.npos)
      << notes;
}

// While a driver opens devices, others open theirs, and those who want the same
// devices get these.
TEST(DeviceDriver, MayTakeLongToOpen) {
  Barrier barrier;
  const SlowDriver slow(Place::Open, barrier);
  SessionOptions options = testOptions();
  options.deviceDrivers.push_back(&slow);
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
TEST(DeviceDriver, AllocatesDuringALoad) {
  Barrier barrier;
  const SlowDriver slow(Place::Prepare, barrier);
  SessionOptions options = testOptions();
  options.deviceDrivers.push_back(&slow);
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
TEST(DeviceDriver, MayTakeLongToSubmit) {
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
TEST(DeviceDriver, SubmitsUntilADeadline) {
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
TEST(DeviceDriver, SubmitsBesideOthers) {
  Barrier barrier;
  const SlowDriver slow(Place::Submit, barrier);
  const FaultyDriver prompt(Fault::None);
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
TEST(DeviceDriver, SubmitsForTheThreadsOfOthers) {
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
TEST(DeviceDriver, IsDestroyedWhileAQueueSubmits) {
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
TEST(DeviceDriver, IsDestroyedByACallbackWhileAQueueSubmits) {
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
