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

/// Opens any number of simulated devices. Each device has memory of its own, a
/// thread that copies, and threads with the kernels of CPU devices. There is
/// one such thread, unless the request asks for more.
class SimDriver final : public DeviceDriver {
public:
  std::string_view name() const override { return "sim"; }
  std::vector<DeviceInfo> detect() const override;
  bool hasFeature(std::string_view) const override { return false; }
  Status canOpen(std::span<const DeviceRequest> requests) const override;
  /// Unlike CPU devices, simulated devices take no turns with other devices on
  /// the cores. They may sleep for long, and the other devices would have to
  /// wait.
  bool usesCores() const override { return false; }
  std::vector<DeviceRequest>
  resolve(std::span<const DeviceRequest> requests) const override;
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest> requests) const override;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_SIM_SIMDEVICE_H
