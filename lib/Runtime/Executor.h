//===- Executor.h - Executes the runs of a loaded entry ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_EXECUTOR_H
#define WEIR_LIB_RUNTIME_EXECUTOR_H

#include "LoadedEntry.h"
#include "weir/Runtime/Tensor.h"

#include <atomic>
#include <memory>
#include <span>
#include <vector>

namespace weir {

/// Executes one run at a time on all queues of an entry. After construction it
/// allocates nothing.
class Executor {
public:
  explicit Executor(LoadedEntry &entry);

  /// Prepares a run on checked buffers. No other run may be in flight. `start`
  /// or `runHere` must follow. `onDone` is called on any thread when all queues
  /// have finished.
  void begin(std::span<const ConstTensorView> inputs,
             std::span<const TensorView> outputs, void (*onDone)(void *),
             void *context);

  /// Hands the run to the queues and returns.
  void start();

  /// Executes the run on the calling thread if its queue allows that; otherwise
  /// starts it.
  void runHere();

  /// Whether the calling thread is in a call of the run's observer.
  bool isObservedHere() const { return run.isObservedHere(); }

  /// Cancels the run in flight, if there is one.
  void cancel(Status reason) { run.fail(std::move(reason)); }

  /// The outcome of the run that has just ended. If it succeeded, its counts
  /// are written to `stats`, which has one record per device.
  Status finish(std::span<DeviceStats> stats);

private:
  void queueDone();

  LoadedEntry &entry;
  RunControl run;
  /// One per program.
  std::unique_ptr<Submission[]> submissions;
  /// All queues write it while they read the flag in `run`, so it has its own
  /// cache line.
  alignas(64) std::atomic<size_t> numRunning{0};
  uint32_t epoch = 0;
  void (*onDone)(void *) = nullptr;
  void *context = nullptr;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_EXECUTOR_H
