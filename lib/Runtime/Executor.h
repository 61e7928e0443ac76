//===- Executor.h - Carries out the runs of a loaded entry -*- C++ -*-===//
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

/// Carries out one run at a time on all queues of an entry. Allocates nothing
/// after it is made.
class Executor {
public:
  explicit Executor(LoadedEntry &entry);

  /// Readies a run on checked buffers. `onDone` will be called on any thread
  /// when all queues have finished; there may be no other run in flight. Then
  /// either `start` or `runHere` follows.
  void begin(std::span<const ConstTensorView> inputs,
             std::span<const TensorView> outputs, void (*onDone)(void *),
             void *context);

  /// Hands the run to the queues and returns.
  void start();

  /// Carries out the run on the calling thread where its queue allows that,
  /// else starts it.
  void runHere();

  /// Cancels the run in flight, if there is one.
  void cancel(Status reason) { run.fail(std::move(reason)); }

  /// The outcome of the run that has just ended; a good one's counts are
  /// written to `stats`, one record per device.
  Status finish(std::span<DeviceStats> stats);

private:
  void queueDone();

  LoadedEntry &entry;
  RunControl run;
  /// One per program.
  std::unique_ptr<Submission[]> submissions;
  /// All queues write it, while they read the flag in `run`.
  alignas(64) std::atomic<size_t> numRunning{0};
  uint32_t epoch = 0;
  void (*onDone)(void *) = nullptr;
  void *context = nullptr;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_EXECUTOR_H
