//===- PlanTrace.h - Rows of a trace for the queues of plans ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_PLANTRACE_H
#define WEIR_LIB_RUNTIME_LOADING_PLANTRACE_H

#include "DevicePool.h"
#include "Plan.h"

#include <memory>
#include <span>

namespace weir {

class Trace;

/// Lets the queues record the steps of `plans` in `trace`, in one row for each
/// queue.
void tracePlans(std::span<const std::unique_ptr<Plan>> plans,
                const ModelDevices &devices, Trace &trace);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_PLANTRACE_H
