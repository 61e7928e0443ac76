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
#include <utility>
#include <vector>

namespace weir {

/// Runs a model, each time with the same limit on its time, and keeps the times
/// of the calls. Thread-safe.
class TimedCalls {
public:
  /// There are at most `count` calls, and the first `numCold` are cold. The
  /// memory for the times is touched here, so that it causes no page faults
  /// during the calls.
  TimedCalls(const RunTarget &target,
             std::optional<std::chrono::nanoseconds> limit, size_t count,
             size_t numCold = 0)
      : target(target), limit(limit), numCold(numCold), cold(numCold),
        warm(count) {}

  /// Runs the model once and keeps the time of the call, unless it failed.
  /// Returns whether the run ended in time. A run that did not end in time is
  /// no error.
  StatusOr<bool> call(std::span<const ConstTensorView> inputs,
                      std::span<const TensorView> outputs);

  /// The number of runs that did not end in time.
  uint64_t numLate() const { return late; }
  /// The times of the runs that did not fail, including late runs. `takeCold`
  /// has the cold runs, and `takeLatencies` all others. Called when no run is
  /// in flight any more.
  std::vector<uint64_t> takeLatencies() { return warm.take(); }
  std::vector<uint64_t> takeCold() { return cold.take(); }

private:
  /// Times of calls in the order of their ends.
  struct Times {
    explicit Times(size_t count) : ns(count, 0) {}
    void add(uint64_t time) { ns[numKept++] = time; }
    std::vector<uint64_t> take() {
      ns.resize(numKept);
      return std::move(ns);
    }

    std::vector<uint64_t> ns;
    std::atomic<size_t> numKept{0};
  };

  const RunTarget &target;
  std::optional<std::chrono::nanoseconds> limit;
  const size_t numCold;
  std::atomic<size_t> numBegun{0};
  Times cold, warm;
  std::atomic<uint64_t> late{0};
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_TIMEDCALLS_H
