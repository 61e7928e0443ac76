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

bool RunControl::isObserving() { return innermost; }

bool RunControl::isObservedHere() const {
  for (const Observation *call = innermost; call; call = call->outer)
    if (&call->run == this)
      return true;
  return false;
}

/// The parts of `RunControl::queues`.
static constexpr uint64_t oneLeft = 1;
static constexpr uint64_t oneInside = uint64_t(1) << 20;
static constexpr uint64_t leftMask = oneInside - 1;
static constexpr uint64_t insideMask = leftMask << 20;
static constexpr uint64_t cancelledBit = uint64_t(1) << 62;

static bool isQuiet(uint64_t queues) {
  return (queues & cancelledBit) != 0 && (queues & insideMask) == 0;
}

void RunControl::reset(uint32_t newBase, size_t numQueues) {
  base = newBase;
  cancelled.store(false, std::memory_order_relaxed);
  first = Status::ok();
  queues.store(numQueues * oneLeft, std::memory_order_relaxed);
}

bool RunControl::enter() {
  const uint64_t before = queues.fetch_add(oneInside);
  if ((before & cancelledBit) == 0)
    return true;
  // The thread that cancelled the run may have seen this queue inside of it. So
  // the submitter asks again whether the run is abandoned.
  queues.fetch_sub(oneInside);
  return false;
}

bool RunControl::exit() {
  // If this is the last queue, `leave` follows and ends the run in any case.
  if ((queues.load(std::memory_order_relaxed) & leftMask) == oneLeft)
    return false;
  return isQuiet(queues.fetch_sub(oneInside) - oneInside);
}

bool RunControl::leave() {
  return (queues.fetch_sub(oneLeft) & leftMask) == oneLeft;
}

bool RunControl::isAbandoned() const { return isQuiet(queues.load()); }

bool RunControl::hasEnded() const { return (queues.load() & leftMask) == 0; }

void RunControl::fail(Status error) {
  std::lock_guard<std::mutex> lock(mutex);
  if (first.isOk())
    first = std::move(error);
  cancelled.store(true, std::memory_order_relaxed);
  queues.fetch_or(cancelledBit);
}

void RunControl::addError(const Status &error) {
  const Status earlier = status();
  if (earlier.isOk())
    return fail(error);
  if (earlier.message().find(error.message()) != std::string_view::npos)
    return;
  std::string text(earlier.message());
  text.append("; ").append(error.message());
  std::lock_guard<std::mutex> lock(mutex);
  first = Status(earlier.code(), std::move(text));
}

Status RunControl::status() const {
  std::lock_guard<std::mutex> lock(mutex);
  return first;
}

Status RunControl::takeStatus() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::move(first);
}
