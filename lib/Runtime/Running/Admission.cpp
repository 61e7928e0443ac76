//===- Admission.cpp - Lets runs begin in order -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Admission.h"

#include "CancelToken.h"
#include "UserCall.h"
#include "weir/Runtime/Guarded.h"

#include <algorithm>
#include <utility>

using namespace weir;

/// The status of a run that ends early, with `text`, a literal.
static Status cancelledFor(const char *text) {
  return guarded("stop", [&] { return Status(StatusCode::Cancelled, text); });
}

static Status stopped() {
  return cancelledFor("the session was stopped; load it again to run it");
}

static Status deadlinePassed() {
  return cancelledFor("the deadline of the run has passed; give it more time");
}

Admission::Admission(LoadedModel &model, std::chrono::milliseconds patience)
    : model(model), turns(model.devices.turns()), patience(patience),
      classes(model.variables.numClasses()), bases(model.plans().size()) {
  runCounts.devices.resize(model.devices.size());
  for (size_t i = 0; i < model.chosen.numFrames; ++i) {
    frames.push_back(std::make_unique<Frame>(model, i, *this));
    frames.back()->next = std::exchange(freeFrame, frames.back().get());
  }
}

void Admission::Section::end(RunRequest &request, Status outcome) {
  request.outcome = std::move(outcome);
  request.next = nullptr;
  *last = &request;
  last = &request.next;
  hasDetached |= request.isDetached;
}

/// Without detached requests, the admission may be gone when a call returns.
Admission::Section::~Section() {
  if (hasDetached)
    ++admission.numCalling;
  lock.unlock();
  for (RunRequest *request = first; request;) {
    // The call may destroy the request.
    RunRequest *next = request->next;
    request->onDone(*request, std::move(request->outcome));
    request = next;
  }
  if (!hasDetached)
    return;
  lock.lock();
  if (--admission.numCalling == 0)
    admission.idle.notify_all();
}

void Admission::append(RunRequest &request) {
  request.next = nullptr;
  request.previous = tail;
  (tail ? tail->next : head) = &request;
  tail = &request;
}

void Admission::unlink(RunRequest &request) {
  (request.previous ? request.previous->next : head) = request.next;
  (request.next ? request.next->previous : tail) = request.previous;
}

bool Admission::mayUse(std::span<const ClassUse> uses) const {
  for (const ClassUse &use : uses)
    if (classes[use.variableClass].hasWriter ||
        (use.writes && classes[use.variableClass].numReaders > 0))
      return false;
  return true;
}

void Admission::use(std::span<const ClassUse> uses) {
  for (const ClassUse &use : uses)
    if (use.writes)
      classes[use.variableClass].hasWriter = true;
    else
      ++classes[use.variableClass].numReaders;
}

void Admission::leave(std::span<const ClassUse> uses) {
  for (const ClassUse &use : uses)
    if (use.writes)
      classes[use.variableClass].hasWriter = false;
    else
      --classes[use.variableClass].numReaders;
}

/// Asks for the turn of a run's devices. The mutex must be held.
Admission::Turn Admission::requestTurn() {
  if (!turns || turns->isAlone())
    return Turn::NotNeeded;
  if (awaitsTurn)
    return Turn::Awaited;
  try {
    awaitsTurn = !turns->begin(shared_from_this());
  } catch (const std::bad_alloc &) {
    // Turns save time, and the run is right without them.
    return Turn::NotNeeded;
  }
  return awaitsTurn ? Turn::Awaited : Turn::Taken;
}

/// Lets the options of `request` end it early.
Status Admission::watch(RunRequest &request) {
  const RunOptions &options = *request.options;
  if (options.deadline && *options.deadline <= std::chrono::steady_clock::now())
    return deadlinePassed();
  request.id = ++lastId;
  request.token = options.cancelToken;
  watched.emplace(request.id, &request);
  if (request.token &&
      !request.token->state->add(shared_from_this(), request.id))
    return CancelToken::State::reason();
  if (!options.deadline)
    return Status::ok();
  if (!deadlines) {
    WEIR_ASSIGN_OR_RETURN(deadlines, DeadlineWatch::ofProcess());
  }
  request.deadline = options.deadline;
  deadlines->add(*request.deadline, shared_from_this(), request.id);
  return Status::ok();
}

void Admission::forget(RunRequest &request) {
  if (request.id == 0)
    return;
  watched.erase(request.id);
  if (request.token)
    request.token->state->remove(*this, request.id);
  if (request.deadline)
    deadlines->remove(*request.deadline, *this, request.id);
}

/// Takes a frame for a run at the head of the line. The mutex must be held.
void Admission::begin(RunRequest &request) {
  Frame &frame = *std::exchange(freeFrame, freeFrame->next);
  const Plan &plan = *request.plan;
  frame.request = &request;
  request.frame = &frame;
  uint32_t &base = bases[plan.index];
  frame.begin(plan, request.inputs, request.outputs, base);
  base += plan.largestValue;
}

/// Begins the requests at the head of the line, in order, up to the first one
/// that has to wait. Looks first for a frame and for the use of the variables,
/// and then whether these have values. The turn of the devices is asked for
/// last: `CoreTurns::end` must follow a turn that was taken, so nothing may
/// then keep the run from its begin.
void Admission::beginAll(Section &section) {
  while (head) {
    RunRequest &request = *head;
    if ((request.plan && !freeFrame) || !mayUse(request.uses))
      return;
    Status status;
    if (request.plan && model.variables.hasInvalid())
      status = guarded("run", [&] {
        return model.variables.checkValid(request.plan->readVariables);
      });
    const bool isRun = request.plan && status.isOk();
    const Turn turn = isRun ? requestTurn() : Turn::NotNeeded;
    if (turn == Turn::Awaited)
      return;
    unlink(request);
    if (status.isOk()) {
      ++numActive;
      use(request.uses);
    }
    if (isRun) {
      begin(request);
      request.frame->takesTurn = turn == Turn::Taken;
      request.frame->submit();
      continue;
    }
    forget(request);
    section.end(request, std::move(status));
  }
}

void Admission::enqueue(RunRequest &request) {
  Section section(*this);
  Status status;
  if (isStopped)
    status = stopped();
  else if (request.options)
    status = guarded("run", [&] { return watch(request); });
  if (status.isOk()) {
    append(request);
    beginAll(section);
  } else {
    forget(request);
    section.end(request, std::move(status));
  }
}

/// Whether callers may execute runs of `plan`. If several runs may be in
/// flight, the driver has the next one at hand, and its team keeps the cores:
/// another team, even one that has nothing to do, would make all threads sleep
/// between kernels.
static bool mayRunOnCallers(const Plan &plan, size_t numFrames) {
  return plan.programs.size() == 1 &&
         (numFrames == 1 || !plan.programs[0].list.needsTeam);
}

bool Admission::runHere(RunRequest &request, Status &outcome) {
  Frame *frame = nullptr;
  if (!request.options &&
      mayRunOnCallers(*request.plan, model.chosen.numFrames) &&
      (!turns || turns->isAlone())) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!isStopped && !head && freeFrame && mayUse(request.uses) &&
        !model.variables.hasInvalid()) {
      ++numActive;
      use(request.uses);
      begin(request);
      frame = request.frame;
      frame->here = &outcome;
    }
  }
  if (!frame) {
    for (const PlanProgram &program : request.plan->programs)
      if (program.list.needsTeam)
        program.queue->handOver();
    enqueue(request);
    return false;
  }
  if (frame->runHere())
    return true;
  {
    Section section(*this);
    frame->here = nullptr;
    frame->submit();
    // A stop that came before has left it to this caller.
    const RunControl &control = frame->control();
    if (!control.hasEnded() && control.isAbandoned())
      if (RunRequest *abandoned = takeRequest(*frame))
        section.end(*abandoned, control.status());
  }
  return false;
}

/// Takes the request from a run whose outcome is known, or null if somebody has
/// done so. The mutex must be held.
RunRequest *Admission::takeRequest(Frame &frame) {
  RunRequest *request = std::exchange(frame.request, nullptr);
  if (!request)
    return nullptr;
  forget(*request);
  ++(frame.control().isCancelled() ? runCounts.failedRuns : runCounts.runs);
  return request;
}

void Admission::takeTurn() {
  Section section(*this);
  awaitsTurn = false;
  beginAll(section);
}

void Admission::runEnded(Frame &frame) {
  bool tookTurn = false;
  {
    Section section(*this);
    Status status = frame.finish(runCounts.devices);
    if (frame.control().isCancelled())
      frame.forEachWritten([&](uint32_t variable) {
        model.variables.setValid(variable, false);
      });
    leave(frame.plan().classes);
    tookTurn = std::exchange(frame.takesTurn, false);
    RunRequest *request = takeRequest(frame);
    if (Status *here = std::exchange(frame.here, nullptr))
      *here = std::move(status);
    else if (request)
      section.end(*request, std::move(status));
    frame.next = std::exchange(freeFrame, &frame);
    beginAll(section);
    if (--numActive == 0)
      idle.notify_all();
  }
  // Whoever waited for the run may have destroyed the session.
  if (tookTurn)
    CoreTurns::ofProcess().end();
}

void Admission::runAbandoned(Frame &frame) {
  Section section(*this);
  // The caller that executes the run learns of it when it returns.
  if (frame.here)
    return;
  if (RunRequest *request = takeRequest(frame))
    section.end(*request, frame.control().status());
}

void Admission::endAccess(const RunRequest &request,
                          std::span<const size_t> written, bool isWhole) {
  Section section(*this);
  for (size_t variable : written)
    model.variables.setValid(variable, isWhole);
  leave(request.uses);
  beginAll(section);
  if (--numActive == 0)
    idle.notify_all();
}

Status Admission::checkVariable(size_t index) const {
  std::lock_guard<std::mutex> lock(mutex);
  return model.variables.checkValid(index);
}

void Admission::cancel(uint64_t id, const Status &reason) {
  Section section(*this);
  const auto at = watched.find(id);
  if (at == watched.end())
    return;
  RunRequest &request = *at->second;
  if (Frame *frame = request.frame) {
    if (frame->control().hasEnded())
      return;
    frame->cancel(reason);
    if (!frame->control().isAbandoned())
      return;
    takeRequest(*frame);
    // The run may have failed before.
    section.end(request, frame->control().status());
  } else {
    unlink(request);
    forget(request);
    beginAll(section);
    section.end(request, reason);
  }
}

void Admission::passDeadline(uint64_t id) { cancel(id, deadlinePassed()); }

void Admission::stop() {
  // A callback may destroy the session.
  const std::shared_ptr<Admission> self = shared_from_this();
  {
    Section section(*this);
    isStopped = true;
    while (head) {
      RunRequest &request = *head;
      unlink(request);
      forget(request);
      section.end(request, stopped());
    }
    for (const std::unique_ptr<Frame> &frame : frames) {
      if (!frame->request || frame->control().hasEnded())
        continue;
      frame->cancel(stopped());
      // The caller that executes the run learns of it when it returns.
      if (frame->here || !frame->control().isAbandoned())
        continue;
      RunRequest *request = takeRequest(*frame);
      section.end(*request, frame->control().status());
    }
  }
  // The run that an observer or a callback stops ends after it.
  if (isObservedHere() || UserCall::isHere())
    return;
  std::unique_lock<std::mutex> lock(mutex);
  while (!(hasGivenUp && hasAbandonedAll()) &&
         !idle.wait_for(lock, patience, [&] { return hasEnded(); }))
    hasGivenUp = hasAbandonedAll();
}

/// Whether all requests under way are runs that no queue is inside of and that
/// none will enter. The mutex must be held.
bool Admission::hasAbandonedAll() const {
  const auto isAbandoned = [](const std::unique_ptr<Frame> &frame) {
    return !frame->control().hasEnded() && frame->control().isAbandoned();
  };
  return numCalling == 0 && std::ranges::count_if(frames, isAbandoned) ==
                                static_cast<std::ptrdiff_t>(numActive);
}

bool Admission::isIdle() const {
  const std::lock_guard<std::mutex> lock(mutex);
  return hasEnded();
}

void Admission::awaitIdle() {
  std::unique_lock<std::mutex> lock(mutex);
  idle.wait(lock, [&] { return hasEnded(); });
}

bool Admission::isObservedHere() const {
  for (const std::unique_ptr<Frame> &frame : frames)
    if (frame->control().isObservedHere())
      return true;
  return false;
}

RunCounts Admission::counts() const {
  std::lock_guard<std::mutex> lock(mutex);
  return runCounts;
}
