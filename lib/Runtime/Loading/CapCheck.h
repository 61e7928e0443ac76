//===- CapCheck.h - Compares held memory with caps --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_CAPCHECK_H
#define WEIR_LIB_RUNTIME_LOADING_CAPCHECK_H

#include "weir/Artifact/Schema.h"
#include "weir/Runtime/SessionStats.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <span>

namespace weir {

/// Whether a device of some variant has a memory cap.
bool isMemoryCapped(const artifact::Model &model);

/// Refuses a model of which a device would hold more than its memory cap.
/// `numFrames` runs may be in flight, and `threads` is the number of threads
/// for which the session asked, or 0.
Status checkMemoryCaps(std::span<const DeviceHeld> devices, size_t numFrames,
                       int threads);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_CAPCHECK_H
