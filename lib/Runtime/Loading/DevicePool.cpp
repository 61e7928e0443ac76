//===- DevicePool.cpp - Devices that models share -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DevicePool.h"

#include "../DriverCall.h"
#include "../Running/EndingThread.h"
#include "../Running/UserCall.h"
#include "CountingDevice.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <list>
#include <set>

using namespace weir;

namespace {

/// The groups of devices that are open in this process.
class DevicePool {
public:
  StatusOr<std::shared_ptr<DeviceGroup>>
  open(const DeviceDriver &driver, std::span<const DeviceRequest> requests);

private:
  struct Known {
    const DeviceDriver *driver;
    std::vector<DeviceRequest> requests;
    std::weak_ptr<DeviceGroup> group;
  };
  std::mutex mutex;
  std::list<Known> known;
};

} // namespace

/// Closes devices. A callback that releases the last use of a device may be
/// called on its thread, for which closing it waits.
static void closeGroup(DeviceGroup *group) {
  if (UserCall::isHere())
    endOnThread([group] { delete group; });
  else
    delete group;
}

/// `error` with the names of the devices, unless it has one of them.
static Status nameDevices(Status error,
                          std::span<const DeviceRequest> requests) {
  std::vector<std::string_view> names;
  for (const DeviceRequest &request : requests) {
    if (error.message().find(request.name) != std::string_view::npos)
      return error;
    names.push_back(request.name);
  }
  return std::move(error).withContext(
      fmt::format("cannot open {}", fmt::join(names, ", ")));
}

/// Whether there is a device for each request.
static Status checkOpened(const DeviceDriver &driver,
                          std::span<const DeviceRequest> requests,
                          std::span<const std::unique_ptr<Device>> devices) {
  if (devices.size() != requests.size())
    return internalError(fmt::format(
        "the driver of {} devices opened {} when {} were requested; it must "
        "open each, in their order",
        driver.name(), devices.size(), requests.size()));
  for (size_t i = 0; i < devices.size(); ++i)
    if (!devices[i])
      return internalError(fmt::format(
          "the driver of {} devices opened null for {}; it must open a device "
          "or return an error",
          driver.name(), requests[i].name));
  return Status::ok();
}

static StatusOr<std::shared_ptr<DeviceGroup>>
openGroup(const DeviceDriver &driver, std::span<const DeviceRequest> requests) {
  std::shared_ptr<DeviceGroup> group(new DeviceGroup, closeGroup);
  auto opened = callDriver(driver, [&] { return driver.open(requests); });
  if (!opened)
    return nameDevices(std::move(opened).status(), requests);
  group->devices = *std::move(opened);
  WEIR_RETURN_IF_ERROR(checkOpened(driver, requests, group->devices));
  return group;
}

static StatusOr<std::vector<DeviceRequest>>
resolve(const DeviceDriver &driver, std::span<const DeviceRequest> requests) {
  return callDriver(driver, [&]() -> StatusOr<std::vector<DeviceRequest>> {
    return driver.resolve(requests);
  });
}

/// Whether `left` and `right` request the same devices. If the driver fails to
/// say so, they do not.
static bool isAlike(const DeviceDriver &driver,
                    std::span<const DeviceRequest> left,
                    std::span<const DeviceRequest> right) {
  if (std::ranges::equal(left, right))
    return true;
  const auto one = resolve(driver, left), other = resolve(driver, right);
  return one && other && *one == *other;
}

/// The processors that the devices compute on; none: all.
static std::set<int> processorsOf(const DeviceGroup &group) {
  std::set<int> processors;
  for (const std::unique_ptr<Device> &device : group.devices) {
    const std::vector<int> &own = device->info().processors;
    if (own.empty())
      return {};
    processors.insert(own.begin(), own.end());
  }
  return processors;
}

StatusOr<std::shared_ptr<DeviceGroup>>
DevicePool::open(const DeviceDriver &driver,
                 std::span<const DeviceRequest> requests) {
  // Held while devices are opened, so that no two models open the same ones.
  const std::lock_guard lock(mutex);
  known.remove_if([](const Known &one) { return one.group.expired(); });
  for (const Known &one : known)
    if (one.driver == &driver && isAlike(driver, one.requests, requests))
      if (std::shared_ptr<DeviceGroup> group = one.group.lock())
        return group;
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<DeviceGroup> group,
                        openGroup(driver, requests));
  if (driver.usesCores())
    group->turns.emplace(CoreTurns::ofProcess(), processorsOf(*group));
  known.push_back({&driver, {requests.begin(), requests.end()}, group});
  return group;
}

StatusOr<ModelDevices>
ModelDevices::open(const DriverSet &drivers,
                   std::span<const DeviceRequest> requests, bool mayShare) {
  static DevicePool pool;
  WEIR_ASSIGN_OR_RETURN(const std::vector<DriverShare> shares,
                        shareOut(drivers, requests));
  ModelDevices opened;
  opened.devices.resize(requests.size());
  for (const DriverShare &share : shares) {
    auto group = mayShare ? pool.open(*share.driver, share.requests)
                          : openGroup(*share.driver, share.requests);
    if (!group)
      return std::move(group).status();
    for (size_t i = 0; i < share.positions.size(); ++i)
      opened.devices[share.positions[i]] =
          std::shared_ptr<Device>(*group, (*group)->devices[i].get());
    opened.groups.push_back(*std::move(group));
  }
  return opened;
}

StatusOr<ModelDevices>
ModelDevices::openNull(std::span<const DeviceRequest> requests) {
  const DriverSet builtin{std::span<const DeviceDriver *const>()};
  WEIR_ASSIGN_OR_RETURN(const DeviceDriver *driver, builtin.find("null"));
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<DeviceGroup> group,
                        openGroup(*driver, requests));
  ModelDevices opened;
  for (const std::unique_ptr<Device> &device : group->devices)
    opened.devices.push_back(std::shared_ptr<Device>(group, device.get()));
  opened.groups.push_back(std::move(group));
  return opened;
}

ModelDevices ModelDevices::counting() const {
  ModelDevices same = *this;
  for (std::shared_ptr<Device> &device : same.devices)
    device = makeCountingDevice(device);
  return same;
}

CoreTurns::Group *ModelDevices::turns() const {
  CoreTurns::Group *found = nullptr;
  for (const std::shared_ptr<DeviceGroup> &group : groups) {
    if (!group->turns)
      continue;
    // Two models that each have the turn of one of their groups would wait for
    // each other.
    if (found)
      return nullptr;
    found = &*group->turns;
  }
  return found;
}

std::shared_ptr<Device> ModelDevices::find(MemorySpace space) const {
  for (const std::shared_ptr<Device> &device : devices)
    if (MemorySpace(*device) == space)
      return device;
  return nullptr;
}

std::vector<std::unique_lock<std::mutex>> ModelDevices::lockForLoading() const {
  // All models lock in the same order.
  std::vector<DeviceGroup *> ordered;
  for (const std::shared_ptr<DeviceGroup> &group : groups)
    ordered.push_back(group.get());
  std::ranges::sort(ordered);
  std::vector<std::unique_lock<std::mutex>> locks;
  for (DeviceGroup *group : ordered)
    locks.emplace_back(group->loading);
  return locks;
}
