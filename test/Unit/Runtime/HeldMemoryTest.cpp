//===- HeldMemoryTest.cpp - Memory that is counted before a load ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/HeldMemory.h"
#include "SmallPlans.h"
#include "weir/Runtime/TensorObserver.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace weir;
using namespace weir::test;

namespace {

/// 256 bytes, to which all memory is rounded.
constexpr int64_t floats = 64;
const Floats values(floats, 2);

HeldMemory countOf(PlanBuilder &plan,
                   const SessionOptions &options = testOptions()) {
  StatusOr<HeldMemory> held = countHeldMemory(plan.build(), options);
  EXPECT_TRUE(held.isOk()) << held.status().message();
  return held.isOk() ? *std::move(held) : HeldMemory();
}

/// What a session of the plan holds. Expects that it was counted.
std::vector<DeviceStats> heldBy(PlanBuilder &plan,
                                const SessionOptions &options = testOptions()) {
  const HeldMemory counted = countOf(plan, options);
  EXPECT_TRUE(counted.isExact);
  std::vector<DeviceStats> held = load(plan, options)->stats().devices;
  EXPECT_EQ(counted.devices.size(), held.size());
  for (size_t i = 0; i < std::min(held.size(), counted.devices.size()); ++i) {
    EXPECT_EQ(counted.devices[i].plannedBytes, held[i].plannedBytes);
    EXPECT_EQ(counted.devices[i].workspaceBytes, held[i].workspaceBytes);
    EXPECT_EQ(counted.devices[i].packedBytes, held[i].packedBytes);
    EXPECT_EQ(counted.devices[i].parameterBytes, held[i].parameterBytes);
    EXPECT_EQ(counted.devices[i].inPlaceBytes, held[i].inPlaceBytes);
    EXPECT_EQ(counted.devices[i].heldBytes(), held[i].heldBytes());
  }
  return held;
}

/// Two entries that share a packed parameter, `read`, and a variable. With
/// three runs in flight.
PlanBuilder sharingEntries(bool isolated) {
  PlanBuilder plan;
  plan.variant().frames = 3;
  const uint16_t device = plan.device("test:0", isolated);
  std::vector<uint32_t> blobs;
  uint32_t variable = 0;
  for (const char *name : {"main", "other"}) {
    if (blobs.empty()) {
      plan.parameter(values);
      blobs.push_back(plan.lastBlob());
      plan.parameter(values);
      blobs.push_back(plan.lastBlob());
      plan.variable(values, device, "v");
      variable = plan.lastVariable();
    } else {
      plan.beginEntry(name);
    }
    const uint32_t packed = plan.parameterOn(blobs[0], device);
    const uint32_t read = plan.parameterOn(blobs[1], device);
    const uint32_t state = plan.variableOn(variable);
    const uint32_t x = plan.input("x", floats, device);
    const uint32_t y = plan.output("y", floats, device);
    const uint32_t ofQueue = plan.queueScratch(floats, device);
    const uint32_t ofRun = plan.scratch(2 * floats, device);
    plan.on(device);
    plan.launch("pack", "packed", {x, packed}, {ofQueue});
    plan.launch("stay", "via_workspace", {ofQueue}, {y});
    plan.launchOn(floats, "keep", "add", {y, read}, {ofRun});
    plan.launchOn(floats, "set", "affine", {ofRun}, {state});
  }
  return plan;
}

} // namespace

// Entries hold what they share once, and each run in flight its own scratch.
TEST(HeldMemory, CountsWhatEntriesShareOnce) {
  PlanBuilder plan = sharingEntries(/*isolated=*/false);
  const DeviceStats held = heldBy(plan)[0];
  EXPECT_EQ(held.plannedBytes, 256u + 3 * 512u);
  EXPECT_EQ(held.workspaceBytes, 256u);
  EXPECT_EQ(held.packedBytes, 256u);
  EXPECT_EQ(held.parameterBytes, 256u);
  EXPECT_EQ(held.inPlaceBytes, 256u);
  EXPECT_EQ(held.heldBytes(), 5 * 256u + 3 * 512u);
  EXPECT_EQ(describeHeld(held),
            "1792 of scratch, 256 of workspace of kernels, 256 of packed "
            "weights, 256 of unpacked parameters, 256 of variables and copies "
            "of parameters");
}

// An isolated device holds copies of all parameters and reads none in the file.
TEST(HeldMemory, CountsCopiesOfIsolatedDevices) {
  PlanBuilder plan = sharingEntries(/*isolated=*/true);
  const DeviceStats held = heldBy(plan)[0];
  EXPECT_EQ(held.parameterBytes, 3 * 256u);
  EXPECT_EQ(held.inPlaceBytes, 0u);
  EXPECT_EQ(held.packedBytes, 256u);
}

// With fewer runs in flight than the model was compiled for, less is held.
TEST(HeldMemory, FollowsTheOptions) {
  PlanBuilder plan = sharingEntries(/*isolated=*/false);
  SessionOptions options = testOptions();
  options.inFlight = 1;
  EXPECT_EQ(heldBy(plan, options)[0].plannedBytes, 256u + 512u);
}

// A parameter that one kernel has packed and another one reads is held twice.
// Devices that share the host's memory hold it once.
TEST(HeldMemory, CountsParametersThatAreReadOnce) {
  PlanBuilder plan;
  plan.device("test:0");
  plan.device("test:1");
  const uint32_t x = plan.input("x", floats);
  const uint32_t weights = plan.parameter(values);
  const uint32_t y = plan.output("y", floats);
  const uint32_t z = plan.output("z", floats);
  plan.on(0);
  plan.launch("pack", "packed", {x, weights}, {y});
  plan.on(1);
  plan.launch("read", "add", {x, weights}, {z});
  plan.launch("again", "packed", {x, weights}, {z});
  std::vector<DeviceStats> held = heldBy(plan);
  EXPECT_EQ(held[0].packedBytes, 256u);
  EXPECT_EQ(held[0].inPlaceBytes, 0u);
  EXPECT_EQ(held[1].packedBytes, 0u);
  EXPECT_EQ(held[1].inPlaceBytes, 256u);
}

// A copy reads a parameter where it is, except if it moves no bytes.
TEST(HeldMemory, CountsCopiedParameters) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t y = plan.output("y", floats);
  const uint32_t z = plan.output("z", floats);
  const uint32_t copied = plan.parameter(values);
  const uint32_t passed = plan.parameter(values);
  const uint32_t to = plan.scratch(floats);
  plan.on(0);
  plan.copy("copy", copied, y);
  plan.fill("fill", z);
  plan.copy("pass", passed, to, /*crossing=*/true, /*inPlace=*/true);
  EXPECT_EQ(heldBy(plan)[0].inPlaceBytes, 256u);
}

// Counting packs nothing, and needs no memory: a machine without enough of it
// can tell what a model needs.
TEST(HeldMemory, AllocatesNothing) {
  PlanBuilder plan = sharingEntries(/*isolated=*/false);
  numPacked = 0;
  countOf(plan);
  EXPECT_EQ(numPacked, 0);

  PlanBuilder huge;
  huge.device("test:0");
  constexpr int64_t count = int64_t(1) << 44;
  const uint32_t y = huge.output("y", 1);
  const uint32_t big = huge.scratch(count);
  huge.on(0);
  huge.launchOn(1, "first", "affine", {y}, {big});
  huge.launchOn(1, "second", "affine", {big}, {y});
  EXPECT_EQ(countOf(huge).devices[0].plannedBytes, uint64_t(count) * 4);
}

// A model within its cap runs. One byte less is refused before anything is
// packed, and the error says what is needed.
TEST(HeldMemory, CapsAreCheckedBeforeALoad) {
  PlanBuilder plan = sharingEntries(/*isolated=*/false);
  artifact::DeviceT &device = *plan.variant().devices[0];
  device.memory_cap = 2816;
  {
    auto session = load(plan);
    ASSERT_TRUE(session);
    EXPECT_EQ(session->stats().devices[0].heldBytes(), 2816u);
    EXPECT_EQ(session->stats().devices[0].memoryCap, 2816u);
    EXPECT_EQ(*run(*session, {Floats(floats, 1)}),
              (std::vector<Floats>{Floats(floats, 5)}));
  }
  device.memory_cap = 2815;
  numPacked = 0;
  auto refused = Session::load(plan.bytes(), testOptions());
  EXPECT_EQ(numPacked, 0);
  ASSERT_FALSE(refused.isOk());
  EXPECT_EQ(refused.status().code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(refused.status().message(),
            "test:0: the model holds 2816 bytes on this machine (1792 of "
            "scratch, 256 of workspace of kernels, 256 of packed weights, 256 "
            "of unpacked parameters, 256 of variables and copies of "
            "parameters), but was compiled with a memory cap of 2815 bytes; "
            "allow fewer runs in flight, allow fewer threads, or compile it on "
            "this machine for 3 runs in flight with a memory cap of 2816 bytes "
            "for test:0");
  SessionOptions options = testOptions();
  options.inFlight = 2;
  EXPECT_TRUE(Session::load(plan.bytes(), options).isOk());
}

// Where no variant can run, about what every machine needs is counted, and a
// load says why it cannot run.
TEST(HeldMemory, IsAnEstimateForAnotherMachine) {
  PlanBuilder plan = sharingEntries(/*isolated=*/false);
  plan.variant().cpu_features = {"no-such-feature"};
  plan.variant().devices[0]->memory_cap = 1;
  const HeldMemory held = countOf(plan);
  EXPECT_FALSE(held.isExact);
  EXPECT_EQ(held.devices[0].info.name, "test:0");
  EXPECT_EQ(held.devices[0].plannedBytes, 256u + 3 * 512u);
  EXPECT_EQ(held.devices[0].inPlaceBytes, 2 * 256u);
  EXPECT_EQ(held.devices[0].packedBytes, 0u);
  EXPECT_EQ(held.devices[0].workspaceBytes, 0u);
  auto refused = Session::load(plan.bytes(), testOptions());
  ASSERT_FALSE(refused.isOk());
  EXPECT_NE(refused.status().message().find("no-such-feature"),
            std::string::npos);
}

// All devices that would hold too much are named, and only what helps.
TEST(HeldMemory, RefusalsNameAllDevices) {
  PlanBuilder plan;
  for (const char *name : {"test:0", "test:1", "test:2"})
    plan.device(name);
  const uint32_t x = plan.input("x", floats);
  for (uint16_t device = 0; device < 3; ++device) {
    plan.variant().devices[device]->memory_cap = device == 1 ? 512 : 255;
    const uint32_t y = plan.output(fmt::format("y{}", device), floats);
    plan.on(device).launch("sum", "add", {x, plan.parameter(values)}, {y});
  }
  SessionOptions options = testOptions();
  options.threads = 2;
  auto refused = Session::load(plan.bytes(), options);
  ASSERT_FALSE(refused.isOk());
  EXPECT_EQ(refused.status().message(),
            "test:0: the model holds 256 bytes on this machine (256 of "
            "unpacked parameters), but was compiled with a memory cap of 255 "
            "bytes; test:2: the model holds 256 bytes on this machine (256 of "
            "unpacked parameters), but was compiled with a memory cap of 255 "
            "bytes; compile it on this machine for 2 threads with a memory cap "
            "of 256 bytes for test:0, 512 bytes for test:1, 256 bytes for "
            "test:2");
}

// If a kernel cannot be prepared, the count is that for another machine.
TEST(HeldMemory, IsAnEstimateIfKernelsCannotBePrepared) {
  PlanBuilder plan = sharingEntries(/*isolated=*/false);
  plan.launch("bad", "throw", {}, {plan.queueScratch(floats, 0)});
  const HeldMemory held = countOf(plan);
  EXPECT_FALSE(held.isExact);
  EXPECT_NE(held.failure.message().find("thrown"), std::string::npos);
  ASSERT_EQ(held.devices.size(), 1u);
  EXPECT_EQ(held.devices[0].inPlaceBytes, 2 * 256u);
  EXPECT_EQ(held.devices[0].packedBytes, 0u);
}

namespace {
/// The driver of the tests, which counts how often devices are opened.
class OpenCounter final : public DeviceDriver {
public:
  std::string_view name() const override { return testDriver().name(); }
  std::vector<DeviceInfo> detect() const override { return {}; }
  bool hasFeature(std::string_view) const override { return false; }
  Status canOpen(std::span<const DeviceRequest>) const override {
    return Status::ok();
  }
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest> requests) const override {
    ++numOpened;
    return testDriver().open(requests);
  }
  mutable int numOpened = 0;
};

class Ignorer final : public TensorObserver {
public:
  Status observe(size_t, const void *) override { return Status::ok(); }
};
} // namespace

// The model is counted on the devices that it gets, also if no other one may
// use them.
TEST(HeldMemory, CountsOnTheDevicesOfTheModel) {
  PlanBuilder plan = sharingEntries(/*isolated=*/false);
  plan.variant().devices[0]->memory_cap = 1 << 20;
  const OpenCounter driver;
  Ignorer observer;
  SessionOptions options;
  options.deviceDrivers = {&driver};
  options.observer = &observer;
  load(plan, options);
  EXPECT_EQ(driver.numOpened, 1);
}
