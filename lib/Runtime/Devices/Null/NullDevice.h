//===- NullDevice.h - A device whose kernels do nothing -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// This device serves to time the executor: everything around a kernel happens,
// but the kernel does nothing.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_NULL_NULLDEVICE_H
#define WEIR_LIB_RUNTIME_DEVICES_NULL_NULLDEVICE_H

#include "weir/Runtime/Device.h"

namespace weir {

class NullDriver final : public DeviceDriver {
public:
  std::string_view name() const override { return "null"; }
  std::vector<DeviceInfo> detect() const override;
  bool hasFeature(std::string_view name) const override { return false; }
  Status canOpen(std::span<const DeviceRequest> requests) const override;
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest> requests) const override;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_NULL_NULLDEVICE_H
