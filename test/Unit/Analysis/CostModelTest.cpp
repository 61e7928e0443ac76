//===- CostModelTest.cpp - Predicted times -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/CostModel.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::analysis;

// A launch takes the longer of arithmetic and traffic, and its overhead.
TEST(CostModelTest, launchIsARoofline) {
  DeviceRates rates;
  rates.flopsPerSecond.fill(1e12);
  rates.bytesPerSecond = 1e10;
  rates.launchSeconds = 1e-6;
  // 1e9 flop at 1e12 flop/s is 1 ms; 1e6 bytes at 1e10 byte/s are 0.1 ms.
  EXPECT_DOUBLE_EQ(predictLaunchSeconds(rates, DType::F32, 1e9, 1e6), 1.001e-3);
  // 1e8 bytes are 10 ms.
  EXPECT_DOUBLE_EQ(predictLaunchSeconds(rates, DType::F32, 1e9, 1e8),
                   10.001e-3);
  EXPECT_DOUBLE_EQ(predictLaunchSeconds(rates, DType::F32, 0, 0), 1e-6);
}

// A copy takes its bytes over the rate, and the latency.
TEST(CostModelTest, copyIsLinear) {
  EXPECT_DOUBLE_EQ(predictCopySeconds({1e10, 5e-6}, 1e6), 1.05e-4);
}

// A value crosses over the link, or without any time if nothing is copied.
TEST(CostModelTest, crossingCopiesOrPassesOn) {
  const DeviceName from = *parseDeviceName("cpu:0");
  const DeviceName to = *parseDeviceName("cpu:1");
  Topology topology = Topology::of({from, to});
  topology.links[{from, to}] = {.bytesPerSecond = 1e9, .latencySeconds = 5e-6};
  EXPECT_DOUBLE_EQ(predictCrossingSeconds(topology, from, to, 1e6), 1.005e-3);
  EXPECT_EQ(predictCrossingSeconds(topology, from, to, 0), 0);
}

// Stated rates win. A dtype without a rate uses the stated f32 rate; all else
// uses the defaults of the kind.
TEST(CostModelTest, statedRatesWin) {
  DeviceDesc device;
  device.threads = 4;
  EXPECT_DOUBLE_EQ(ratesOf(device).flopsPerSecond[0],
                   4 * DeviceKind::CPU->rates.flopsPerSecond[0]);
  device.flopsPerSecond[static_cast<int>(DType::F32)] = 5e9;
  device.flopsPerSecond[static_cast<int>(DType::BF16)] = 7e9;
  device.bytesPerSecond = 3e9;
  DeviceRates rates = ratesOf(device);
  EXPECT_EQ(rates.flopsPerSecond[static_cast<int>(DType::F32)], 5e9);
  EXPECT_EQ(rates.flopsPerSecond[static_cast<int>(DType::BF16)], 7e9);
  EXPECT_EQ(rates.flopsPerSecond[static_cast<int>(DType::I8)], 5e9);
  EXPECT_EQ(rates.bytesPerSecond, 3e9);
  EXPECT_EQ(rates.launchSeconds, DeviceKind::CPU->rates.launchSeconds);
}

/// A kind as that of a GPU: its rates are those of the whole device.
static const DeviceKindInfo gpuInfo = [] {
  DeviceKindInfo info = *DeviceKind::Null.operator->();
  info.name = "gpu";
  info.hasOwnMemory = true;
  info.link = {25e9, 10e-6};
  return info;
}();
static const DeviceKind gpuKind(gpuInfo);

// Threads add up, but not those of a GPU.
TEST(CostModelTest, threadsAddUp) {
  EXPECT_DOUBLE_EQ(defaultRates(DeviceKind::CPU, 16).flopsPerSecond[0],
                   16 * defaultRates(DeviceKind::CPU, 1).flopsPerSecond[0]);
  EXPECT_DOUBLE_EQ(defaultRates(gpuKind, 16).flopsPerSecond[0],
                   defaultRates(gpuKind, 1).flopsPerSecond[0]);
}

// Every kind has positive rates, so no prediction is infinite.
TEST(CostModelTest, defaultsArePositive) {
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
TEST(CostModelTest, linksHaveDefaults) {
  DeviceName cpu{0, DeviceKind::CPU, 0}, cpu1{0, DeviceKind::CPU, 1};
  DeviceName gpu{0, gpuKind, 0}, far{1, DeviceKind::CPU, 0};
  Topology topology = Topology::of({cpu, cpu1, gpu, far});
  topology.links[{cpu, cpu1}] = {2e9, 3e-6};
  EXPECT_EQ(linkRates(topology, cpu, cpu1).bytesPerSecond, 2e9);
  EXPECT_EQ(linkRates(topology, cpu, cpu1).latencySeconds, 3e-6);
  EXPECT_EQ(linkRates(topology, cpu1, cpu).bytesPerSecond,
            DeviceKind::CPU->link.bytesPerSecond);
  EXPECT_EQ(linkRates(topology, cpu, gpu).bytesPerSecond,
            gpuKind->link.bytesPerSecond);
  EXPECT_EQ(linkRates(topology, gpu, far).bytesPerSecond,
            defaults::network.bytesPerSecond);
}

// Products of generated code for GPUs are far from the peak rate, so that they
// are not placed there for it. Other code is as fast as on CPUs.
TEST(CostModelTest, generatedProductsOnGpusAreSlow) {
  static constexpr DeviceKindInfo info{.name = "gpu",
                                       .codeGenerator = gpuCodeGenerator};
  const DeviceKind gpu(info);
  EXPECT_DOUBLE_EQ(productSpeedOf(CodeKind::Generated, gpu, 50e12), 0.02);
  EXPECT_DOUBLE_EQ(productSpeedOf(CodeKind::Generated, gpu, 1e12),
                   speedOf(CodeKind::Generated));
  EXPECT_DOUBLE_EQ(productSpeedOf(CodeKind::Library, gpu, 50e12), 1);
  EXPECT_DOUBLE_EQ(productSpeedOf(CodeKind::Generated, DeviceKind::CPU, 50e12),
                   speedOf(CodeKind::Generated));
}
