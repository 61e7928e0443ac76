//===- ForwardingDevice.h - Devices that wrap others ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_FORWARDINGDEVICE_H
#define WEIR_RUNTIME_FORWARDINGDEVICE_H

#include "weir/Runtime/Device.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weir {

/// A device that passes each call on to the device `wrapped`, which exists as
/// long as this device. It is the base of devices that do some of the calls in
/// another way.
class ForwardingDevice : public Device {
public:
  explicit ForwardingDevice(std::shared_ptr<Device> wrapped)
      : wrapped(std::move(wrapped)) {}

  const DeviceInfo &info() const override { return wrapped->info(); }
  std::vector<DeviceNote> remarks() const override {
    return wrapped->remarks();
  }
  using Device::allocate;
  StatusOr<std::unique_ptr<DeviceMemory>>
  allocate(size_t bytes, PagePlacement placement) override {
    return wrapped->allocate(bytes, placement);
  }
  Status copyFromHost(void *to, const void *from, size_t bytes) override {
    return wrapped->copyFromHost(to, from, bytes);
  }
  Status copyToHost(void *to, const void *from, size_t bytes) override {
    return wrapped->copyToHost(to, from, bytes);
  }
  size_t bufferAlignment() const override { return wrapped->bufferAlignment(); }
  Status orderBehind(void *stream) override {
    return wrapped->orderBehind(stream);
  }
  std::shared_ptr<void> pinHostMemory(void *start, size_t bytes) override {
    return wrapped->pinHostMemory(start, bytes);
  }
  bool isGivenUp() const override { return wrapped->isGivenUp(); }
  std::string packingKey() const override { return wrapped->packingKey(); }
  Status whilePreparing(const std::function<Status()> &function) override {
    return wrapped->whilePreparing(function);
  }
  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,
                                            PrepareContext &context) override {
    return wrapped->prepare(spec, context);
  }
  StatusOr<DeviceQueue *> openQueue(QueueRole role) override {
    return wrapped->openQueue(role);
  }

private:
  const std::shared_ptr<Device> wrapped;
};

} // namespace weir

#endif // WEIR_RUNTIME_FORWARDINGDEVICE_H
