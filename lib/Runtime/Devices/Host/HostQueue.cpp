//===- HostQueue.cpp - A thread that runs command lists ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "HostQueue.h"

#include "QueueTeam.h"
#include "TeamUse.h"
#include "weir/Runtime/Guarded.h"
#include "weir/Runtime/StepWalk.h"
#include "weir/Support/BlockedSignals.h"
#include "weir/Support/Trace.h"

#include <algorithm>
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
  backlog.end();
  thread.join();
}

void HostQueue::submit(Submission &submission) {
  if (submission.list && submission.list->needsTeam)
    handOver();
  backlog.add(submission);
}

void HostQueue::handOver() {
  if (options.team)
    options.team->handOver();
}

void HostQueue::drive() {
  if (options.onStart)
    startStatus = guarded("the start of a thread", options.onStart);
  const bool isReady = startStatus.isOk();
  started.notify();
  if (!isReady)
    return;
  while (Submission *submission = backlog.take(options.spinsForWork)) {
    if (submission->list)
      carryOut(*submission);
    else
      carryOut(static_cast<Call &>(*submission));
  }
}

Status HostQueue::prepareTeam() {
  if (!options.onWork)
    return Status::ok();
  return guarded("the start of a team", options.onWork)
      .withContext(options.deviceName);
}

bool HostQueue::isAlone(const CommandList &list) const {
  return list.needsTeam && options.teamUse && options.teamUse->isAlone(list);
}

Status HostQueue::prepareFor(const CommandList &list) {
  if (!list.needsTeam)
    return Status::ok();
  if (!isAlone(list))
    return prepareTeam();
  if (options.team)
    options.team->beginAlone();
  return Status::ok();
}

void HostQueue::carryOut(Submission &submission) {
  submission.hasEntered = submission.run->enter();
  if (submission.hasEntered)
    if (Status status = prepareFor(*submission.list); !status.isOk())
      submission.run->fail(std::move(status));
  walk(submission);
  // A thread that learns of the end of the run may call again at once, and has
  // to find the queue idle. So the backlog learns of the end first.
  backlog.finish();
  submission.onComplete(submission);
}

void HostQueue::carryOut(Call &call) {
  call.status = call.needsTeam ? prepareTeam() : Status::ok();
  if (call.status.isOk())
    call.status = guarded("load", *call.function);
  backlog.finish();
  call.done.notify();
}

Status HostQueue::call(const std::function<Status()> &function) {
  if (std::this_thread::get_id() == thread.get_id())
    return function();
  Call call;
  call.function = &function;
  submit(call);
  call.done.wait();
  return std::move(call.status);
}

bool HostQueue::beginTurn(const CommandList &list) {
  const QueueTeam::Turn turn =
      options.team->beginTurn(list.needsTeam && !isAlone(list));
  if (turn == QueueTeam::Turn::TakenOver)
    restFirst();
  return turn != QueueTeam::Turn::Refused;
}

void HostQueue::restFirst() {
  const std::function<Status()> rest = [this] {
    options.team->rest();
    return Status::ok();
  };
  Call call;
  call.function = &rest;
  call.needsTeam = false;
  backlog.addFirst(call);
  call.done.wait();
}

bool HostQueue::runHere(Submission &submission) {
  if (!backlog.beginTurn())
    return false;
  if (options.team && !beginTurn(*submission.list)) {
    backlog.endTurn();
    return false;
  }
  submission.hasEntered = submission.run->enter();
  walk(submission);
  if (options.team)
    options.team->endTurn();
  // A thread that has submitted a run in the meantime gets the cores.
  if (backlog.isAwaited())
    handOver();
  backlog.endTurn();
  // The queue may be destroyed when this call returns.
  submission.onComplete(submission);
  return true;
}

void HostQueue::walk(Submission &submission) {
  const CommandList &list = *submission.list;
  if (!submission.hasEntered) {
    submission.counters = {};
    return;
  }
  TeamUse *const use = list.needsTeam ? options.teamUse.get() : nullptr;
  if (use)
    use->begin(list);
  if (list.trace || list.checkNumerics || list.observer || options.hook)
    walkSteps<true>(submission);
  else
    walkSteps<false>(submission);
  if (!use)
    return;
  // A run that failed or was cancelled lacks steps, so its time says nothing.
  if (submission.run->isCancelled())
    use->end(list, std::nullopt);
  else
    use->end(list, submission.counters.busyNs);
}

void HostQueue::waitFor(const Step &step, const Submission &submission,
                        uint64_t &waitedNs) {
  const RunControl &run = *submission.run;
  const int64_t value = eventValue(step, submission.slots);
  const uint32_t wanted = run.eventBase() + static_cast<uint32_t>(value);
  if (value < 1 || step.event->hasReached(wanted))
    return;
  const uint64_t begin = monotonicNs();
  step.event->waitUnless(wanted, options.spins, run.cancelFlag());
  waitedNs += monotonicNs() - begin;
}

void HostQueue::fail(const CommandList &list, size_t at, RunControl &run,
                     Status error) {
  run.fail(guarded("an error's description", [&] {
    return std::move(error).withContext(
        describeStep(list, at, options.deviceName));
  }));
}

static Status runKernel(const Submission &submission, const Step &step) {
  return guarded("the kernel", [&] {
    return step.kernel->run(
        {submission.slots + step.slot, submission.list->workspace});
  });
}

void HostQueue::launch(const Submission &submission, size_t at) {
  const CommandList &list = *submission.list;
  Status status = runKernel(submission, list.steps[at]);
  if (!status.isOk()) [[unlikely]]
    fail(list, at, *submission.run, std::move(status));
}

void HostQueue::check(const Submission &submission, size_t at) {
  const CommandList &list = *submission.list;
  const Step &step = list.steps[at];
  if (step.kind != StepKind::Launch || submission.run->isCancelled())
    return;
  Status status = guarded("the check of results", [&] {
    return checkResults(*list.infos[at].spec, submission.slots + step.slot);
  });
  if (!status.isOk())
    fail(list, at, *submission.run, std::move(status));
}

uint64_t HostQueue::inspect(const Submission &submission, size_t at,
                            size_t &shown, uint64_t begin) {
  const CommandList &list = *submission.list;
  uint64_t end = 0;
  if (list.trace) {
    const Step &step = list.steps[at];
    const bool moves =
        step.kind == StepKind::Copy || step.kind == StepKind::Fill;
    end = monotonicNs();
    list.trace->record({list.infos[at].op, stepCategory(step), begin, end,
                        moves ? step.bytes : 0, list.infos[at].detail});
  }
  if (list.checkNumerics)
    check(submission, at);
  if (list.observer)
    showTensors(submission, at, shown);
  // The time for checking and showing is no part of the next step.
  return list.trace && (list.checkNumerics || list.observer) ? monotonicNs()
                                                             : end;
}

/// Carries out a copy or a fill.
static void moveBytes(const Step &step, void **slots, QueueCounters &counters) {
  if (step.kind == StepKind::Fill) {
    if (step.bytes)
      std::memset(slots[step.slot], 0, step.bytes);
    return;
  }
  // A value passes between devices that share memory without a copy.
  if (step.bytes)
    std::memmove(slots[step.slot + 1], slots[step.slot], step.bytes);
  counters.crossings += step.crossing;
  counters.bytesCrossed += step.crossing ? step.bytes : 0;
}

void HostQueue::hook(const Submission &submission, size_t at,
                     QueueCounters &counters) {
  const CommandList &list = *submission.list;
  const Step &step = list.steps[at];
  counters.launches += step.kind == StepKind::Launch;
  Status status = guarded("the hook of a step", [&] {
    return options.hook->carryOut(step, list.infos[at], *submission.run,
                                  [&]() -> Status {
                                    if (step.kind == StepKind::Launch)
                                      return runKernel(submission, step);
                                    moveBytes(step, submission.slots, counters);
                                    return Status::ok();
                                  });
  });
  if (!status.isOk())
    fail(list, at, *submission.run, std::move(status));
}

/// Whether `step` does work, and not only orders other steps.
static bool isWork(const Step &step) {
  return step.kind == StepKind::Launch || step.kind == StepKind::Copy ||
         step.kind == StepKind::Fill;
}

template <bool Observed> void HostQueue::walkSteps(Submission &submission) {
  const CommandList &list = *submission.list;
  RunControl &run = *submission.run;
  QueueCounters counters;
  uint64_t waitedNs = 0;
  const uint64_t begin = monotonicNs();
  [[maybe_unused]] uint64_t stepBegin = begin;
  [[maybe_unused]] size_t shown = 0;
  for (size_t at = 0, end = list.steps.size(); at != end && !run.isCancelled();
       ++at) {
    const Step &step = list.steps[at];
    if (step.writesVariable)
      counters.variableSteps = std::max(counters.variableSteps, at + 1);
    if (Observed && options.hook && isWork(step)) {
      hook(submission, at, counters);
    } else if (step.kind == StepKind::Launch) {
      launch(submission, at);
      ++counters.launches;
    } else if (step.kind == StepKind::Record) {
      step.event->signal(run.eventBase() + static_cast<uint32_t>(eventValue(
                                               step, submission.slots)));
    } else if (step.kind == StepKind::Wait) {
      waitFor(step, submission, waitedNs);
    } else if (step.kind == StepKind::Repeat) {
      at = nextTrip(*step.repeat, submission.slots, at);
      if constexpr (Observed)
        shown = firstTensorFrom(list, at + 1);
      continue;
    } else {
      moveBytes(step, submission.slots, counters);
    }
    if constexpr (Observed)
      stepBegin = inspect(submission, at, shown, stepBegin);
  }
  counters.busyNs = monotonicNs() - begin - waitedNs;
  submission.counters = counters;
}
