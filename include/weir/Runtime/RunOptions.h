//===- RunOptions.h - How a run may end early -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_RUNOPTIONS_H
#define WEIR_RUNTIME_RUNOPTIONS_H

#include <chrono>
#include <memory>
#include <optional>

namespace weir {

/// Cancels the runs to which it is given. Each of these runs then ends with the
/// status Cancelled. Copies are the same token. All members are thread-safe.
class CancelToken {
public:
  CancelToken();
  /// Cancels runs that wait or are in flight, and all later runs with the
  /// token.
  void cancel();
  bool isCancelled() const;

private:
  friend class Admission;
  class State;
  std::shared_ptr<State> state;
};

/// The conditions under which a run is stopped before its end.
///
/// A run that is stopped ends when no queue is at work on it. It waits for
/// launches and copies that have begun. It also waits for queues that wait for
/// other queues. Such a queue gives up within a few milliseconds. The run does
/// not wait for queues that have not begun it.
///
/// A run that is stopped before its first write to a variable has changed
/// nothing but its outputs. If it is stopped later, the variables that it has
/// written have no value until they are set or loaded.
///
/// A GPU that does not end the run in time is given up (docs/cuda-plugin.md).
/// The error says so, and the GPU may use the inputs and outputs until the
/// process ends.
struct RunOptions {
  /// The time at which the run is stopped, with the status Cancelled, if it has
  /// not ended. Time that the run waits for other runs counts, too. For "at
  /// most 50 ms from now", add 50 ms to `std::chrono::steady_clock::now()`
  /// before the call. The call may return later than the deadline, see above.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::optional<CancelToken> cancelToken;
};

} // namespace weir

#endif // WEIR_RUNTIME_RUNOPTIONS_H
