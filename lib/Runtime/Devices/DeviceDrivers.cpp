//===- DeviceDrivers.cpp - The drivers of all device kinds ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CPU/CpuDriver.h"
#include "Null/NullDevice.h"
#include "weir/Runtime/KernelTable.h"
#include "weir/Support/DevicePlugin.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>

using namespace weir;

Status DeviceDriver::checkOptions(const DeviceRequest &request) const {
  if (request.options.empty())
    return Status::ok();
  return invalidArgument(fmt::format(
      "{} has no option '{}': {} devices have none; leave it out", request.name,
      printable(request.options.begin()->first), name()));
}

std::span<const DeviceDriver *const> weir::builtinDeviceDrivers() {
  static const CpuDriver cpu("cpu", cpuKernels());
  static const NullDriver null;
  static const DeviceDriver *const drivers[] = {&cpu, &null};
  return drivers;
}

StatusOr<const DeviceDriver *> weir::findDeviceDriver(std::string_view kind) {
  for (const DeviceDriver *driver : builtinDeviceDrivers())
    if (driver->name() == kind)
      return driver;
  WEIR_ASSIGN_OR_RETURN(const DevicePlugin *plugin, findDevicePlugin(kind));
  if (plugin->driver->name() != kind)
    return invalidArgument(
        fmt::format("the driver of the plug-in {} says that it is for devices "
                    "of kind '{}'; it must return '{}'",
                    devicePluginFile(kind), plugin->driver->name(), kind));
  return plugin->driver;
}
