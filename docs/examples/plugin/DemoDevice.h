//===- DemoDevice.h - Devices with memory of their own ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_EXAMPLES_PLUGIN_DEMODEVICE_H
#define WEIR_EXAMPLES_PLUGIN_DEMODEVICE_H

#include "weir/Runtime/Device.h"

namespace demo {

/// Opens `demo:0` to `demo:7`.
class DemoDriver final : public weir::DeviceDriver {
public:
  std::string_view name() const override { return "demo"; }
  std::vector<weir::DeviceInfo> detect() const override;
  bool hasFeature(std::string_view) const override { return false; }
  weir::Status
  canOpen(std::span<const weir::DeviceRequest> requests) const override;
  weir::StatusOr<std::vector<std::unique_ptr<weir::Device>>>
  open(std::span<const weir::DeviceRequest> requests) const override;
};

} // namespace demo

#endif // WEIR_EXAMPLES_PLUGIN_DEMODEVICE_H
