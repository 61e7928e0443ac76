//===- TimeModelTest.cpp - Predicted times ----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/TimeModel.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::analysis;

/// A kind as that of a GPU: its rates are those of the whole device.
static const DeviceKindInfo gpuInfo = [] {
  DeviceKindInfo info = *DeviceKind::Null.operator->();
  info.name = "gpu";
  info.hasOwnMemory = true;
  info.codeGenerator = gpuCodeGenerator;
  info.link = {25e9, 10e-6};
  return info;
}();
static const DeviceKind gpuKind(gpuInfo);

static const DeviceName cpu{0, DeviceKind::CPU, 0};
static const DeviceName otherCpu{0, DeviceKind::CPU, 1};
static const DeviceName gpu{0, gpuKind, 0};

/// The model of one device, which has the name `name` and states its rates.
static TimeModel makeModel(DeviceName name, double flopsPerSecond) {
  Topology topology = Topology::of({name});
  DeviceDesc &device = topology.devices.front();
  device.flopsPerSecond[static_cast<int>(DType::F32)] = flopsPerSecond;
  device.bytesPerSecond = 1e10;
  device.launchSeconds = 1e-6;
  return TimeModel(topology);
}

/// A launch of library code.
static LaunchWork makeWork(double flops, double bytes) {
  LaunchWork work{.bytes = bytes};
  work.flopsOf(CodeKind::Library).others = flops;
  return work;
}

// A launch takes the longer of arithmetic and traffic, and its overhead.
TEST(TimeModelTest, launchIsARoofline) {
  const TimeModel model = makeModel(cpu, 1e12);
  // 1e9 flop at 1e12 flop/s is 1 ms; 1e6 bytes at 1e10 byte/s are 0.1 ms.
  EXPECT_DOUBLE_EQ(model.secondsOf(makeWork(1e9, 1e6)), 1.001e-3);
  // 1e8 bytes are 10 ms.
  EXPECT_DOUBLE_EQ(model.secondsOf(makeWork(1e9, 1e8)), 10.001e-3);
  EXPECT_DOUBLE_EQ(model.secondsOf(makeWork(0, 0)), 1e-6);
}

// A copy reads and writes the memory, and a fill only writes it.
TEST(TimeModelTest, copiesReadAndWrite) {
  const TimeModel model = makeModel(cpu, 1e12);
  EXPECT_DOUBLE_EQ(model.secondsOfCopy(0, 1e6), 2e-4);
  EXPECT_DOUBLE_EQ(model.secondsOfFill(0, 1e6), 1e-4);
  EXPECT_EQ(model.secondsOfCopy(0, 0), 0);
}

// A value crosses over the link, or without any time if nothing is copied.
TEST(TimeModelTest, crossingCopiesOrPassesOn) {
  Topology topology = Topology::of({cpu, otherCpu});
  topology.links[{cpu, otherCpu}] = {.bytesPerSecond = 1e9,
                                     .latencySeconds = 5e-6};
  const TimeModel model(topology);
  EXPECT_DOUBLE_EQ(model.secondsOfCrossing(cpu, otherCpu, 1e6), 1.005e-3);
  EXPECT_EQ(model.secondsOfCrossing(cpu, otherCpu, 0), 0);
}

// Stated rates win. A dtype without a rate uses the stated f32 rate; all else
// uses the defaults of the kind.
TEST(TimeModelTest, statedRatesWin) {
  Topology topology = Topology::of({cpu, otherCpu});
  topology.devices[0].threads = 4;
  DeviceDesc &stated = topology.devices[1];
  stated.flopsPerSecond[static_cast<int>(DType::F32)] = 5e9;
  stated.flopsPerSecond[static_cast<int>(DType::BF16)] = 7e9;
  stated.bytesPerSecond = 3e9;
  const TimeModel model(topology);
  const DeviceRates &rates = DeviceKind::CPU->rates;
  EXPECT_DOUBLE_EQ(model.secondsOf(makeWork(1e12, 0)),
                   1e12 / (4 * rates.flopsPerSecond[0]) + rates.launchSeconds);
  LaunchWork work = makeWork(7e9, 0);
  work.device = 1;
  EXPECT_DOUBLE_EQ(model.secondsOf(work), 7.0 / 5 + rates.launchSeconds);
  work.type = DType::BF16;
  EXPECT_DOUBLE_EQ(model.secondsOf(work), 1 + rates.launchSeconds);
  work.type = DType::I8;
  EXPECT_DOUBLE_EQ(model.secondsOf(work), 7.0 / 5 + rates.launchSeconds);
  EXPECT_DOUBLE_EQ(model.secondsOfFill(1, 3e9), 1);
}

// Threads add up, but not those of a GPU.
TEST(TimeModelTest, threadsAddUp) {
  EXPECT_DOUBLE_EQ(defaultRates(DeviceKind::CPU, 16).flopsPerSecond[0],
                   16 * defaultRates(DeviceKind::CPU, 1).flopsPerSecond[0]);
  EXPECT_DOUBLE_EQ(defaultRates(gpuKind, 16).flopsPerSecond[0],
                   defaultRates(gpuKind, 1).flopsPerSecond[0]);
}

// Every kind has positive rates, so no prediction is infinite.
TEST(TimeModelTest, defaultsArePositive) {
  for (DeviceKind kind : deviceKinds()) {
    DeviceRates rates = defaultRates(kind, 0);
    for (double rate : rates.flopsPerSecond)
      EXPECT_GT(rate, 0);
    EXPECT_GT(rates.bytesPerSecond, 0);
    EXPECT_GT(rates.launchSeconds, 0);
  }
}

// Links: the topology's own, else the network between hosts, PCIe to a GPU,
// memory within a host.
TEST(TimeModelTest, linksHaveDefaults) {
  const DeviceName far{1, DeviceKind::CPU, 0};
  Topology topology = Topology::of({cpu, otherCpu, gpu, far});
  topology.links[{cpu, otherCpu}] = {2e9, 3e-6};
  const TimeModel model(topology);
  auto secondsOver = [](const LinkRates &link) {
    return 1e6 / link.bytesPerSecond + link.latencySeconds;
  };
  EXPECT_DOUBLE_EQ(model.secondsOfCrossing(cpu, otherCpu, 1e6),
                   secondsOver({2e9, 3e-6}));
  EXPECT_DOUBLE_EQ(model.secondsOfCrossing(otherCpu, cpu, 1e6),
                   secondsOver(DeviceKind::CPU->link));
  EXPECT_DOUBLE_EQ(model.secondsOfCrossing(cpu, gpu, 1e6),
                   secondsOver(gpuKind->link));
  EXPECT_DOUBLE_EQ(model.secondsOfCrossing(gpu, far, 1e6),
                   secondsOver(defaults::network));
}

// Each kind of code has its own part of the peak rate, and the times add up.
TEST(TimeModelTest, codeHasItsSpeed) {
  const TimeModel model = makeModel(cpu, 1e12);
  LaunchWork work = makeWork(1e12, 0);
  work.flopsOf(CodeKind::Generated) = {.contractions = 1e12, .others = 2e12};
  work.flopsOf(CodeKind::Reference).others = 1e12;
  EXPECT_DOUBLE_EQ(model.secondsOf(work), 1 + 3 / defaults::generatedSpeed +
                                              1 / defaults::referenceSpeed +
                                              1e-6);
}

// Products of generated code for GPUs are far from the peak rate, so that they
// are not placed there for it. Other code is as fast as on CPUs.
TEST(TimeModelTest, generatedProductsOnGpusAreSlow) {
  LaunchWork products, others;
  products.flopsOf(CodeKind::Generated).contractions = 1e12;
  others.flopsOf(CodeKind::Generated).others = 1e12;
  const TimeModel fast = makeModel(gpu, 50e12);
  EXPECT_DOUBLE_EQ(fast.secondsOf(products), 1 + 1e-6);
  EXPECT_DOUBLE_EQ(fast.secondsOf(others), 0.08 + 1e-6);
  const TimeModel slow = makeModel(gpu, 1e12);
  EXPECT_DOUBLE_EQ(slow.secondsOf(products), slow.secondsOf(others));
}
