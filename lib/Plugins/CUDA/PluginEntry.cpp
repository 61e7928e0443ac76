//===- PluginEntry.cpp - What the plug-in of GPUs exports ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaPlugin.h"

using namespace weir;

extern "C" __attribute__((visibility("default"))) const DevicePlugin *
weirDevicePlugin(uint32_t) {
  static const DevicePlugin plugin = makeCudaPlugin();
  return &plugin;
}
