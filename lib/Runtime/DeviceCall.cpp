//===- DeviceCall.cpp - Calls of devices that may go wrong ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DeviceCall.h"

#include "weir/Runtime/Guarded.h"

#include <fmt/format.h>
#include <utility>

using namespace weir;

/// The result of `function`, which calls a function of a device. Errors call
/// that function `what`.
template <typename Function>
static auto call(std::string_view what, Function &&function)
    -> decltype(function()) {
  auto made = guarded(what, std::forward<Function>(function));
  if (made && !*made)
    return internalError(
        fmt::format("{} returned null; it must return an error instead", what));
  return made;
}

/// `error`, with the name of `device` in front if its text lacks the name.
static Status nameDevice(Status error, const Device &device) {
  const std::string &name = device.info().name;
  if (error.message().find(name) != std::string_view::npos)
    return error;
  return std::move(error).withContext(name);
}

StatusOr<std::unique_ptr<DeviceMemory>>
weir::allocateOn(Device &device, size_t bytes, PagePlacement placement) {
  auto made = call("Device::allocate",
                   [&] { return device.allocate(bytes, placement); });
  if (!made)
    return nameDevice(std::move(made).status(), device);
  return made;
}

StatusOr<std::unique_ptr<Kernel>> weir::prepareOn(Device &device,
                                                  const KernelSpec &spec,
                                                  PrepareContext &context) {
  return call("Device::prepare", [&] { return device.prepare(spec, context); });
}

StatusOr<DeviceQueue *> weir::openQueueOn(Device &device, QueueRole role) {
  auto opened =
      call("Device::openQueue", [&] { return device.openQueue(role); });
  if (!opened)
    return nameDevice(std::move(opened).status(), device);
  return opened;
}
