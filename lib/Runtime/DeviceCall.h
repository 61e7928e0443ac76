//===- DeviceCall.h - Calls of devices that may go wrong --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A device may come from a plug-in, so what it returns is not trusted.
// Exceptions and null pointers become errors.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICECALL_H
#define WEIR_LIB_RUNTIME_DEVICECALL_H

#include "weir/Runtime/Device.h"

#include <cstddef>
#include <memory>

namespace weir {

/// Memory of `device`, never null. Errors name the device.
StatusOr<std::unique_ptr<DeviceMemory>>
allocateOn(Device &device, size_t bytes,
           PagePlacement placement = PagePlacement::Now);

/// A kernel of `device`, never null. Errors do not name the device, because
/// callers name the launch.
StatusOr<std::unique_ptr<Kernel>>
prepareOn(Device &device, const KernelSpec &spec, PrepareContext &context);

/// A queue of `device`, never null. Errors name the device.
StatusOr<DeviceQueue *> openQueueOn(Device &device, QueueRole role);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICECALL_H
