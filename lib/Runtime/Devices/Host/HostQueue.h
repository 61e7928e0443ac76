//===- HostQueue.h - A thread that runs command lists -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Used by all device kinds whose kernels run on threads of this process.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_HOST_HOSTQUEUE_H
#define WEIR_LIB_RUNTIME_DEVICES_HOST_HOSTQUEUE_H

#include "weir/Runtime/Backlog.h"
#include "weir/Runtime/DeviceQueue.h"
#include "weir/Runtime/Event.h"
#include "weir/Runtime/HostDevice.h"
#include "weir/Support/Status.h"

#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace weir {

class HostQueue final : public DeviceQueue {
public:
  /// Starts the thread, and returns when it is ready.
  static StatusOr<std::unique_ptr<HostQueue>> create(HostQueueOptions options);
  ~HostQueue() override;

  void submit(Submission &submission) override;
  bool takesAtOnce() const override { return true; }
  bool runHere(Submission &submission) override;
  void handOver() override;

  /// Calls `function` on the queue's thread after all earlier submissions, and
  /// returns its result. The queue's thread itself may call this.
  Status call(const std::function<Status()> &function);

private:
  explicit HostQueue(HostQueueOptions options) : options(std::move(options)) {}

  /// A submission without a list: a function to call.
  struct Call : Submission {
    const std::function<Status()> *function = nullptr;
    bool needsTeam = true;
    Status status;
    Completion done;
  };
  void drive();
  /// Makes the thread ready for work that needs its team.
  Status prepareTeam();
  Status prepareFor(const CommandList &list);
  /// Whether the next run of `list` needs a team but does without it.
  bool isAlone(const CommandList &list) const;
  void carryOut(Submission &submission);
  void carryOut(Call &call);
  /// Asks the team for a turn of the calling thread to carry out `list`.
  /// Returns false if the team refuses.
  bool beginTurn(const CommandList &list);
  /// Ends the team of the queue's thread, and waits for that. Called by the
  /// thread whose turn it is.
  void restFirst();
  void walk(Submission &submission);
  template <bool Observed> void walkSteps(Submission &submission);
  void launch(const Submission &submission, size_t at);
  /// Lets the hook carry out step `at`.
  void hook(const Submission &submission, size_t at, QueueCounters &counters);
  /// Fails the run if the launch `at` has a NaN or infinity in its results.
  void check(const Submission &submission, size_t at);
  /// Records step `at`, which began at the time `begin`, and then checks and
  /// shows its results. Returns the time at which the next step begins, or 0
  /// without a trace. `shown` is the number of tensors that were shown before.
  uint64_t inspect(const Submission &submission, size_t at, size_t &shown,
                   uint64_t begin);
  void waitFor(const Step &step, const Submission &submission,
               uint64_t &waitedNs);
  void fail(const CommandList &list, size_t at, RunControl &run, Status error);

  HostQueueOptions options;
  Completion started;
  Status startStatus;
  Backlog backlog;
  std::thread thread;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_HOST_HOSTQUEUE_H
