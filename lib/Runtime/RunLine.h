//===- RunLine.h - Queues runs and executes them in order -------*- C++ -*-===//
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

/// A run for which somebody waits. It belongs to the caller until `onDone`.
struct RunRequest {
  std::span<const ConstTensorView> inputs;
  std::span<const TensorView> outputs;
  /// Called once, on any thread. It may destroy the request.
  void (*onDone)(RunRequest &request, Status status) = nullptr;
  /// Whether the thread that submits the request may execute it.
  bool mayRunHere = false;
  RunRequest *next = nullptr;
};

/// Passes one run after the other to the executor. The thread that ends a run
/// starts the next one, so this class needs no thread. That thread never
/// executes the run of another caller, but starts it on the queues.
class RunLine {
public:
  explicit RunLine(LoadedEntry &entry);

  /// Queues `request`, whose buffers have been checked. Allocates nothing. If
  /// the request may run here and nothing is before it, it is done on return.
  void enqueue(RunRequest &request);
  /// Cancels all requests, and returns when no run is in flight. An observer of
  /// that run returns at once.
  void stop();
  /// Whether the calling thread is in a call of the run's observer. It must not
  /// wait for another run.
  bool isObservedHere() const { return executor.isObservedHere(); }
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
