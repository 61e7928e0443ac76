//===- DeviceDrivers.cpp - The drivers of all device kinds ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CPU/CpuDriver.h"
#include "Null/NullDevice.h"
#include "OptionCheck.h"
#include "weir/Runtime/KernelTable.h"
#include "weir/Support/DeviceName.h"
#include "weir/Support/DevicePlugin.h"

#include <fmt/format.h>

using namespace weir;

Status weir::checkOptionsOf(DeviceKind kind, const DeviceRequest &request) {
  for (const auto &[name, value] : request.options)
    WEIR_RETURN_IF_ERROR(
        checkDeviceOption(kind, name, value).withContext(request.name));
  return Status::ok();
}

Status DeviceDriver::checkOptions(const DeviceRequest &request) const {
  // A session may bring a driver for a kind that has no description.
  const DeviceKindInfo unknown{.name = name()};
  const StatusOr<DeviceKind> known = parseDeviceKind(name());
  return checkOptionsOf(known ? *known : DeviceKind(unknown), request);
}

std::span<const DeviceDriver *const> weir::builtinDeviceDrivers() {
  // Never destroyed, since sessions may be loaded while the process ends.
  static const DeviceDriver *const drivers[] = {
      new CpuDriver("cpu", cpuKernels()), new NullDriver};
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
