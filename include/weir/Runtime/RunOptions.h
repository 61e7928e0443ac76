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

/// Cancels the runs that it is given to, each of which then ends with the
/// status Cancelled. Copies are the same token. All members are thread-safe.
class CancelToken {
public:
  CancelToken();
  /// Cancels runs that wait or are in flight, and all later ones with the
  /// token.
  void cancel();
  bool isCancelled() const;

private:
  friend class Admission;
  class State;
  std::shared_ptr<State> state;
};

/// A run that is stopped ends when none of its queues is inside of it. So it
/// waits for launches and copies that have begun, and for queues that wait for
/// each other, which give up within a few milliseconds. It does not wait for
/// queues that have not begun it. It does wait for the callbacks of other runs
/// that the session is just stopping. A GPU that does not end it in time is
/// given up (docs/cuda-plugin.md): the error says so, and the inputs and
/// outputs may be in use until the process ends. If it was stopped before its
/// first write to a variable, it has changed nothing but its outputs. Otherwise
/// the variables that it has written have no value until they are set or
/// loaded.
struct RunOptions {
  /// A point in time at which the run is stopped, with the status Cancelled, if
  /// it has not ended. It is no duration of the run: from the call on, the time
  /// counts in which the run waits for others. For "at most 50 ms from now",
  /// add 50 ms to `std::chrono::steady_clock::now()` before the call. The call
  /// may return later than the deadline, see above.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::optional<CancelToken> cancelToken;
};

} // namespace weir

#endif // WEIR_RUNTIME_RUNOPTIONS_H
