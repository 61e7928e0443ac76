//===- Admission.h - Lets runs begin in order -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_RUNNING_ADMISSION_H
#define WEIR_LIB_RUNTIME_RUNNING_ADMISSION_H

#include "Callbacks.h"
#include "Frame.h"
#include "RunRequest.h"
#include "RunResources.h"
#include "SharedThread.h"
#include "weir/Runtime/SessionStats.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>

namespace weir {

/// The counts of a session's runs.
struct RunCounts {
  /// The counts of each device in the latest completed run.
  std::vector<DeviceCounts> devices;
  /// The number of runs that succeeded, and the number of runs that failed or
  /// were stopped.
  uint64_t runs = 0;
  uint64_t failedRuns = 0;
};

/// Begins runs and accesses to variables in the order in which they were
/// requested, each when all `Resources` are free for it.
///
/// A run enters all its queues while other runs wait. So all queues have the
/// same order of runs, and no two runs wait for each other. The thread that
/// ends a run begins the next runs, so this class needs no thread. It allocates
/// nothing for a run without options, unless the run waits for its turn.
class Admission final : public TurnTaker,
                        public std::enable_shared_from_this<Admission> {
public:
  static constexpr std::chrono::seconds usualPatience{30};

  /// The time for which `stop` waits for devices that have not begun runs which
  /// it has cancelled.
  explicit Admission(LoadedModel &model,
                     std::chrono::milliseconds patience = usualPatience);

  /// Queues `request`, whose buffers have been checked.
  void enqueue(RunRequest &request);
  /// Ends `request`, which has not been queued, with `reason`.
  void refuse(RunRequest &request, Status reason);
  /// Executes the run on the calling thread, if that is possible. If so, writes
  /// `outcome`, returns true, and does not call `onDone`. Otherwise queues the
  /// request like `enqueue` and returns false. It is possible if all of this
  /// holds:
  /// - no other run is before this run,
  /// - a single queue does all of it,
  /// - no kernel needs a team, if several runs may be in flight,
  /// - no other devices take turns with the run's devices.
  bool runHere(RunRequest &request, Status &outcome);
  /// Ends an access. If `isWhole`, the variables of `written` have a value now.
  /// Otherwise they have no value.
  void endAccess(RunRequest &request, std::span<const size_t> written,
                 bool isWhole);
  /// Called at the end of a detached request, when all calls for it have
  /// returned.
  void callReturned();
  /// The queue of the thread that makes the callbacks of all sessions. It
  /// exists as long as the admission.
  StatusOr<Callbacks *> callbackQueue();
  /// Returns an error if variable `index` has no value. The access must have
  /// begun.
  Status checkVariable(size_t index) const;

  /// Cancels request `id` if it has not ended.
  void cancel(uint64_t id, const Status &reason);
  /// Cancels request `id` if it has not ended, since its deadline has passed.
  void passDeadline(uint64_t id);
  /// Cancels all requests, and returns when no run is in flight and all calls
  /// for detached requests have returned. Does not wait if an observer of such
  /// a run, or a callback of any session, calls this. Waits for `patience` at
  /// most for devices that have not begun a run. They may never begin it, and
  /// the caller of the run already knows of its end.
  void stop();
  /// Whether no run is in flight and all calls have returned.
  bool isIdle() const;
  /// Returns when no run is in flight and all calls have returned.
  void awaitIdle();
  /// Whether the calling thread is in a call of the observer of a run. That
  /// call must not wait for another run.
  bool isObservedHere() const;
  RunCounts counts() const;
  void takeTurn() override;

  /// Called by a frame when all queues have left the run, or when no queue will
  /// touch the run any more.
  void runEnded(Frame &frame);
  void runAbandoned(Frame &frame);

private:
  /// Holds the mutex. After it has released the mutex, calls back for the
  /// requests that have ended, in order, and ends the turns that were given
  /// back.
  class Section {
  public:
    explicit Section(Admission &admission)
        : admission(admission), lock(admission.mutex) {}
    ~Section();
    Section(const Section &) = delete;
    Section &operator=(const Section &) = delete;

    void end(RunRequest &request, Status outcome);

  private:
    Admission &admission;
    std::unique_lock<std::mutex> lock;
    RunRequest *first = nullptr;
    RunRequest **last = &first;
  };

  void beginAll(Section &section);
  void begin(RunRequest &request);
  void end(Claim &claim, Section &section);
  Status watch(RunRequest &request);
  void forget(RunRequest &request);
  RunRequest *takeRequest(Frame &frame);
  bool hasEnded() const { return numActive == 0 && numCalling == 0; }
  bool hasAbandonedAll() const;

  LoadedModel &model;
  const std::chrono::milliseconds patience;
  mutable std::mutex mutex;
  std::condition_variable idle;
  RequestLine line;
  Resources resources;
  /// For each plan, the base of its next run.
  std::vector<uint32_t> bases;
  /// The number of runs and accesses under way.
  size_t numActive = 0;
  /// The number of detached requests that have ended, but whose calls have not
  /// returned.
  size_t numCalling = 0;
  bool isStopped = false;
  /// Whether a stop has ended while devices had not begun all runs.
  bool hasGivenUp = false;
  RunCounts runCounts;
  /// Requests that may end early, by number.
  std::map<uint64_t, RunRequest *> watched;
  uint64_t lastId = 0;
  /// Null before the first callback.
  std::shared_ptr<SharedThread<Callbacks>> callbacks;
  /// Null before the first deadline.
  std::shared_ptr<SharedThread<DeadlineWatch>> deadlines;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_RUNNING_ADMISSION_H
