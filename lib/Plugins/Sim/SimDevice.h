//===- SimDevice.h - Simulated devices on CPU threads -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_SIM_SIMDEVICE_H
#define WEIR_LIB_PLUGINS_SIM_SIMDEVICE_H

#include "weir/Runtime/Device.h"

#include <memory>

namespace weir {

/// Opens any number of simulated devices. Each has memory of its own, a thread
/// that copies, and threads with the kernels of CPU devices: one, unless the
/// request says otherwise.
class SimDriver final : public DeviceDriver {
public:
  std::string_view name() const override { return "sim"; }
  std::vector<DeviceInfo> detect() const override;
  bool hasFeature(std::string_view) const override { return false; }
  Status canOpen(std::span<const DeviceRequest> requests) const override;
  /// Unlike CPU devices, these take no turns with others on the cores: they may
  /// sleep for long, and others would have to wait.
  bool usesCores() const override { return false; }
  std::vector<DeviceRequest>
  resolve(std::span<const DeviceRequest> requests) const override;
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest> requests) const override;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_SIM_SIMDEVICE_H
