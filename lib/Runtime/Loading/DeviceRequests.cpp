//===- DeviceRequests.cpp - What a model asks of its devices ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DeviceRequests.h"

#include "../DriverCall.h"
#include "weir/Support/DeviceName.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>
#include <utility>

using namespace weir;

/// Whether `option` is for the device `name`, or for all of its kind.
static bool isFor(const DeviceOption &option, std::string_view name) {
  return option.device == name ||
         option.device == name.substr(0, name.find(':'));
}

/// The option that makes the same choice as `option` in another way. A device
/// can have only one of the two.
static std::string alternativeTo(std::string_view option) {
  return option == "cores" ? "numa_node" : option == "numa_node" ? "cores" : "";
}

/// Sets `option` in the requests of the devices for which it is. An error if it
/// is for no device of `model`.
static Status setOption(const DeviceOption &option,
                        const artifact::Model &model,
                        std::vector<DeviceRequest> &requests) {
  bool isUsed = false;
  std::string names;
  for (DeviceRequest &request : requests) {
    names += (names.empty() ? "" : ", ") + request.name;
    if (!isFor(option, request.name))
      continue;
    request.options[option.name] = option.value;
    isUsed = true;
  }
  if (isUsed)
    return Status::ok();
  // The option may be for a device of another variant. Then only its value is
  // checked.
  for (const artifact::Variant *other : *model.variants())
    for (const artifact::Device *device : *other->devices())
      if (isFor(option, device->name()->string_view())) {
        WEIR_ASSIGN_OR_RETURN(const DeviceName name,
                              parseDeviceName(device->name()->string_view()));
        return checkDeviceOption(name.kind, option.name, option.value)
            .withContext(name.toString());
      }
  return invalidArgument(fmt::format(
      "the option '{}' is for {}, which the artifact does not use; its devices "
      "are {}",
      printable(option.name), printable(option.device), names));
}

/// The option of devices that choose kernels by timing, and its value.
static const std::pair<const std::string, std::string> tuneOption = {"tune",
                                                                     "on"};

/// Asks the devices that have the option to tune their kernels.
static void askToTune(const DriverSet &drivers,
                      std::vector<DeviceRequest> &requests) {
  for (DeviceRequest &request : requests) {
    DeviceRequest probe{request.name};
    probe.options.insert(tuneOption);
    const auto driver = drivers.find(request.name);
    if (driver.isOk() && callDriver(**driver, [&] {
                           return (*driver)->checkOptions(probe);
                         }).isOk())
      request.options.insert(tuneOption);
  }
}

StatusOr<std::vector<DeviceRequest>>
weir::requestDevices(const artifact::Model &model,
                     const artifact::Variant &variant,
                     const SessionOptions &options, const DriverSet &drivers) {
  std::vector<DeviceRequest> requests = requestsOf(variant, options.threads);
  for (DeviceRequest &request : requests)
    request.mayPin = options.pinThreads;
  if (options.tune)
    askToTune(drivers, requests);
  for (const DeviceOption &option : options.deviceOptions)
    for (DeviceRequest &request : requests)
      if (isFor(option, request.name))
        request.options.erase(alternativeTo(option.name));
  for (const DeviceOption &option : options.deviceOptions)
    WEIR_RETURN_IF_ERROR(setOption(option, model, requests));
  return requests;
}

Status weir::checkRequests(std::span<const DeviceRequest> requests,
                           const DriverSet &drivers) {
  for (const DeviceRequest &request : requests) {
    if (request.options.empty())
      continue;
    WEIR_ASSIGN_OR_RETURN(const DeviceDriver *driver,
                          drivers.find(request.name));
    WEIR_RETURN_IF_ERROR(
        callDriver(*driver, [&] { return driver->checkOptions(request); }));
  }
  return Status::ok();
}

std::vector<size_t> weir::devicesToTune(std::span<const DeviceRequest> requests,
                                        const SessionOptions &options) {
  std::vector<size_t> asked;
  for (size_t i = 0; i < requests.size(); ++i) {
    const auto option = requests[i].options.find(tuneOption.first);
    if (option == requests[i].options.end() ? options.tune
                                            : *option == tuneOption)
      asked.push_back(i);
  }
  return asked;
}
