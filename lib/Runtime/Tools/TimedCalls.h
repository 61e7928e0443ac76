//===- TimedCalls.h - Calls a model and counts late runs ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_TIMEDCALLS_H
#define WEIR_LIB_RUNTIME_TOOLS_TIMEDCALLS_H

#include "RunTarget.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace weir {

/// Runs a model, each time with the same limit on its time. Thread-safe.
class TimedCalls {
public:
  TimedCalls(const RunTarget &target,
             std::optional<std::chrono::nanoseconds> limit)
      : target(target), limit(limit) {}

  /// Runs the model once and writes the time of the call to `latencyNs`.
  /// Returns whether the run ended in time. One that did not is no error.
  StatusOr<bool> call(std::span<const ConstTensorView> inputs,
                      std::span<const TensorView> outputs, uint64_t &latencyNs);

  /// The number of runs that did not end in time.
  uint64_t numLate() const { return late; }

private:
  const RunTarget &target;
  std::optional<std::chrono::nanoseconds> limit;
  std::atomic<uint64_t> late{0};
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_TIMEDCALLS_H
