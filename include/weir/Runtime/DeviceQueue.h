//===- DeviceQueue.h - In-order work of one device -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A loaded plan has a CommandList for every queue that it uses. All pointers in
// it are resolved, except for the addresses that differ between runs in flight:
// a submission brings these along. Each device decides how to carry out the
// steps: by a thread that walks them, a stream, or a captured graph.
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
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace weir {

struct TraceDetail;
class TraceRing;

enum class StepKind : uint8_t { Launch, Copy, Fill, Record, Wait, Repeat };

/// The end of a loop over steps, all in one list.
struct RepeatStep {
  /// How often the steps of the loop are carried out; at least 1.
  uint64_t trips = 1;
  /// The first step of the loop.
  size_t firstStep = 0;
  /// The slot in which the queue counts trips. It is null outside of the loop.
  uint32_t counter = 0;
  /// The distance by which a slot moves after each trip but the last. After the
  /// last trip, the slot gets its first value again. Inner loops have moves of
  /// their own.
  struct Move {
    uint32_t slot;
    int64_t stride;
  };
  std::vector<Move> moves;
};

/// One command. Slots hold the addresses that steps use: each run in flight has
/// its own, and a step refers to them by number.
struct Step {
  StepKind kind = StepKind::Launch;
  /// A copy between devices, counted as a crossing.
  bool crossing = false;
  /// Whether the step writes to a variable of the model.
  bool writesVariable = false;
  /// Whether the value of a record or wait moves in loops. The first slot then
  /// holds how far it has moved.
  bool moves = false;
  /// Whether the event of a record or wait is also used by queues of another
  /// device kind. If so, the counter says which steps the devices have done. If
  /// not, queues may give the counter another meaning, such as which steps they
  /// have asked their devices for.
  bool acrossKinds = false;
  /// The first slot. Launch: operands, then results. Copy: source, then target.
  /// Fill: target.
  uint32_t slot = 0;
  union {
    /// The kernel of a launch.
    Kernel *kernel = nullptr;
    /// The event of a record or a wait.
    Event *event;
    /// The loop that a step ends.
    const RepeatStep *repeat;
  };
  union {
    /// The bytes of a copy or a fill.
    uint64_t bytes = 0;
    /// The value of a record or a wait, relative to the run's base. A wait for
    /// a value below 1 does not wait.
    int64_t value;
  };
};

/// Describes a step in reports and errors.
struct StepInfo {
  /// The op the step comes from.
  std::string_view op;
  /// The spec from which the kernel of a launch was prepared; null for other
  /// steps.
  const KernelSpec *spec = nullptr;
  /// Floating-point operations of a launch; 0: none, or not known.
  uint64_t flops = 0;
  /// How long the step is predicted to last, if the device's kind asks for that
  /// (DeviceKindInfo::usesPredictions).
  uint64_t predictedNs = 0;
  /// Copies with the same number above 0 share a link, which carries one of
  /// them at a time.
  uint32_t sharedLink = 0;
  /// Details for a trace, or null.
  const TraceDetail *detail = nullptr;
};

/// A tensor of the model that is complete after a step.
struct StepTensor {
  /// The step's number.
  size_t step = 0;
  /// The tensor's number for observers.
  size_t tensor = 0;
  uint32_t slot = 0;
  /// The bytes from its first element to the end of the last one in memory.
  uint64_t bytes = 0;
};

/// The counts of a queue for one submission.
struct QueueCounters {
  uint64_t launches = 0;
  uint64_t crossings = 0;
  uint64_t bytesCrossed = 0;
  /// Time from the first to the last step, without the time spent in waits.
  uint64_t busyNs = 0;
  /// A number above the numbers of all steps that write a variable and were
  /// begun. 0 if there is no such step.
  size_t variableSteps = 0;
};

/// The steps that one queue carries out in each run. Everything a list refers
/// to outlives the submissions of that list.
struct CommandList {
  std::span<const Step> steps;
  /// The descriptions of the steps, one per step.
  std::span<const StepInfo> infos;
  /// Whether some launch divides its work between threads. If so, `mayRunAlone`
  /// says whether all such launches may run on one thread: Kernel::mayRunAlone.
  bool needsTeam = false;
  bool mayRunAlone = false;
  /// One workspace for all launches, since the queue is in order.
  void *workspace = nullptr;
  /// The ring that records the steps, or null.
  TraceRing *trace = nullptr;
  /// Whether a launch fails if a result contains a NaN or infinity.
  bool checkNumerics = false;
  /// Receives `tensors`, which are ordered by step; or null. It receives host
  /// memory, so a queue of a device with memory of its own copies the tensors.
  TensorObserver *observer = nullptr;
  std::span<const StepTensor> tensors;
  /// Data that the queue has derived from the list, or null. Only the queue
  /// uses it, and it is destroyed with the list.
  mutable std::shared_ptr<void> derived;
};

/// The state that the queues of one run share: the base of its event values,
/// its first error, and how many queues are still to come or at work.
///
/// After an error or a cancellation a queue carries out no further step. It
/// signals no further event either. Other queues of the run do not wait for
/// these events any more, and later runs have larger values.
class RunControl {
public:
  /// Prepares the object for a new run on `numQueues` queues. No queue may be
  /// using it.
  void reset(uint32_t newBase, size_t numQueues = 1);
  /// The number that is added to the values of the run's records and waits.
  uint32_t eventBase() const { return base; }

  /// A queue calls this before it carries out the first step. On false it must
  /// not touch anything of the run.
  bool enter();

  /// The submitter calls this when a queue that has entered is done. Returns
  /// whether the run is abandoned: it is cancelled, no queue is inside, and the
  /// queues that are still to come will not enter. Then nothing touches the
  /// buffers of the run any more. `leave` must follow.
  bool exit();
  /// The submitter calls this for each queue, as the last use of the run.
  /// Returns whether no other queue is to come.
  bool leave();

  bool isCancelled() const { return cancelled.load(std::memory_order_relaxed); }
  const std::atomic<bool> &cancelFlag() const { return cancelled; }
  /// Cancels the rest of the run. Keeps the first error. Thread-safe.
  void fail(Status error);
  /// Cancels the rest of the run, like `fail`. If the run has an error already,
  /// the text of `error` is added to it. This is for errors that callers have
  /// to know in any case. Thread-safe.
  void addError(const Status &error);
  /// Whether the run is cancelled and no queue is inside or will enter. The
  /// submitter asks for this when a queue that could not enter is done.
  bool isAbandoned() const;
  /// Whether all queues have left.
  bool hasEnded() const;
  /// The first error so far.
  Status status() const;
  /// The first error, after all queues have finished.
  Status takeStatus();

  /// While an object exists, its thread is in a call of the observer of `run`.
  /// Such calls may be nested, since an observer may run another session.
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
  /// Whether the calling thread is in a call of any observer.
  static bool isObserving();

private:
  uint32_t base = 0;
  std::atomic<bool> cancelled{false};
  mutable std::mutex mutex;
  Status first;
  /// The number of queues that have not left, the number of queues inside, and
  /// a flag. Some queues write this number while other queues read `cancelled`.
  /// So it has a cache line of its own.
  alignas(64) std::atomic<uint64_t> queues{0};
};

/// Takes part in the launches, copies and fills of queues: delays them, does
/// something else in their place, or fails.
class StepHook {
public:
  virtual ~StepHook() = default;

  /// Called in place of `work`, which carries out the step. The calling thread
  /// is the one that carries out the steps of the queue. A hook that takes long
  /// must return soon after `run` is cancelled. An error ends the run; Weir
  /// adds the names of the op and the device. Thread-safe, since a device has
  /// several queues.
  virtual Status carryOut(const Step &step, const StepInfo &info,
                          const RunControl &run,
                          const std::function<Status()> &work) = 0;
};

/// A command list in flight. The submitter owns it and keeps it until
/// `onComplete` has been called.
struct Submission {
  const CommandList *list = nullptr;
  RunControl *run = nullptr;
  /// The addresses of this run. Only the queue uses them until `onComplete`.
  void **slots = nullptr;
  /// The counts of this run. The queue writes them before it calls
  /// `onComplete`.
  QueueCounters counters;
  /// The value that `RunControl::enter` has returned to the queue.
  bool hasEntered = false;
  /// Called by the queue after the last step, on any thread. The submission may
  /// be reused from then on.
  void (*onComplete)(Submission &submission) = nullptr;
  void *context = nullptr;
  /// Used by the queue: the next submission.
  Submission *next = nullptr;
};

/// One in-order queue of a device, for all models that run on it. Submissions
/// run in the order of arrival, and their steps in the order of the list.
/// Events order the steps of different queues.
class DeviceQueue {
public:
  /// Waits for all submissions.
  virtual ~DeviceQueue() = default;

  /// Takes `submission` and returns. Thread-safe. Errors go to the run of the
  /// submission.
  virtual void submit(Submission &submission) = 0;

  /// Whether `submit` always returns at once: it only notes the submission,
  /// whatever the device does, allocates nothing, and leaves `onComplete` to
  /// another thread. If not, Weir calls it on a thread of its own, for which
  /// nobody waits.
  virtual bool takesAtOnce() const { return false; }

  /// Carries out `submission` on the calling thread and returns true. If that
  /// thread cannot, or the queue is not idle, does nothing and returns false.
  /// The list must wait for no other queue.
  virtual bool runHere(Submission &submission) {
    (void)submission;
    return false;
  }

  /// Releases the team that the calling thread keeps to carry out runs itself.
  /// Called when the thread is going to wait for a run of the queue that needs
  /// a team.
  virtual void handOver() {}
};

} // namespace weir

#endif // WEIR_RUNTIME_DEVICEQUEUE_H
