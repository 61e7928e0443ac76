//===- BuiltinDrivers.cpp - The device kinds of this build -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CPU/CpuDriver.h"
#include "Null/NullDevice.h"
#include "weir/Runtime/KernelTable.h"

using namespace weir;

std::span<const DeviceDriver *const> weir::builtinDeviceDrivers() {
  static const CpuDriver cpu("cpu", cpuKernels());
  static const NullDriver null;
  static const DeviceDriver *const drivers[] = {&cpu, &null};
  return drivers;
}
