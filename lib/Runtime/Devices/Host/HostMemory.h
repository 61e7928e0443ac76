//===- HostMemory.h - Device memory in this process -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_HOST_HOSTMEMORY_H
#define WEIR_LIB_RUNTIME_DEVICES_HOST_HOSTMEMORY_H

#include "weir/Runtime/Device.h"

#include <cstddef>
#include <memory>
#include <span>

namespace weir {

/// Maps `bytes` zero bytes, in huge pages where that pays. More than `limit`
/// bytes are refused. Pages are not touched: the first writer places them.
StatusOr<std::unique_ptr<DeviceMemory>> mapHostMemory(size_t bytes,
                                                      uint64_t limit);

/// Writes to every page of `memory`, so that the calling thread's part of the
/// machine holds them.
void touchPages(std::span<std::byte> memory);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_HOST_HOSTMEMORY_H
