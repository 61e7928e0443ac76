//===- Admission.h - Lets runs begin in order -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_RUNNING_ADMISSION_H
#define WEIR_LIB_RUNTIME_RUNNING_ADMISSION_H

#include "../CoreTurns.h"
#include "DeadlineWatch.h"
#include "Frame.h"
#include "weir/Runtime/RunOptions.h"
#include "weir/Runtime/SessionStats.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>

namespace weir {

/// The counts of a session's runs.
struct RunCounts {
  /// One per device, of the latest completed run.
  std::vector<DeviceCounts> devices;
  /// The number of runs that succeeded, and the number of runs that failed or
  /// were stopped.
  uint64_t runs = 0;
  uint64_t failedRuns = 0;
};

/// A run for which somebody waits, or an access to variables from outside of
/// runs, which has no plan. It belongs to the caller until `onDone`.
struct RunRequest {
  const Plan *plan = nullptr;
  std::span<const ConstTensorView> inputs;
  std::span<const TensorView> outputs;
  /// The uses of classes of variables. A request with a plan has the uses of
  /// the plan.
  std::span<const ClassUse> uses;
  /// Called once, on any thread. It may destroy the request. An access may
  /// begin if the status is ok, and ends with `Admission::endAccess`.
  void (*onDone)(RunRequest &request, Status status) = nullptr;
  /// The options by which it may end early, or null.
  const RunOptions *options = nullptr;
  /// Whether nobody waits for `onDone`, so that `Admission::stop` has to.
  bool isDetached = false;

private:
  friend class Admission;
  RunRequest *next = nullptr;
  RunRequest *previous = nullptr;
  /// The frame of the run while it is in flight.
  Frame *frame = nullptr;
  /// The number of the request; not 0 if it may end early.
  uint64_t id = 0;
  std::optional<CancelToken> token;
  std::optional<DeadlineWatch::Time> deadline;
  Status outcome;
};

/// Begins runs and accesses to variables in the order in which they were
/// requested, each when
///
/// - a frame is free for it, if it is a run;
/// - no run or access is under way that writes variables which it uses, or uses
///   variables which it writes;
/// - it is the turn of the devices, if it is a run.
///
/// A run enters all its queues while others wait. So all queues have the same
/// order of runs, and no two runs wait for each other. The thread that ends a
/// run begins the next ones, so this class needs no thread. It allocates
/// nothing for a run without options, unless the run waits for its turn.
class Admission final : public TurnTaker,
                        public std::enable_shared_from_this<Admission> {
public:
  static constexpr std::chrono::seconds usualPatience{30};

  /// `patience` is how long `stop` waits for devices that have not begun the
  /// runs which it has cancelled.
  explicit Admission(LoadedModel &model,
                     std::chrono::milliseconds patience = usualPatience);

  /// Queues `request`, whose buffers have been checked.
  void enqueue(RunRequest &request);
  /// Executes the run on the calling thread, if it may. Returns true and writes
  /// `outcome` if it did, and does not call `onDone`. Otherwise queues the
  /// request like `enqueue` and returns false. The thread may execute the run
  /// if no other run is before it and a single queue does all of it. If several
  /// runs may be in flight, no kernel may need a team. There must also be no
  /// devices that take turns with the run's devices.
  bool runHere(RunRequest &request, Status &outcome);
  /// Ends an access. If `isWhole`, the variables of `written` have a value now.
  /// Otherwise they have none.
  void endAccess(const RunRequest &request, std::span<const size_t> written,
                 bool isWhole);
  /// Returns an error if the variable has no value. The access must have begun.
  Status checkVariable(size_t index) const;

  /// Cancels request `id` if it has not ended.
  void cancel(uint64_t id, const Status &reason);
  /// Cancels request `id` if it has not ended, since its deadline has passed.
  void passDeadline(uint64_t id);
  /// Cancels all requests, and returns when no run is in flight and all calls
  /// for detached requests have returned. If an observer of such a run or a
  /// callback of any session calls it, it does not wait. Nor does it wait for
  /// ever for devices that have not begun a run: they may never do so, and the
  /// run's caller has been told of its end.
  void stop();
  /// Whether no run is in flight and all calls have returned.
  bool isIdle() const;
  /// Returns when no run is in flight and all calls have returned.
  void awaitIdle();
  /// Whether the calling thread is in a call of the observer of a run. It must
  /// not wait for another run.
  bool isObservedHere() const;
  RunCounts counts() const;
  void takeTurn() override;

  /// Called by a frame when all queues have left the run, or when none will
  /// touch it any more.
  void runEnded(Frame &frame);
  void runAbandoned(Frame &frame);

private:
  /// The present use of a class of variables.
  struct ClassState {
    size_t numReaders = 0;
    bool hasWriter = false;
  };
  enum class Turn { NotNeeded, Taken, Awaited };
  /// Holds the mutex. Once it is free, calls back for the requests that have
  /// ended, in order.
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
    bool hasDetached = false;
  };

  void append(RunRequest &request);
  void unlink(RunRequest &request);
  void beginAll(Section &section);
  void begin(RunRequest &request);
  bool mayUse(std::span<const ClassUse> uses) const;
  Turn requestTurn();
  void use(std::span<const ClassUse> uses);
  void leave(std::span<const ClassUse> uses);
  Status watch(RunRequest &request);
  void forget(RunRequest &request);
  RunRequest *takeRequest(Frame &frame);
  bool hasEnded() const { return numActive == 0 && numCalling == 0; }
  bool hasAbandonedAll() const;

  LoadedModel &model;
  CoreTurns::Member *const turns;
  const std::chrono::milliseconds patience;
  mutable std::mutex mutex;
  std::condition_variable idle;
  std::vector<std::unique_ptr<Frame>> frames;
  Frame *freeFrame = nullptr;
  RunRequest *head = nullptr;
  RunRequest *tail = nullptr;
  std::vector<ClassState> classes;
  /// For each plan, the base of its next run.
  std::vector<uint32_t> bases;
  /// Runs and accesses under way.
  size_t numActive = 0;
  /// Threads that call back for detached requests.
  size_t numCalling = 0;
  bool isStopped = false;
  /// Whether a stop has ended while devices had not begun all runs.
  bool hasGivenUp = false;
  /// Whether `takeTurn` will be called.
  bool awaitsTurn = false;
  RunCounts runCounts;
  /// Requests that may end early, by number.
  std::map<uint64_t, RunRequest *> watched;
  uint64_t lastId = 0;
  /// Null before the first deadline.
  std::shared_ptr<DeadlineWatch> deadlines;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_RUNNING_ADMISSION_H
