//===- DevicePool.h - Devices that models share -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// If each model opened devices of its own, there would be several teams of
// threads on the same cores. So models of one process that ask for the same
// devices share them, and the queues of these devices take the runs of all
// these models. Runs of models that ask for different devices on the same cores
// take turns.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_DEVICEPOOL_H
#define WEIR_LIB_RUNTIME_LOADING_DEVICEPOOL_H

#include "../CoreTurns.h"
#include "../SubmittingQueue.h"
#include "VariantSelection.h"
#include "weir/Runtime/Device.h"
#include "weir/Runtime/Tensor.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace weir {

/// Devices of one driver that were opened together.
struct DeviceSet {
  std::vector<std::unique_ptr<Device>> devices;
  /// The lock that is held while a model is loaded on the devices.
  std::mutex loading;
  /// The queues that stand for queues of the devices which may not take
  /// submissions at once.
  std::map<DeviceQueue *, std::unique_ptr<SubmittingQueue>> submitting;
  /// The lock that is held while a run enters several queues. No queue keeps it
  /// for long, because queues take submissions at once.
  std::mutex entering;
  /// The turns of the devices, if other devices may use their cores.
  std::optional<CoreTurns::Member> turns;
};

/// The devices of a model. While this object exists, the devices are open.
class ModelDevices {
public:
  /// Opens all devices of `requests`, in their order. With `mayShare`, takes
  /// the devices that another model has opened by equal requests to the same
  /// driver.
  static StatusOr<ModelDevices> open(const DriverSet &drivers,
                                     std::span<const DeviceRequest> requests,
                                     bool mayShare);

  /// Opens null devices in place of the devices of `requests`.
  static StatusOr<ModelDevices>
  openNull(std::span<const DeviceRequest> requests);

  /// These devices, but without memory; see CountingDevice.
  ModelDevices counting() const;

  size_t size() const { return devices.size(); }
  Device &operator[](size_t index) const { return *devices[index]; }
  /// The device whose memory is `space`; null if the model has no such device.
  /// It stays open as long as a pointer to it exists.
  std::shared_ptr<Device> find(MemorySpace space) const;

  /// Whether a device was given up: Device::isGivenUp.
  bool isSomeGivenUp() const;

  /// The member of CoreTurns whose turn runs need before they begin, or null.
  CoreTurns::Member *turns() const;

  /// A queue of a device, which takes submissions at once. The locks of
  /// `lockForLoading` must be held.
  StatusOr<DeviceQueue *> openQueue(size_t device, QueueRole role) const;

  /// Keeps other models from being loaded on the devices.
  std::vector<std::unique_lock<std::mutex>> lockForLoading() const;

  /// While an object of this class exists, other runs of several queues, on
  /// devices of these sets, do not enter their queues. Allocates nothing.
  class Entering {
  public:
    explicit Entering(const ModelDevices &devices);
    ~Entering();
    Entering(const Entering &) = delete;
    Entering &operator=(const Entering &) = delete;

  private:
    const ModelDevices &devices;
  };

private:
  /// The sets in the order in which all models lock them.
  std::vector<std::shared_ptr<DeviceSet>> sets;
  /// The devices of the model. Each pointer keeps the set of its device alive.
  std::vector<std::shared_ptr<Device>> devices;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_DEVICEPOOL_H
