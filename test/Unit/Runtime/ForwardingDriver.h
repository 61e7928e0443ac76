//===- ForwardingDriver.h - Devices that forward to others ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_FORWARDINGDRIVER_H
#define WEIR_TEST_UNIT_RUNTIME_FORWARDINGDRIVER_H

#include "SmallPlans.h"
#include "weir/Runtime/ForwardingDevice.h"

#include <memory>
#include <string>
#include <vector>

namespace weir::test {

/// A driver of devices that are called "faulty" and forward to those of the
/// test's driver.
class ForwardingDriver : public DeviceDriver {
public:
  std::string_view name() const override { return "faulty"; }
  std::vector<DeviceInfo> detect() const override { return {}; }
  bool hasFeature(std::string_view) const override { return false; }
  Status canOpen(std::span<const DeviceRequest>) const override {
    return Status::ok();
  }
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest> requests) const override {
    WEIR_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<Device>> devices,
                          testDriver().open(requests));
    for (std::unique_ptr<Device> &device : devices)
      device = wrap(std::move(device));
    return devices;
  }

private:
  virtual std::unique_ptr<Device> wrap(std::unique_ptr<Device> device) const {
    return std::make_unique<ForwardingDevice>(std::move(device));
  }
};

/// The options of a session that may use the devices of `driver`.
inline SessionOptions withDriver(const DeviceDriver &driver) {
  SessionOptions options = testOptions();
  options.deviceDrivers.push_back(&driver);
  return options;
}

} // namespace weir::test

#endif // WEIR_TEST_UNIT_RUNTIME_FORWARDINGDRIVER_H
