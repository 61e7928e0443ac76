//===- DeadlineWatch.cpp - Says when deadlines have passed -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DeadlineWatch.h"

#include "weir/Support/BlockedSignals.h"

#include <fmt/format.h>
#include <system_error>

using namespace weir;

DeadlineWatch::~DeadlineWatch() {
  {
    const std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
}

Status DeadlineWatch::add(Time deadline, uint64_t id) {
  const std::lock_guard lock(mutex);
  if (!thread.joinable()) {
    try {
      const BlockedSignals blocked;
      thread = std::thread([this] { watch(); });
    } catch (const std::system_error &error) {
      return resourceExhausted(fmt::format(
          "cannot start a thread for deadlines: {}; raise the limits of the "
          "process",
          error.code().message()));
    }
  }
  const auto at = pending.emplace(deadline, id).first;
  if (at == pending.begin())
    changed.notify_all();
  return Status::ok();
}

void DeadlineWatch::remove(Time deadline, uint64_t id) {
  const std::lock_guard lock(mutex);
  pending.erase({deadline, id});
}

void DeadlineWatch::watch() {
  std::unique_lock lock(mutex);
  while (!isEnding) {
    if (pending.empty()) {
      changed.wait(lock);
      continue;
    }
    const auto [deadline, id] = *pending.begin();
    if (std::chrono::steady_clock::now() < deadline) {
      changed.wait_until(lock, deadline);
      continue;
    }
    pending.erase(pending.begin());
    lock.unlock();
    onPassed(id);
    lock.lock();
  }
}
