//===- Admission.cpp - Lets runs begin in order -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Admission.h"

#include "CancelToken.h"
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
    : model(model), patience(patience), resources(model, *this),
      bases(model.plans().size()) {
  runCounts.devices.resize(model.devices.size());
}

void Admission::Section::end(RunRequest &request, Status outcome) {
  request.outcome = std::move(outcome);
  request.next = nullptr;
  *last = &request;
  last = &request.next;
  admission.numCalling += request.isDetached;
}

/// Calls all requests back after the mutex was released. A call may destroy the
/// admission.
Admission::Section::~Section() {
  size_t numTurns = admission.resources.turns.takeEnded();
  lock.unlock();
  for (RunRequest *request = first; request;) {
    // The call may destroy the request.
    RunRequest *next = request->next;
    request->onDone(*request, std::move(request->outcome));
    request = next;
  }
  for (; numTurns > 0; --numTurns)
    CoreTurns::ofProcess().end();
}

/// Registers `request` with the deadline and the token of its options, which
/// may end it early.
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
    WEIR_ASSIGN_OR_RETURN(deadlines,
                          SharedThread<DeadlineWatch>::ofProcess("deadlines"));
  }
  request.deadline = options.deadline;
  (*deadlines)->add(*request.deadline, shared_from_this(), request.id);
  return Status::ok();
}

void Admission::forget(RunRequest &request) {
  if (request.id == 0)
    return;
  watched.erase(request.id);
  if (request.token)
    request.token->state->remove(*this, request.id);
  if (request.deadline)
    (*deadlines)->remove(*request.deadline, *this, request.id);
}

/// Begins a request that may take its resources. The mutex must be held.
void Admission::begin(RunRequest &request) {
  ++numActive;
  resources.take(request.claim);
  Frame *const frame = request.claim.frame;
  if (!frame)
    return;
  const Plan &plan = *request.claim.plan;
  frame->request = &request;
  frame->claim = request.claim;
  uint32_t &base = bases[plan.index];
  frame->begin(plan, request.inputs, request.outputs, base);
  base += plan.largestValue;
}

/// Ends a request that was under way, and begins requests that waited for it.
void Admission::end(Claim &claim, Section &section) {
  resources.giveBack(claim);
  beginAll(section);
  if (--numActive == 0)
    idle.notify_all();
}

/// Begins the requests at the head of the line, in order, up to the first
/// request that has to wait.
void Admission::beginAll(Section &section) {
  while (!line.isEmpty()) {
    RunRequest &request = line.front();
    Status refusal;
    const bool mayBegin = resources.mayTake(request.claim, refusal);
    if (!mayBegin && refusal.isOk())
      return;
    line.remove(request);
    if (mayBegin)
      begin(request);
    if (Frame *frame = request.claim.frame) {
      frame->submit();
      continue;
    }
    forget(request);
    section.end(request, std::move(refusal));
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
    line.append(request);
    beginAll(section);
  } else {
    forget(request);
    section.end(request, std::move(status));
  }
}

void Admission::refuse(RunRequest &request, Status reason) {
  Section section(*this);
  section.end(request, std::move(reason));
}

/// Whether callers may execute runs of `plan`. If several runs may be in
/// flight, the driver has the next run at hand, and its team keeps the cores.
/// With another team, even one that has nothing to do, all threads would sleep
/// between kernels.
static bool mayRunOnCallers(const Plan &plan, size_t numFrames) {
  return plan.programs.size() == 1 &&
         (numFrames == 1 || !plan.programs[0].list.needsTeam);
}

bool Admission::runHere(RunRequest &request, Status &outcome) {
  Frame *frame = nullptr;
  if (!request.options &&
      mayRunOnCallers(*request.claim.plan, model.chosen.numFrames) &&
      !resources.turns.areShared()) {
    std::lock_guard<std::mutex> lock(mutex);
    Status refusal;
    if (!isStopped && line.isEmpty() &&
        resources.mayTake(request.claim, refusal)) {
      begin(request);
      frame = request.claim.frame;
      frame->here = &outcome;
    }
  }
  if (!frame) {
    for (const PlanProgram &program : request.claim.plan->programs)
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
    // If `stop` was called before, it has left the end of the run to this
    // caller.
    const RunControl &control = frame->control();
    if (!control.hasEnded() && control.isAbandoned())
      if (RunRequest *abandoned = takeRequest(*frame))
        section.end(*abandoned, control.status());
  }
  return false;
}

/// Takes the request from a run whose outcome is known. Null if another thread
/// has taken it. The mutex must be held.
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
  resources.turns.grant();
  beginAll(section);
}

void Admission::runEnded(Frame &frame) {
  Section section(*this);
  Status status = frame.finish(runCounts.devices);
  if (frame.control().isCancelled())
    frame.forEachWritten(
        [&](uint32_t variable) { model.variables.setValid(variable, false); });
  RunRequest *request = takeRequest(frame);
  if (Status *here = std::exchange(frame.here, nullptr))
    *here = std::move(status);
  else if (request)
    section.end(*request, std::move(status));
  end(frame.claim, section);
}

void Admission::runAbandoned(Frame &frame) {
  Section section(*this);
  // A caller that executes the run learns of its end when `Frame::runHere`
  // returns.
  if (frame.here)
    return;
  if (RunRequest *request = takeRequest(frame))
    section.end(*request, frame.control().status());
}

void Admission::endAccess(RunRequest &request, std::span<const size_t> written,
                          bool isWhole) {
  Section section(*this);
  for (size_t variable : written)
    model.variables.setValid(variable, isWhole);
  end(request.claim, section);
}

void Admission::callReturned() {
  const std::lock_guard lock(mutex);
  if (--numCalling == 0)
    idle.notify_all();
}

StatusOr<Callbacks *> Admission::callbackQueue() {
  const std::lock_guard lock(mutex);
  if (!callbacks) {
    WEIR_ASSIGN_OR_RETURN(
        callbacks, SharedThread<Callbacks>::ofProcess("callbacks of runs"));
  }
  return &**callbacks;
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
  if (Frame *frame = request.claim.frame) {
    if (frame->control().hasEnded())
      return;
    frame->cancel(reason);
    if (!frame->control().isAbandoned())
      return;
    takeRequest(*frame);
    // The run may have failed earlier, with another error.
    section.end(request, frame->control().status());
  } else {
    line.remove(request);
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
    while (!line.isEmpty()) {
      RunRequest &request = line.front();
      line.remove(request);
      forget(request);
      section.end(request, stopped());
    }
    for (const std::unique_ptr<Frame> &frame : resources.frames.all()) {
      if (!frame->request || frame->control().hasEnded())
        continue;
      frame->cancel(stopped());
      // A caller that executes the run learns of its end when `Frame::runHere`
      // returns.
      if (frame->here || !frame->control().isAbandoned())
        continue;
      RunRequest *request = takeRequest(*frame);
      section.end(*request, frame->control().status());
    }
  }
  // The run of an observer ends only after this call. No other callback comes
  // before the one that makes this call returns. So neither may wait here.
  if (isObservedHere() || Callbacks::isHere())
    return;
  std::unique_lock<std::mutex> lock(mutex);
  while (!(hasGivenUp && hasAbandonedAll()) &&
         !idle.wait_for(lock, patience, [&] { return hasEnded(); }))
    hasGivenUp = hasAbandonedAll();
}

/// Whether each request under way is an abandoned run: no queue is inside of
/// it, and no queue will enter it. The mutex must be held.
bool Admission::hasAbandonedAll() const {
  const auto isAbandoned = [](const std::unique_ptr<Frame> &frame) {
    return !frame->control().hasEnded() && frame->control().isAbandoned();
  };
  return numCalling == 0 &&
         std::ranges::count_if(resources.frames.all(), isAbandoned) ==
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
  for (const std::unique_ptr<Frame> &frame : resources.frames.all())
    if (frame->control().isObservedHere())
      return true;
  return false;
}

RunCounts Admission::counts() const {
  std::lock_guard<std::mutex> lock(mutex);
  return runCounts;
}
