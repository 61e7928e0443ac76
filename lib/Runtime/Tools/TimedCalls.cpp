//===- TimedCalls.cpp - Calls a model and counts late runs ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TimedCalls.h"

#include "weir/Support/Counted.h"
#include "weir/Support/Trace.h"

#include <fmt/format.h>

using namespace weir;

StatusOr<bool> TimedCalls::call(std::span<const ConstTensorView> inputs,
                                std::span<const TensorView> outputs) {
  RunOptions options;
  const bool isCold = numBegun++ < numCold;
  const uint64_t begin = monotonicNs();
  if (limit)
    options.deadline = std::chrono::steady_clock::now() + *limit;
  Status status = target.run(inputs, outputs, options);
  const uint64_t time = monotonicNs() - begin;
  // Nothing but the deadline cancels these runs.
  const bool isLate = limit && status.code() == StatusCode::Cancelled;
  if (status.isOk() || isLate) {
    late += isLate;
    (isCold ? cold : warm).add(time);
    return !isLate;
  }
  // A late run may have left variables without a value.
  if (late)
    return std::move(status).withContext(
        fmt::format("after {} past --deadline", counted(late, "run")));
  return status;
}
