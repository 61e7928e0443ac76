//===- DeviceQueue.h - In-order work of one device -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The executor flattens every program of an artifact into a CommandList with
// all pointers resolved, and hands the whole list to the queue of its device
// once per run. How the steps are carried out (a thread that walks them, a
// stream, a captured graph) is the device's own affair.
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

/// One command with everything resolved. Slots hold the addresses that the
/// step uses; the executor writes those of inputs and outputs before each run.
struct Step {
  StepKind kind = StepKind::Launch;
  /// A copy between devices, counted as a crossing.
  bool crossing = false;
  union {
    /// Of a launch.
    Kernel *kernel;
    /// Of a record or a wait.
    Event *event;
  };
  /// Launch: operands, then results. Copy: source, then target. Fill: target.
  void *const *slots = nullptr;
  /// Of a copy or a fill.
  uint64_t bytes = 0;
};

/// What reports and errors say about a step.
struct StepInfo {
  /// The op the step comes from.
  std::string_view op;
  /// What the kernel of a launch was prepared from, else null.
  const KernelSpec *spec = nullptr;
  /// What a trace says about it, or null.
  const TraceDetail *detail = nullptr;
};

/// A tensor of the model that a step leaves.
struct StepTensor {
  /// The step's number.
  size_t step = 0;
  /// The tensor's number, as observers know it.
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
  /// Whether some launch shares its work with other threads.
  bool needsTeam = false;
  /// Shared by all launches: the queue is in order.
  void *workspace = nullptr;
  /// Where the steps are recorded, or null.
  TraceRing *trace = nullptr;
  /// Fail with the first launch that leaves a NaN or infinity in a result.
  bool checkNumerics = false;
  /// Whom to show `tensors`, which are ordered by step, or null. What it is
  /// shown lies in the host's memory.
  TensorObserver *observer = nullptr;
  std::span<const StepTensor> tensors;
};

/// What the queues of one run share: its epoch and its first error.
///
/// A failed run still walks all its steps, so that every event is signalled
/// and nothing hangs, but launches, copies and fills are left out.
class RunControl {
public:
  /// Readies the object for a new run. No queue may be using it.
  void reset(uint32_t newEpoch);
  uint32_t epoch() const { return runEpoch; }

  bool isCancelled() const { return cancelled.load(std::memory_order_relaxed); }
  /// Cancels what is left of the run. The first error is kept. Thread-safe.
  void fail(Status error);
  /// The first error. Valid when all queues have finished.
  Status takeStatus();

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
  /// Called by the queue when the last step is done, on any thread. The
  /// submission may be reused as soon as it is called.
  void (*onComplete)(void *context) = nullptr;
  void *context = nullptr;
  /// The queue's link to the submission behind this one.
  Submission *next = nullptr;
};

/// One in-order queue of a device. Submissions are carried out in the order in
/// which they came in, their steps in the order of the list. Events are what
/// orders the steps of different queues.
class DeviceQueue {
public:
  /// Waits for all submissions.
  virtual ~DeviceQueue() = default;

  /// Hands over `submission` and returns at once. Thread-safe; allocates
  /// nothing. What fails is reported to the run of the submission.
  virtual void submit(Submission &submission) = 0;

  /// Carries out `submission` on the calling thread and returns true, or leaves
  /// it alone and returns false where that thread cannot. Only for a list that
  /// waits for no other queue, when the queue has nothing else to do.
  virtual bool runHere(Submission &submission) { return false; }
};

} // namespace weir

#endif // WEIR_RUNTIME_DEVICEQUEUE_H
