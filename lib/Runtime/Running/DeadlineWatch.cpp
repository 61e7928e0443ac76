//===- DeadlineWatch.cpp - Says when deadlines have passed -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DeadlineWatch.h"

#include "Admission.h"
#include "weir/Support/BlockedSignals.h"

#include <thread>

using namespace weir;

void DeadlineWatch::end() {
  {
    const std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
}

void DeadlineWatch::add(Time deadline,
                        const std::shared_ptr<Admission> &admission,
                        uint64_t id) {
  const std::lock_guard lock(mutex);
  const auto at =
      pending.emplace(Key(deadline, admission.get(), id), admission);
  if (at.first == pending.begin())
    changed.notify_all();
}

void DeadlineWatch::remove(Time deadline, const Admission &admission,
                           uint64_t id) {
  const std::lock_guard lock(mutex);
  pending.erase({deadline, &admission, id});
}

/// Tells `admission` on a new thread. The call wakes queues of devices, and
/// other deadlines must not wait for that.
static void pass(const std::shared_ptr<Admission> &admission, uint64_t id) {
  try {
    const BlockedSignals blocked;
    std::thread([admission, id] { admission->passDeadline(id); }).detach();
  } catch (...) {
    admission->passDeadline(id);
  }
}

void DeadlineWatch::run() {
  std::unique_lock lock(mutex);
  while (!isEnding) {
    if (pending.empty()) {
      changed.wait(lock);
      continue;
    }
    const auto [deadline, address, id] = pending.begin()->first;
    if (std::chrono::steady_clock::now() < deadline) {
      changed.wait_until(lock, deadline);
      continue;
    }
    const std::weak_ptr<Admission> weak = pending.begin()->second;
    pending.erase(pending.begin());
    lock.unlock();
    if (const std::shared_ptr<Admission> admission = weak.lock())
      pass(admission, id);
    lock.lock();
  }
}
