//===- ConcurrentRuns.h - Keeps several runs in flight ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_CONCURRENTRUNS_H
#define WEIR_LIB_RUNTIME_TOOLS_CONCURRENTRUNS_H

#include "weir/Runtime/Session.h"

#include <span>

namespace weir {

/// Runs `session` as often as `latenciesNs` has elements, and writes the time
/// of each call there. `numCallers` threads call at the same time. `outputs`
/// are those of the first run, which the calling thread does; other threads
/// have outputs of their own.
Status runConcurrently(Session &session,
                       std::span<const ConstTensorView> inputs,
                       std::span<const TensorView> outputs, int numCallers,
                       std::span<uint64_t> latenciesNs);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_CONCURRENTRUNS_H
