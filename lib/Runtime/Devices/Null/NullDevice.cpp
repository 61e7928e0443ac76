//===- NullDevice.cpp - A device whose kernels do nothing -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "NullDevice.h"

#include "weir/Runtime/HostDevice.h"

#include <unistd.h>

using namespace weir;

namespace {

class NullKernel final : public Kernel {
public:
  Status run(const KernelArgs &) override { return Status::ok(); }
  bool isSerial() const override { return true; }
  std::string implementation() const override { return "nothing"; }
};

class NullDevice final : public HostDevice {
public:
  explicit NullDevice(const DeviceInfo &info)
      : HostDevice(info, {info.name}, {info.name}) {}

  std::string packingKey() const override { return {}; }
  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &,
                                            PrepareContext &) override {
    addNote({"computes-nothing", "computes nothing, so outputs that depend on "
                                 "its ops are not valid"});
    return std::unique_ptr<Kernel>(std::make_unique<NullKernel>());
  }
};

DeviceInfo describe(const std::string &name) {
  DeviceInfo info;
  info.name = name;
  info.kind = "null";
  info.description = "runs nothing, times the executor";
  info.memoryBytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                     static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return info;
}

} // namespace

std::vector<DeviceInfo> NullDriver::detect() const {
  return {describe("null:0")};
}

Status NullDriver::canOpen(std::span<const DeviceRequest>) const {
  return Status::ok();
}

StatusOr<std::vector<std::unique_ptr<Device>>>
NullDriver::open(std::span<const DeviceRequest> requests) const {
  std::vector<std::unique_ptr<Device>> devices;
  for (const DeviceRequest &request : requests)
    devices.push_back(std::make_unique<NullDevice>(describe(request.name)));
  return devices;
}
