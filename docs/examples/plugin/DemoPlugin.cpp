//===- DemoPlugin.cpp - The device kind "demo" ----------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DemoDevice.h"
#include "DemoKernels.h"
#include "weir/Support/DevicePlugin.h"

using namespace weir;

/// One scalar loop: a multiplication and an addition every four cycles.
static DeviceRates makeRates() {
  DeviceRates rates;
  rates.flopsPerSecond.fill(1e9);
  rates.bytesPerSecond = 4e9;
  rates.launchSeconds = 1e-6;
  return rates;
}

static DevicePlugin makePlugin() {
  static const demo::DemoDriver driver;
  DevicePlugin plugin;
  plugin.kind.name = "demo";
  plugin.kind.kernels = demo::kernelsName;
  plugin.kind.rows = demo::kernelRows();
  plugin.kind.kernelTable = demo::kernelTable;
  plugin.kind.hasOwnMemory = true;
  plugin.kind.rates = makeRates();
  plugin.kind.link = {.bytesPerSecond = 10e9, .latencySeconds = 1e-6};
  plugin.driver = &driver;
  return plugin;
}

extern "C" __attribute__((visibility("default"))) const DevicePlugin *
weirDevicePlugin(uint32_t) {
  // Weir compares the versions.
  static const DevicePlugin plugin = makePlugin();
  return &plugin;
}
