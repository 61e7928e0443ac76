//===- DeviceQueue.h - In-order work of one device -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The executor turns every program of an artifact into a CommandList in which
// all pointers are resolved. Once per run it hands the whole list to the queue
// of the device. Each device decides how to carry out the steps: by a thread
// that walks them, a stream, or a captured graph.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICEQUEUE_H
#define WEIR_RUNTIME_DEVICEQUEUE_H

#include "weir/Runtime/Event.h"
#include "weir/Runtime/Kernel.h"
#include "weir/Runtime/TensorObserver.h"
#include "weir/Support/Status.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>

namespace weir {

struct TraceDetail;
class TraceRing;

enum class StepKind : uint8_t { Launch, Copy, Fill, Record, Wait };

/// One command with all pointers resolved. `slots` holds the addresses that the
/// step uses. Before each run the executor updates those of inputs and outputs.
struct Step {
  StepKind kind = StepKind::Launch;
  /// A copy between devices, counted as a crossing.
  bool crossing = false;
  union {
    /// For a launch.
    Kernel *kernel;
    /// For a record or a wait.
    Event *event;
  };
  /// Launch: operands, then results. Copy: source, then target. Fill: target.
  void *const *slots = nullptr;
  /// For a copy or a fill.
  uint64_t bytes = 0;
};

/// Describes a step in reports and errors.
struct StepInfo {
  /// The op the step comes from.
  std::string_view op;
  /// For a launch: what its kernel was prepared from; else null.
  const KernelSpec *spec = nullptr;
  /// Floating-point operations of a launch; 0: none, or not known.
  uint64_t flops = 0;
  /// Details for a trace, or null.
  const TraceDetail *detail = nullptr;
};

/// A tensor of the model that is complete after a step.
struct StepTensor {
  /// The step's number.
  size_t step = 0;
  /// The tensor's number for observers.
  size_t tensor = 0;
  void *const *slot = nullptr;
};

/// What a queue counts while it carries out one submission.
struct QueueCounters {
  uint64_t launches = 0;
  uint64_t crossings = 0;
  uint64_t bytesCrossed = 0;
  /// Time from the first to the last step, without the time spent in waits.
  uint64_t busyNs = 0;
};

/// The steps that one queue carries out in each run. Everything a list refers
/// to outlives the submissions of that list.
struct CommandList {
  std::span<const Step> steps;
  /// One per step.
  std::span<const StepInfo> infos;
  /// Whether some launch divides its work between threads.
  bool needsTeam = false;
  /// One workspace for all launches, since the queue is in order.
  void *workspace = nullptr;
  /// Where the steps are recorded, or null.
  TraceRing *trace = nullptr;
  /// Whether a launch fails if a result contains a NaN or infinity.
  bool checkNumerics = false;
  /// Receives `tensors`, which are ordered by step; or null. The memory that it
  /// receives is host memory.
  TensorObserver *observer = nullptr;
  std::span<const StepTensor> tensors;
};

/// What the queues of one run share: the run's epoch and its first error.
///
/// After an error, the queues still walk all steps, so that every event is
/// signalled and nothing hangs. But they skip launches, copies and fills.
class RunControl {
public:
  /// Prepares the object for a new run. No queue may be using it.
  void reset(uint32_t newEpoch);
  uint32_t epoch() const { return runEpoch; }

  bool isCancelled() const { return cancelled.load(std::memory_order_relaxed); }
  /// Cancels the rest of the run. Keeps the first error. Thread-safe.
  void fail(Status error);
  /// The first error. Valid when all queues have finished.
  Status takeStatus();

  /// While it exists, its thread is in a call of the observer of `run`. Such
  /// calls may be nested, since an observer may run another session.
  class Observation {
  public:
    explicit Observation(const RunControl &run);
    ~Observation();
    Observation(const Observation &) = delete;
    Observation &operator=(const Observation &) = delete;

  private:
    friend class RunControl;
    const RunControl &run;
    const Observation *outer;
  };
  /// Whether the calling thread is in a call of the run's observer.
  bool isObservedHere() const;

private:
  uint32_t runEpoch = 0;
  std::atomic<bool> cancelled{false};
  std::mutex mutex;
  Status first;
};

/// A command list in flight. The submitter owns it and keeps it until
/// `onComplete` has been called.
struct Submission {
  const CommandList *list = nullptr;
  RunControl *run = nullptr;
  /// Written by the queue before it calls `onComplete`.
  QueueCounters counters;
  /// Called by the queue after the last step, on any thread. The submission may
  /// be reused from then on.
  void (*onComplete)(void *context) = nullptr;
  void *context = nullptr;
  /// Used by the queue: the next submission.
  Submission *next = nullptr;
};

/// One in-order queue of a device. Submissions run in the order of arrival, and
/// their steps in the order of the list. Events order the steps of different
/// queues.
class DeviceQueue {
public:
  /// Waits for all submissions.
  virtual ~DeviceQueue() = default;

  /// Takes `submission` and returns at once. Thread-safe; allocates nothing.
  /// Errors go to the run of the submission.
  virtual void submit(Submission &submission) = 0;

  /// Carries out `submission` on the calling thread and returns true. If that
  /// thread cannot, does nothing and returns false. The list must wait for no
  /// other queue, and the queue must be idle.
  virtual bool runHere(Submission &submission) { return false; }
};

} // namespace weir

#endif // WEIR_RUNTIME_DEVICEQUEUE_H
