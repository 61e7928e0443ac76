//===- HostQueue.cpp - A thread that runs command lists ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "HostQueue.h"

#include "../../Guarded.h"
#include "BlockedSignals.h"
#include "NumericCheck.h"
#include "weir/Runtime/LaunchText.h"
#include "weir/Support/Trace.h"

#include <cstring>
#include <fmt/format.h>
#include <system_error>

using namespace weir;

StatusOr<std::unique_ptr<HostQueue>>
HostQueue::create(HostQueueOptions options) {
  std::unique_ptr<HostQueue> queue(new HostQueue(std::move(options)));
  try {
    const BlockedSignals blocked;
    queue->thread = std::thread([self = queue.get()] { self->drive(); });
  } catch (const std::system_error &error) {
    return resourceExhausted(fmt::format(
        "cannot start a thread for {}: {}; raise the limits of the process",
        queue->options.deviceName, error.code().message()));
  }
  queue->started.wait();
  if (!queue->startStatus.isOk())
    return std::move(queue->startStatus).withContext(queue->options.deviceName);
  return queue;
}

HostQueue::~HostQueue() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    work.signal(++numSubmitted);
  }
  thread.join();
}

void HostQueue::submit(Submission &submission) {
  if (options.callers && submission.list->needsTeam)
    options.callers->handOver();
  {
    std::lock_guard<std::mutex> lock(mutex);
    submission.next = nullptr;
    (tail ? tail->next : head) = &submission;
    tail = &submission;
    work.advance(++numSubmitted);
  }
  // The woken thread needs the mutex immediately.
  work.wake();
}

Submission *HostQueue::take() {
  std::lock_guard<std::mutex> lock(mutex);
  Submission *taken = head;
  if (taken)
    head = taken->next;
  if (!head)
    tail = nullptr;
  return taken;
}

void HostQueue::drive() {
  if (options.onStart)
    startStatus = guarded("the start of a thread", options.onStart);
  const bool isReady = startStatus.isOk();
  started.notify();
  if (!isReady)
    return;
  for (uint32_t next = 1;; ++next) {
    work.wait(next, options.spinsForWork);
    Submission *submission = take();
    if (!submission)
      return;
    if (options.onWork && submission->list->needsTeam) {
      Status status = guarded("the start of a team", options.onWork);
      if (!status.isOk())
        submission->run->fail(
            std::move(status).withContext(options.deviceName));
    }
    walk(*submission);
    submission->onComplete(submission->context);
  }
}

Status HostQueue::call(const std::function<Status()> &function) {
  if (std::this_thread::get_id() == thread.get_id())
    return function();
  struct Call {
    const std::function<Status()> &function;
    Status status;
    Completion done;
  } call{function, {}, {}};
  const CommandList nothing;
  RunControl run;
  Submission submission;
  submission.list = &nothing;
  submission.run = &run;
  submission.context = &call;
  submission.onComplete = [](void *context) {
    auto &call = *static_cast<Call *>(context);
    call.status = guarded("load", call.function);
    call.done.notify();
  };
  submit(submission);
  call.done.wait();
  return std::move(call.status);
}

bool HostQueue::runHere(Submission &submission) {
  CallerTurn *turn = options.callers.get();
  if (turn && !turn->begin(submission.list->needsTeam))
    return false;
  if (turn && turn->hasTakenOver() && options.onRest)
    (void)call(options.onRest);
  walk(submission);
  if (turn)
    turn->end();
  // The queue may be destroyed when this returns.
  submission.onComplete(submission.context);
  return true;
}

void HostQueue::walk(Submission &submission) {
  const CommandList &list = *submission.list;
  if (list.trace || list.checkNumerics || list.observer)
    walkSteps<true>(submission);
  else
    walkSteps<false>(submission);
}

void HostQueue::waitFor(const Step &step, RunControl &run, uint64_t &waitedNs) {
  if (step.event->hasReached(run.epoch()))
    return;
  const uint64_t begin = monotonicNs();
  step.event->wait(run.epoch(), options.spins);
  waitedNs += monotonicNs() - begin;
}

void HostQueue::fail(const CommandList &list, size_t at, RunControl &run,
                     Status error) {
  run.fail(guarded("an error's description", [&] {
    return std::move(error).withContext(
        describeLaunch(list.infos[at], options.deviceName));
  }));
}

void HostQueue::launch(const CommandList &list, size_t at, RunControl &run) {
  const Step &step = list.steps[at];
  Status status = guarded("the kernel", [&] {
    return step.kernel->run({step.slots, list.workspace});
  });
  if (!status.isOk()) [[unlikely]]
    fail(list, at, run, std::move(status));
}

void HostQueue::check(const CommandList &list, size_t at, RunControl &run) {
  const Step &step = list.steps[at];
  if (step.kind != StepKind::Launch || run.isCancelled())
    return;
  Status status = guarded("the check of results", [&] {
    return checkResults(*list.infos[at].spec, step.slots);
  });
  if (!status.isOk())
    fail(list, at, run, std::move(status));
}

/// Passes the tensors that step `at` has completed to the observer. `shown` is
/// the number of tensors that were passed before.
static void showTensors(const CommandList &list, size_t at, size_t &shown,
                        RunControl &run) {
  for (; shown < list.tensors.size() && list.tensors[shown].step == at;
       ++shown) {
    const StepTensor &tensor = list.tensors[shown];
    if (run.isCancelled())
      continue;
    const RunControl::Observation call(run);
    Status status = guarded("the observer of tensors", [&] {
      return list.observer->observe(tensor.tensor, *tensor.slot);
    });
    if (!status.isOk())
      run.fail(std::move(status));
  }
}

/// The category of a step in traces.
static std::string_view category(const Step &step) {
  switch (step.kind) {
  case StepKind::Launch:
    return "launch";
  case StepKind::Copy:
    return step.crossing ? "crossing" : "copy";
  case StepKind::Fill:
    return "fill";
  case StepKind::Record:
    return "record";
  case StepKind::Wait:
    return "wait";
  }
  return {};
}

uint64_t HostQueue::inspect(const CommandList &list, size_t at, size_t &shown,
                            uint64_t begin, RunControl &run) {
  uint64_t end = 0;
  if (list.trace) {
    const Step &step = list.steps[at];
    end = monotonicNs();
    list.trace->record({list.infos[at].op, category(step), begin, end,
                        step.bytes, list.infos[at].detail});
  }
  if (list.checkNumerics)
    check(list, at, run);
  if (list.observer)
    showTensors(list, at, shown, run);
  // What was checked and shown is not part of the next step.
  return list.trace && (list.checkNumerics || list.observer) ? monotonicNs()
                                                             : end;
}

template <bool Observed> void HostQueue::walkSteps(Submission &submission) {
  const CommandList &list = *submission.list;
  RunControl &run = *submission.run;
  QueueCounters counters;
  uint64_t waitedNs = 0;
  const uint64_t begin = monotonicNs();
  [[maybe_unused]] uint64_t stepBegin = begin;
  [[maybe_unused]] size_t shown = 0;
  for (size_t at = 0, end = list.steps.size(); at != end; ++at) {
    const Step &step = list.steps[at];
    if (step.kind == StepKind::Record) {
      step.event->signal(run.epoch());
    } else if (step.kind == StepKind::Wait) {
      waitFor(step, run, waitedNs);
    } else if (run.isCancelled()) {
      continue;
    } else if (step.kind == StepKind::Launch) {
      launch(list, at, run);
      ++counters.launches;
    } else if (step.kind == StepKind::Copy) {
      // Devices that share memory pass a value on without a copy.
      if (step.bytes)
        std::memmove(step.slots[1], step.slots[0], step.bytes);
      counters.crossings += step.crossing;
      counters.bytesCrossed += step.crossing ? step.bytes : 0;
    } else if (step.bytes) {
      std::memset(step.slots[0], 0, step.bytes);
    }
    if constexpr (Observed)
      stepBegin = inspect(list, at, shown, stepBegin, run);
  }
  counters.busyNs = monotonicNs() - begin - waitedNs;
  submission.counters = counters;
}
