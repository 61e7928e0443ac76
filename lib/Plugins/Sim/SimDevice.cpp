//===- SimDevice.cpp - Simulated devices on CPU threads -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// CPU devices do the work. Simulated devices differ from them in three ways:
// they can be lost, they have one thread unless more are asked for, and their
// runs take no turns on the cores.
//
//===----------------------------------------------------------------------===//

#include "SimDevice.h"

#include "SimHook.h"
#include "weir/Runtime/ForwardingDevice.h"
#include "weir/Runtime/KernelTable.h"

#include <algorithm>
#include <map>

using namespace weir;

namespace {

class SimDevice final : public ForwardingDevice {
public:
  SimDevice(std::unique_ptr<Device> device, std::shared_ptr<SimHook> hook)
      : ForwardingDevice(std::move(device)),
        description(ForwardingDevice::info()), hook(std::move(hook)) {
    description.description = "simulated on threads of the CPU";
    if (this->hook->computes())
      return;
    // Launches that compute nothing do not depend on the cores, so notes about
    // the cores do not apply.
    description.note.clear();
    description.notes.clear();
    description.addNote(
        {"computes-nothing",
         "launches take the predicted time and compute nothing, so outputs "
         "that depend on them are not valid"});
  }

  const DeviceInfo &info() const override { return description; }

  using ForwardingDevice::allocate;
  StatusOr<std::unique_ptr<DeviceMemory>>
  allocate(size_t bytes, PagePlacement placement) override {
    WEIR_RETURN_IF_ERROR(hook->checkPresent());
    return ForwardingDevice::allocate(bytes, placement);
  }

  Status copyFromHost(void *to, const void *from, size_t bytes) override {
    WEIR_RETURN_IF_ERROR(hook->checkPresent());
    return ForwardingDevice::copyFromHost(to, from, bytes);
  }
  Status copyToHost(void *to, const void *from, size_t bytes) override {
    WEIR_RETURN_IF_ERROR(hook->checkPresent());
    return ForwardingDevice::copyToHost(to, from, bytes);
  }
  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,
                                            PrepareContext &context) override {
    WEIR_RETURN_IF_ERROR(hook->checkPresent());
    return ForwardingDevice::prepare(spec, context);
  }

private:
  DeviceInfo description;
  std::shared_ptr<SimHook> hook;
};

} // namespace

/// A driver of the CPU devices that do the work.
static std::unique_ptr<DeviceDriver> makeWorkers() {
  return makeCpuDriver("sim", cpuKernels());
}

std::vector<DeviceInfo> SimDriver::detect() const {
  std::vector<DeviceInfo> devices = makeWorkers()->detect();
  for (DeviceInfo &device : devices) {
    device.threads = 1;
    device.description = "simulated on threads of the CPU; there may be any "
                         "number of such devices";
  }
  return devices;
}

Status SimDriver::canOpen(std::span<const DeviceRequest> requests) const {
  return makeWorkers()->canOpen(requests);
}

std::vector<DeviceRequest>
SimDriver::resolve(std::span<const DeviceRequest> requests) const {
  // The number of threads does not depend on the number of devices. Threads are
  // not pinned, because other devices have the cores at the same time.
  std::vector<DeviceRequest> resolved(requests.begin(), requests.end());
  for (DeviceRequest &request : resolved) {
    request.threads = std::max(request.threads, 1);
    request.mayPin = false;
  }
  return resolved;
}

StatusOr<std::vector<std::unique_ptr<Device>>>
SimDriver::open(std::span<const DeviceRequest> requests) const {
  const auto links = std::make_shared<SimLinks>();
  std::map<std::string, std::shared_ptr<SimHook>> hooks;
  for (const DeviceRequest &request : requests) {
    WEIR_ASSIGN_OR_RETURN(SimOptions options, SimOptions::parse(request));
    hooks[request.name] =
        std::make_shared<SimHook>(request.name, std::move(options), links);
  }
  const auto workers =
      makeCpuDriver("sim", cpuKernels(), [&](const DeviceRequest &request) {
        return hooks.at(request.name);
      });
  WEIR_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<Device>> opened,
                        workers->open(resolve(requests)));
  std::vector<std::unique_ptr<Device>> devices;
  for (std::unique_ptr<Device> &device : opened)
    devices.push_back(std::make_unique<SimDevice>(
        std::move(device), hooks.at(device->info().name)));
  return devices;
}
