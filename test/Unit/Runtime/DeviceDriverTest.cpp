//===- DeviceDriverTest.cpp - Drivers that go wrong -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ForwardingDriver.h"
#include "Runtime/Tools/DeviceList.h"
#include "TestPaths.h"
#include "weir/Support/DevicePlugin.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
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
  StatusOr<DeviceQueue *> openQueue(QueueRole role) override {
    if (fault == Fault::NullQueue)
      return static_cast<DeviceQueue *>(nullptr);
    return ForwardingDevice::openQueue(role);
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
