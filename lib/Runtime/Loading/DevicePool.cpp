//===- DevicePool.cpp - Devices that models share -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DevicePool.h"

#include "../DeviceCall.h"
#include "../DriverCall.h"
#include "../ForkedChild.h"
#include "CountingDevice.h"

#include <algorithm>
#include <condition_variable>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <list>
#include <set>

using namespace weir;

namespace {

/// The sets of devices that are open in this process.
class DevicePool {
public:
  StatusOr<std::shared_ptr<DeviceSet>>
  open(const DeviceDriver &driver, std::span<const DeviceRequest> requests);

private:
  struct Known {
    const DeviceDriver *driver;
    /// The model's requests, and the same requests completed by the driver.
    /// `resolved` is empty if the driver failed to complete them.
    std::vector<DeviceRequest> requests, resolved;
    std::weak_ptr<DeviceSet> set;
    /// Whether a thread is opening the devices.
    bool isOpening = true;

    bool isAlike(const Known &other) const {
      return driver == other.driver &&
             (requests == other.requests ||
              (!resolved.empty() && resolved == other.resolved));
    }
  };
  class Opening;
  std::shared_ptr<DeviceSet> findOrBegin(Known wanted,
                                         std::list<Known>::iterator &begun);

  std::mutex mutex;
  std::condition_variable opened;
  std::list<Known> known;
};

/// The devices that a thread opens. When this object is destroyed, other
/// threads find `set`. If there is no set, perhaps because an exception was
/// thrown while the devices were opened, the other threads open the devices
/// anew.
class DevicePool::Opening {
public:
  Opening(DevicePool &pool, std::list<Known>::iterator entry)
      : pool(pool), entry(entry) {}
  Opening(const Opening &) = delete;
  Opening &operator=(const Opening &) = delete;
  ~Opening() {
    const std::lock_guard lock(pool.mutex);
    entry->set = set;
    entry->isOpening = false;
    if (!set)
      pool.known.erase(entry);
    pool.opened.notify_all();
  }

  std::shared_ptr<DeviceSet> set;

private:
  DevicePool &pool;
  std::list<Known>::iterator entry;
};

} // namespace

/// Closes devices, but not in a forked process.
static void closeSet(DeviceSet *set) {
  if (isForkedChild())
    return;
  delete set;
  devicesAreClosed();
}

/// `error`, with the names of the devices in front if its text has none of
/// them.
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

/// Checks that there is a device for each request.
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

static StatusOr<std::shared_ptr<DeviceSet>>
openSet(const DeviceDriver &driver, std::span<const DeviceRequest> requests) {
  auto own = std::make_unique<DeviceSet>();
  devicesAreOpening();
  std::shared_ptr<DeviceSet> set(own.release(), closeSet);
  auto opened = callDriver(driver, [&] { return driver.open(requests); });
  if (!opened)
    return nameDevices(std::move(opened).status(), requests);
  set->devices = *std::move(opened);
  WEIR_RETURN_IF_ERROR(checkOpened(driver, requests, set->devices));
  return set;
}

static StatusOr<std::vector<DeviceRequest>>
resolve(const DeviceDriver &driver, std::span<const DeviceRequest> requests) {
  return callDriver(driver, [&]() -> StatusOr<std::vector<DeviceRequest>> {
    return driver.resolve(requests);
  });
}

/// The processors on which the devices compute; empty for all processors.
static std::set<int> processorsOf(const DeviceSet &set) {
  std::set<int> processors;
  for (const std::unique_ptr<Device> &device : set.devices) {
    const std::vector<int> &own = device->info().processors;
    if (own.empty())
      return {};
    processors.insert(own.begin(), own.end());
  }
  return processors;
}

/// The devices that are open for requests like `wanted`. If there are none,
/// `begun` is the entry of devices that the calling thread must open. Waits
/// while another thread opens such devices.
std::shared_ptr<DeviceSet>
DevicePool::findOrBegin(Known wanted, std::list<Known>::iterator &begun) {
  std::unique_lock lock(mutex);
  for (;;) {
    known.remove_if(
        [](const Known &one) { return !one.isOpening && one.set.expired(); });
    const auto found = std::ranges::find_if(
        known, [&](const Known &one) { return one.isAlike(wanted); });
    if (found == known.end()) {
      known.push_back(std::move(wanted));
      begun = std::prev(known.end());
      return nullptr;
    }
    if (found->isOpening)
      opened.wait(lock);
    else if (std::shared_ptr<DeviceSet> set = found->set.lock())
      return set;
  }
}

StatusOr<std::shared_ptr<DeviceSet>>
DevicePool::open(const DeviceDriver &driver,
                 std::span<const DeviceRequest> requests) {
  // A driver may take long, or never return. Only models that want the same
  // devices wait for it.
  Known wanted{&driver, {requests.begin(), requests.end()}, {}, {}};
  if (auto resolved = resolve(driver, requests))
    wanted.resolved = *std::move(resolved);
  std::list<Known>::iterator begun;
  if (std::shared_ptr<DeviceSet> set = findOrBegin(std::move(wanted), begun))
    return set;
  Opening opening(*this, begun);
  using Opened = StatusOr<std::shared_ptr<DeviceSet>>;
  Opened set = callDriver(driver, [&]() -> Opened {
    WEIR_ASSIGN_OR_RETURN(std::shared_ptr<DeviceSet> made,
                          openSet(driver, requests));
    if (driver.usesCores())
      made->turns.emplace(CoreTurns::ofProcess(), processorsOf(*made));
    return made;
  });
  if (set)
    opening.set = *set;
  return set;
}

StatusOr<ModelDevices>
ModelDevices::open(const DriverSet &drivers,
                   std::span<const DeviceRequest> requests, bool mayShare) {
  // Never destroyed, since sessions may be loaded while the process ends.
  static DevicePool &pool = *new DevicePool;
  WEIR_ASSIGN_OR_RETURN(const std::vector<DriverRequests> shares,
                        groupByDriver(drivers, requests));
  ModelDevices opened;
  opened.devices.resize(requests.size());
  for (const DriverRequests &share : shares) {
    auto set = mayShare ? pool.open(*share.driver, share.requests)
                        : openSet(*share.driver, share.requests);
    if (!set)
      return std::move(set).status();
    for (size_t i = 0; i < share.positions.size(); ++i)
      opened.devices[share.positions[i]] =
          std::shared_ptr<Device>(*set, (*set)->devices[i].get());
    opened.sets.push_back(*std::move(set));
  }
  std::ranges::sort(opened.sets);
  return opened;
}

StatusOr<ModelDevices>
ModelDevices::openNull(std::span<const DeviceRequest> requests) {
  const DriverSet builtin{std::span<const DeviceDriver *const>()};
  WEIR_ASSIGN_OR_RETURN(const DeviceDriver *driver, builtin.find("null"));
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<DeviceSet> set,
                        openSet(*driver, requests));
  ModelDevices opened;
  for (const std::unique_ptr<Device> &device : set->devices)
    opened.devices.push_back(std::shared_ptr<Device>(set, device.get()));
  opened.sets.push_back(std::move(set));
  return opened;
}

ModelDevices ModelDevices::counting() const {
  ModelDevices same = *this;
  for (std::shared_ptr<Device> &device : same.devices)
    device = makeCountingDevice(device);
  return same;
}

bool ModelDevices::isSomeGivenUp() const {
  return std::ranges::any_of(
      devices, [](const auto &device) { return device->isGivenUp(); });
}

CoreTurns::Member *ModelDevices::turns() const {
  CoreTurns::Member *found = nullptr;
  for (const std::shared_ptr<DeviceSet> &set : sets) {
    if (!set->turns)
      continue;
    // Models with two such sets take no turns. Otherwise each of two models
    // could have the turn of one set, and wait for the turn of the other.
    if (found)
      return nullptr;
    found = &*set->turns;
  }
  return found;
}

std::shared_ptr<Device> ModelDevices::find(MemorySpace space) const {
  for (const std::shared_ptr<Device> &device : devices)
    if (MemorySpace(*device) == space)
      return device;
  return nullptr;
}

StatusOr<DeviceQueue *> ModelDevices::openQueue(size_t device,
                                                QueueRole role) const {
  Device &from = *devices[device];
  WEIR_ASSIGN_OR_RETURN(DeviceQueue * queue, openQueueOn(from, role));
  const auto owner = std::ranges::find_if(sets, [&](const auto &set) {
    return std::ranges::any_of(
        set->devices, [&](const auto &own) { return own.get() == &from; });
  });
  // Nothing is submitted to the queues of counting devices.
  if (queue->takesAtOnce() || owner == sets.end())
    return queue;
  std::unique_ptr<SubmittingQueue> &known = (*owner)->submitting[queue];
  if (!known) {
    WEIR_ASSIGN_OR_RETURN(known,
                          SubmittingQueue::create(*queue, from.info().name));
  }
  return static_cast<DeviceQueue *>(known.get());
}

std::vector<std::unique_lock<std::mutex>> ModelDevices::lockForLoading() const {
  std::vector<std::unique_lock<std::mutex>> locks;
  for (const std::shared_ptr<DeviceSet> &set : sets)
    locks.emplace_back(set->loading);
  return locks;
}

ModelDevices::Entering::Entering(const ModelDevices &devices)
    : devices(devices) {
  for (const std::shared_ptr<DeviceSet> &set : devices.sets)
    set->entering.lock();
}

ModelDevices::Entering::~Entering() {
  for (const std::shared_ptr<DeviceSet> &set : devices.sets)
    set->entering.unlock();
}
