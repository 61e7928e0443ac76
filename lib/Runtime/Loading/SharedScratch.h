//===- SharedScratch.h - Scratch memory that sessions share -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A queue carries out one submission after another, whichever session each
// belongs to. So all sessions on the same devices share the memory that only
// one queue uses, and only during a submission.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_SHAREDSCRATCH_H
#define WEIR_LIB_RUNTIME_LOADING_SHAREDSCRATCH_H

#include "weir/Runtime/Device.h"

#include <cstdint>
#include <memory>

namespace weir {

enum class ScratchUse {
  /// Memory for values that exist only during a run.
  Arena,
  /// Memory for a kernel while it runs.
  Workspace
};

/// Memory of `device` for its queue `queue`, of at least `bytes`. It is shared
/// with another session whose memory is large enough, but at most twice as
/// large. So a small session does not keep the memory of a large one.
StatusOr<std::shared_ptr<DeviceMemory>>
shareScratch(Device &device, QueueRole queue, ScratchUse use, uint64_t bytes);

/// Gives `memory` to no session from now on.
void stopSharing(const std::shared_ptr<DeviceMemory> &memory);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_SHAREDSCRATCH_H
