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
#include <vector>

namespace weir {

/// Runs a model, each time with the same limit on its time, and keeps the times
/// of the calls. Thread-safe.
class TimedCalls {
public:
  /// There are at most `count` calls. Their memory is touched here, so that it
  /// causes no page faults in them.
  TimedCalls(const RunTarget &target,
             std::optional<std::chrono::nanoseconds> limit, size_t count)
      : target(target), limit(limit), latenciesNs(count, 0) {}

  /// Runs the model once and keeps the time of the call, unless it failed.
  /// Returns whether the run ended in time. One that did not is no error.
  StatusOr<bool> call(std::span<const ConstTensorView> inputs,
                      std::span<const TensorView> outputs);

  /// The number of runs that did not end in time.
  uint64_t numLate() const { return late; }
  /// The times of the runs that did not fail, late ones included. Called when
  /// no run is in flight any more.
  std::vector<uint64_t> takeLatencies();

private:
  const RunTarget &target;
  std::optional<std::chrono::nanoseconds> limit;
  std::vector<uint64_t> latenciesNs;
  std::atomic<size_t> numKept{0};
  std::atomic<uint64_t> late{0};
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_TIMEDCALLS_H
