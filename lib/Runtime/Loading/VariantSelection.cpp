//===- VariantSelection.cpp - Selects a variant for this machine ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VariantSelection.h"

#include "../DriverCall.h"
#include "weir/Support/DeviceKind.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <fmt/format.h>

using namespace weir;

static std::string_view kindOf(std::string_view deviceName) {
  return deviceName.substr(0, deviceName.find(':'));
}

DriverSet::DriverSet(std::span<const DeviceDriver *const> extra)
    : drivers(extra.begin(), extra.end()) {
  for (const DeviceDriver *driver : builtinDeviceDrivers())
    drivers.push_back(driver);
}

StatusOr<const DeviceDriver *>
DriverSet::find(std::string_view deviceName) const {
  if (deviceName.find('/') != deviceName.npos)
    return unavailable(fmt::format(
        "device '{}' is one of another host, and a session has those of its "
        "own alone; compile the model for devices without a host",
        deviceName));
  const std::string_view kind = kindOf(deviceName);
  for (const DeviceDriver *driver : drivers)
    if (driver->name() == kind)
      return driver;
  StatusOr<const DeviceDriver *> driver = findDeviceDriver(kind);
  if (!driver)
    return unavailable(
        fmt::format("device '{}' is of a kind that this runtime lacks: {}",
                    deviceName, driver.status().message()));
  return driver;
}

bool DriverSet::hasCpuFeature(std::string_view name) const {
  return std::any_of(drivers.begin(), drivers.end(), [&](auto *driver) {
    return driver->name() == "cpu" && driver->hasFeature(name);
  });
}

std::vector<DeviceRequest> weir::requestsOf(const artifact::Variant &variant,
                                            int threads) {
  std::vector<DeviceRequest> requests;
  for (const artifact::Device *device : *variant.devices()) {
    DeviceRequest &request = requests.emplace_back();
    request.name = device->name()->str();
    request.threads = threads > 0 ? threads : device->threads();
    request.isolated = device->isolated();
    if (device->options())
      for (const artifact::DeviceOption *option : *device->options())
        request.options.emplace(option->name()->str(), option->value()->str());
  }
  return requests;
}

StatusOr<std::vector<DriverRequests>>
weir::groupByDriver(const DriverSet &drivers,
                    std::span<const DeviceRequest> requests) {
  std::vector<DriverRequests> shares;
  for (size_t i = 0; i < requests.size(); ++i) {
    WEIR_ASSIGN_OR_RETURN(const DeviceDriver *driver,
                          drivers.find(requests[i].name));
    auto share = std::find_if(
        shares.begin(), shares.end(),
        [&](const DriverRequests &known) { return known.driver == driver; });
    if (share == shares.end())
      share = shares.insert(share, {driver, {}, {}});
    share->requests.push_back(requests[i]);
    share->positions.push_back(i);
  }
  return shares;
}

/// Checks that the artifact and the device's kind agree on where the memory of
/// the device is. The kind's plug-in is loaded.
static Status checkMemory(const DeviceRequest &request) {
  if (!request.isolated)
    for (DeviceKind kind : deviceKinds())
      if (kind->name == kindOf(request.name) && kind->hasOwnMemory)
        return invalidArgument(fmt::format(
            "the artifact takes the memory of '{}' for the host's, and {} "
            "devices have memory of their own; compile the model again",
            request.name, toString(kind)));
  return Status::ok();
}

static Status hasFeatures(const artifact::Variant &variant,
                          const DriverSet &drivers) {
  if (const auto *features = variant.cpu_features())
    for (const flatbuffers::String *feature : *features)
      if (!drivers.hasCpuFeature(feature->string_view()))
        return unavailable(
            fmt::format("the processor lacks the feature '{}'; compile the "
                        "model for this processor",
                        printable(feature->string_view())));
  return Status::ok();
}

static Status hasDevices(const artifact::Variant &variant,
                         const DriverSet &drivers) {
  const std::vector<DeviceRequest> requests = requestsOf(variant, 0);
  WEIR_ASSIGN_OR_RETURN(const std::vector<DriverRequests> shares,
                        groupByDriver(drivers, requests));
  for (const DeviceRequest &request : requests)
    WEIR_RETURN_IF_ERROR(checkMemory(request));
  for (const DriverRequests &share : shares)
    WEIR_RETURN_IF_ERROR(callDriver(
        *share.driver, [&] { return share.driver->canOpen(share.requests); }));
  return Status::ok();
}

StatusOr<VariantChoice> weir::selectVariant(const artifact::Model &model,
                                            const DriverSet &drivers,
                                            const VariantFailures &failures) {
  VariantChoice choice;
  const auto &variants = *model.variants();
  std::string reasons;
  for (uint32_t i = 0; i < variants.size(); ++i) {
    const artifact::Variant *variant = variants.Get(i);
    Status status = hasFeatures(*variant, drivers);
    const bool fitsProcessor = status.isOk();
    const auto failure = failures.find(i);
    if (failure != failures.end())
      status = failure->second;
    else if (fitsProcessor)
      status = hasDevices(*variant, drivers);
    if (status.isOk()) {
      choice.variant = variant;
      choice.number = i;
      return choice;
    }
    if (fitsProcessor && choice.lacking.empty())
      choice.lacking = status.message();
    reasons += fmt::format("; variant {}: {}", i, status.message());
  }
  if (variants.size() == 1 && !failures.empty())
    return failures.begin()->second;
  return unavailable("no variant of the artifact can run on this machine" +
                     reasons);
}

StatusOr<std::string_view> weir::selectEntry(const artifact::Variant &variant,
                                             std::string_view name) {
  const auto &entries = *variant.entries();
  const auto nameOf = [&](uint32_t i) {
    return entries.Get(i)->name()->string_view();
  };
  bool isOnlyName = true;
  std::vector<std::string> names;
  for (uint32_t i = 0; i < entries.size(); ++i) {
    if (nameOf(i) == (name.empty() ? "main" : name))
      return nameOf(i);
    isOnlyName &= nameOf(i) == nameOf(0);
    // The entries for several shapes have the same name, and follow each other.
    if (i == 0 || nameOf(i) != nameOf(i - 1))
      names.emplace_back(nameOf(i));
  }
  if (name.empty() && isOnlyName)
    return nameOf(0);
  if (name.empty())
    return invalidArgument("name the entry to run, one of " +
                           nearNames("", names));
  return notFound(fmt::format("there is no entry '{}'; {}", name,
                              offerNames(name, names, "entries")));
}
