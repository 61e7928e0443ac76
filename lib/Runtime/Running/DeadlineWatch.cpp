//===- DeadlineWatch.cpp - Says when deadlines have passed -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DeadlineWatch.h"

#include "Admission.h"
#include "weir/Support/BlockedSignals.h"

#include <condition_variable>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <system_error>
#include <tuple>

using namespace weir;

struct DeadlineWatch::State {
  using Key = std::tuple<Time, const Admission *, uint64_t>;

  std::mutex mutex;
  std::condition_variable changed;
  std::map<Key, std::weak_ptr<Admission>> pending;
  bool isEnding = false;
};

DeadlineWatch::DeadlineWatch()
    : state(std::make_shared<State>()), thread([own = state] { watch(*own); }) {
}

DeadlineWatch::~DeadlineWatch() {
  {
    const std::lock_guard lock(state->mutex);
    state->isEnding = true;
  }
  state->changed.notify_all();
  // The last admission may end on the thread itself.
  if (thread.get_id() == std::this_thread::get_id())
    thread.detach();
  else
    thread.join();
}

StatusOr<std::shared_ptr<DeadlineWatch>> DeadlineWatch::ofProcess() {
  // Never destroyed, since sessions may run while the process ends.
  static auto &mutex = *new std::mutex;
  static auto &known = *new std::weak_ptr<DeadlineWatch>;
  const std::lock_guard lock(mutex);
  if (std::shared_ptr<DeadlineWatch> shared = known.lock())
    return shared;
  try {
    const BlockedSignals blocked;
    const std::shared_ptr<DeadlineWatch> made(new DeadlineWatch);
    known = made;
    return made;
  } catch (const std::system_error &error) {
    return resourceExhausted(fmt::format(
        "cannot start a thread for deadlines: {}; raise the limits of the "
        "process",
        error.code().message()));
  }
}

void DeadlineWatch::add(Time deadline,
                        const std::shared_ptr<Admission> &admission,
                        uint64_t id) {
  const std::lock_guard lock(state->mutex);
  const auto at = state->pending.emplace(
      State::Key(deadline, admission.get(), id), admission);
  if (at.first == state->pending.begin())
    state->changed.notify_all();
}

void DeadlineWatch::remove(Time deadline, const Admission &admission,
                           uint64_t id) {
  const std::lock_guard lock(state->mutex);
  state->pending.erase({deadline, &admission, id});
}

/// Tells `admission` on a thread of its own, since that calls callbacks and
/// devices. The deadlines of others do not wait for these.
static void pass(const std::shared_ptr<Admission> &admission, uint64_t id) {
  try {
    const BlockedSignals blocked;
    std::thread([admission, id] { admission->passDeadline(id); }).detach();
  } catch (...) {
    admission->passDeadline(id);
  }
}

void DeadlineWatch::watch(State &state) {
  std::unique_lock lock(state.mutex);
  while (!state.isEnding) {
    if (state.pending.empty()) {
      state.changed.wait(lock);
      continue;
    }
    const auto [deadline, address, id] = state.pending.begin()->first;
    if (std::chrono::steady_clock::now() < deadline) {
      state.changed.wait_until(lock, deadline);
      continue;
    }
    const std::weak_ptr<Admission> weak = state.pending.begin()->second;
    state.pending.erase(state.pending.begin());
    lock.unlock();
    if (const std::shared_ptr<Admission> admission = weak.lock())
      pass(admission, id);
    lock.lock();
  }
}
