//===- DeviceQueue.cpp - The shared state of a run's queues -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/DeviceQueue.h"

using namespace weir;

/// The innermost call of an observer on this thread.
static thread_local const RunControl::Observation *innermost = nullptr;

RunControl::Observation::Observation(const RunControl &run)
    : run(run), outer(innermost) {
  innermost = this;
}

RunControl::Observation::~Observation() { innermost = outer; }

bool RunControl::isObservedHere() const {
  for (const Observation *call = innermost; call; call = call->outer)
    if (&call->run == this)
      return true;
  return false;
}

void RunControl::reset(uint32_t newEpoch) {
  runEpoch = newEpoch;
  cancelled.store(false, std::memory_order_relaxed);
  first = Status::ok();
}

void RunControl::fail(Status error) {
  std::lock_guard<std::mutex> lock(mutex);
  if (first.isOk())
    first = std::move(error);
  cancelled.store(true, std::memory_order_relaxed);
}

Status RunControl::takeStatus() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::move(first);
}
