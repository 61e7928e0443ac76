//===- EmulatedCudaPlugin.cpp - GPUs whose code the CPU can run -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The device kind "cuda" for a compiler that generates the code for GPUs twice:
// as PTX, and for the CPU. Pretended GPUs carry out the latter.
//
//===----------------------------------------------------------------------===//

#include "CudaPlugin.h"

using namespace weir;

static DevicePlugin makePlugin() {
  DevicePlugin plugin = makeCudaPlugin();
  plugin.kind.codeGenerator = emulatedGpuCodeGenerator;
  return plugin;
}

extern "C" __attribute__((visibility("default"))) const DevicePlugin *
weirDevicePlugin(uint32_t) {
  static const DevicePlugin plugin = makePlugin();
  return &plugin;
}
