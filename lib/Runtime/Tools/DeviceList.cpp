//===- DeviceList.cpp - The devices of this machine -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DeviceList.h"

#include "../DriverCall.h"
#include "RunReport.h"
#include "weir/Runtime/Device.h"
#include "weir/Support/DevicePlugin.h"
#include "weir/Support/JsonText.h"
#include "weir/Support/OutputFile.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace weir;

static void note(std::string_view kind, const Status &why) {
  fmt::print(stderr, "note: devices of kind '{}' are left out: {}\n", kind,
             why.message());
}

/// The drivers that are built in, and the drivers of all plug-ins that can be
/// loaded.
static std::vector<const DeviceDriver *> findDrivers() {
  const auto builtin = builtinDeviceDrivers();
  std::vector<const DeviceDriver *> drivers(builtin.begin(), builtin.end());
  for (const std::string &kind : listDevicePlugins()) {
    const StatusOr<const DeviceDriver *> driver = findDeviceDriver(kind);
    if (!driver)
      note(kind, driver.status());
    else if (std::ranges::find(drivers, *driver) == drivers.end())
      drivers.push_back(*driver);
  }
  return drivers;
}

/// Why the machine has no device of `driver`.
static Status whyNone(const DeviceDriver &driver) {
  DeviceRequest first;
  first.name = fmt::format("{}:0", driver.name());
  return callDriver(driver, [&] { return driver.canOpen({&first, 1}); });
}

/// The devices of `driver`. If there are no devices, prints the reason.
static std::vector<DeviceInfo> detect(const DeviceDriver &driver) {
  auto devices = callDriver(driver, [&]() -> StatusOr<std::vector<DeviceInfo>> {
    return driver.detect();
  });
  if (devices && !devices->empty())
    return *std::move(devices);
  if (Status why = devices ? whyNone(driver) : devices.status(); !why.isOk())
    note(driver.name(), why);
  return {};
}

static std::string lineOf(const DeviceInfo &info) {
  return fmt::format("{:<8} {:>3} threads {:>11}  {}\n", info.name,
                     info.threads, bytesText(info.memoryBytes),
                     info.description);
}

static nlohmann::ordered_json objectOf(const DeviceInfo &info) {
  return {{"name", info.name},
          {"threads", info.threads},
          {"memory_bytes", info.memoryBytes},
          {"description", info.description}};
}

Status weir::listDevices(bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::string text;
  for (const DeviceDriver *driver : findDrivers())
    for (const DeviceInfo &info : detect(*driver)) {
      list.push_back(objectOf(info));
      text += lineOf(info);
    }
  if (json)
    text = toJsonText(nlohmann::ordered_json{{"devices", std::move(list)}}, 2) +
           "\n";
  return atomicWriteFile("-", std::as_bytes(std::span(text)));
}
