//===- RunLine.cpp - Queues runs and executes them in order -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RunLine.h"

#include "Guarded.h"

#include <utility>

using namespace weir;

static Status stopped() {
  return guarded("stop", [] {
    return Status(StatusCode::Cancelled,
                  "the session was stopped; load it again to run it");
  });
}

RunLine::RunLine(LoadedEntry &entry) : executor(entry) {
  counts.devices = entry.stats;
}

void RunLine::enqueue(RunRequest &request) {
  bool accepted = false, isFirst = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    accepted = !isStopped;
    if (accepted) {
      request.next = nullptr;
      (tail ? tail->next : head) = &request;
      tail = &request;
      isFirst = !inFlight;
      if (isFirst)
        beginNext();
    }
  }
  if (!accepted)
    return request.onDone(request, stopped());
  // This request is in flight now, and nothing else uses the executor until it
  // is done.
  if (isFirst)
    request.mayRunHere ? executor.runHere() : executor.start();
}

/// Prepares the oldest request. The mutex must be held and nothing may be in
/// flight.
void RunLine::beginNext() {
  inFlight = head;
  head = head->next;
  if (!head)
    tail = nullptr;
  executor.begin(
      inFlight->inputs, inFlight->outputs,
      [](void *self) { static_cast<RunLine *>(self)->runDone(); }, this);
}

void RunLine::runDone() {
  RunRequest *ended = nullptr;
  Status status;
  {
    std::lock_guard<std::mutex> lock(mutex);
    ended = std::exchange(inFlight, nullptr);
    status = executor.finish(counts.devices);
    ++(status.isOk() ? counts.runs : counts.failedRuns);
    if (head) {
      beginNext();
      executor.start();
    } else {
      idle.notify_all();
    }
  }
  // From here on, whoever waits for the run may destroy the session.
  ended->onDone(*ended, std::move(status));
}

void RunLine::stop() {
  RunRequest *waiting = nullptr;
  {
    std::unique_lock<std::mutex> lock(mutex);
    isStopped = true;
    waiting = std::exchange(head, nullptr);
    tail = nullptr;
    if (inFlight)
      executor.cancel(stopped());
    // The run that an observer stops ends after it.
    if (!executor.isObservedHere())
      idle.wait(lock, [&] { return !inFlight; });
  }
  while (waiting) {
    RunRequest *next = waiting->next;
    waiting->onDone(*waiting, stopped());
    waiting = next;
  }
}

SessionStats RunLine::stats() const {
  std::lock_guard<std::mutex> lock(mutex);
  return counts;
}
