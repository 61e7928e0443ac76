//===- SharedScratch.h - Scratch memory that sessions share -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A queue carries out one submission after another, whichever session they are
// of. So what only one queue uses, and only during a submission, is the same
// memory for all sessions on the same devices.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_SHAREDSCRATCH_H
#define WEIR_LIB_RUNTIME_LOADING_SHAREDSCRATCH_H

#include "weir/Runtime/Device.h"

#include <cstdint>
#include <memory>

namespace weir {

enum class ScratchUse {
  /// For tensors that a program keeps there.
  Arena,
  /// For a kernel while it runs.
  Workspace
};

/// At least `bytes` of memory of `device` for its queue `queue`. It is that of
/// another session if this has as much, and not more than twice as much, so
/// that a small session does not keep the memory of a large one.
StatusOr<std::shared_ptr<DeviceMemory>>
shareScratch(Device &device, int queue, ScratchUse use, uint64_t bytes);

/// Gives `memory` to no session from now on.
void stopSharing(const std::shared_ptr<DeviceMemory> &memory);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_SHAREDSCRATCH_H
