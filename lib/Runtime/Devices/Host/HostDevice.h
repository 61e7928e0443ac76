//===- HostDevice.h - Devices made of threads of this process -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_HOST_HOSTDEVICE_H
#define WEIR_LIB_RUNTIME_DEVICES_HOST_HOSTDEVICE_H

#include "HostQueue.h"
#include "weir/Runtime/Device.h"

#include <map>
#include <memory>
#include <span>

namespace weir {

/// Memory, copies and queues of a device in this process. Each device kind adds
/// how kernels are prepared.
class HostDevice : public Device {
public:
  const DeviceInfo &info() const override { return description; }
  using Device::allocate;
  StatusOr<std::unique_ptr<DeviceMemory>>
  allocate(size_t bytes, PagePlacement placement) override;
  Status copyFromHost(void *to, const void *from, size_t bytes) override;
  Status copyToHost(void *to, const void *from, size_t bytes) override;
  Status whilePreparing(const std::function<Status()> &function) override;
  StatusOr<DeviceQueue *> openQueue(int index) override;

protected:
  /// `compute` configures queue 0, `copies` all others.
  HostDevice(DeviceInfo info, HostQueueOptions compute, HostQueueOptions copies)
      : description(std::move(info)), compute(std::move(compute)),
        copies(std::move(copies)) {}

  StatusOr<HostQueue *> hostQueue(int index);

  /// Sets the remark for the user.
  void setNote(std::string note) { description.note = std::move(note); }

  /// Touches every page of `memory`. Called on the thread of queue 0.
  virtual void placePages(std::span<std::byte> memory) const;

private:
  DeviceInfo description;
  HostQueueOptions compute;
  HostQueueOptions copies;
  std::map<int, std::unique_ptr<HostQueue>> queues;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_HOST_HOSTDEVICE_H
