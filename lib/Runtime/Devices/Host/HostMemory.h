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

/// Maps `bytes` zero bytes, with huge pages if that pays. Returns an error if
/// the process would have more than `limit` bytes of such memory. Touches no
/// pages: the first thread that writes to a page decides in which part of the
/// machine the page is. Thread-safe.
StatusOr<std::unique_ptr<DeviceMemory>> mapHostMemory(size_t bytes,
                                                      uint64_t limit);

/// Writes to every page of `memory`, so that the pages are in the calling
/// thread's part of the machine.
void touchPages(std::span<std::byte> memory);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_HOST_HOSTMEMORY_H
