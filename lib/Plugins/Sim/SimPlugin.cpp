//===- SimPlugin.cpp - The device kind "sim" ------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SimDevice.h"
#include "SimOptions.h"
#include "weir/Support/DevicePlugin.h"

using namespace weir;

static DevicePlugin makePlugin() {
  // Never destroyed, since sessions may be loaded while the process ends.
  static const SimDriver &driver = *new SimDriver;
  DevicePlugin plugin;
  plugin.kind = *DeviceKind::CPU.operator->();
  plugin.kind.name = "sim";
  plugin.kind.hasOwnMemory = true;
  plugin.kind.usesPredictions = true;
  plugin.kind.checkOption = SimOptions::check;
  // With this, a plan that uses no simulated device runs without the plug-in.
  // Nothing changes for the other devices.
  plugin.kind.isEverywhere = false;
  plugin.driver = &driver;
  return plugin;
}

extern "C" __attribute__((visibility("default"))) const DevicePlugin *
weirDevicePlugin(uint32_t) {
  static const DevicePlugin plugin = makePlugin();
  return &plugin;
}
