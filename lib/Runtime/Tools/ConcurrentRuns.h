//===- ConcurrentRuns.h - Keeps several runs in flight ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_CONCURRENTRUNS_H
#define WEIR_LIB_RUNTIME_TOOLS_CONCURRENTRUNS_H

#include "TimedCalls.h"

#include <cstddef>
#include <span>

namespace weir {

/// Runs `target` `count` times by `calls`, which keeps the times. `numCallers`
/// threads call at the same time. The calling thread is one of them. `outputs`
/// are the outputs of the calling thread's runs. Other threads have outputs of
/// their own.
Status runConcurrently(const RunTarget &target, TimedCalls &calls,
                       std::span<const ConstTensorView> inputs,
                       std::span<const TensorView> outputs, int numCallers,
                       size_t count);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_CONCURRENTRUNS_H
