//===- RunLine.h - Runs in the order in which they came -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_RUNLINE_H
#define WEIR_LIB_RUNTIME_RUNLINE_H

#include "Executor.h"
#include "weir/Runtime/SessionStats.h"

#include <condition_variable>
#include <mutex>

namespace weir {

/// A run that somebody waits for. It belongs to the caller until `onDone`.
struct RunRequest {
  std::span<const ConstTensorView> inputs;
  std::span<const TensorView> outputs;
  /// Called once, on any thread. The request may be destroyed in it.
  void (*onDone)(RunRequest &request, Status status) = nullptr;
  /// Whether the thread that brings the request may carry it out.
  bool mayRunHere = false;
  RunRequest *next = nullptr;
};

/// Lets one run after the other into the executor. The thread that ends a run
/// starts the next, so there is no thread of the line's own. It never carries
/// out the run of another caller: that is for the queues.
class RunLine {
public:
  explicit RunLine(LoadedEntry &entry);

  /// Queues `request`, whose buffers have been checked. Allocates nothing.
  /// Where it may run here and nothing is before it, it is done on return.
  void enqueue(RunRequest &request);
  /// Cancels all requests and returns when no run is in flight.
  void stop();
  SessionStats stats() const;

private:
  void beginNext();
  void runDone();

  mutable std::mutex mutex;
  std::condition_variable idle;
  Executor executor;
  RunRequest *inFlight = nullptr;
  RunRequest *head = nullptr;
  RunRequest *tail = nullptr;
  bool isStopped = false;
  SessionStats counts;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_RUNLINE_H
