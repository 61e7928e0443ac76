//===- DeadlineWatch.h - Says when deadlines have passed --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_RUNNING_DEADLINEWATCH_H
#define WEIR_LIB_RUNTIME_RUNNING_DEADLINEWATCH_H

#include "weir/Support/Status.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace weir {

/// Calls a function with the number of everything whose deadline has passed.
/// Its thread starts with the first deadline. All members are thread-safe.
class DeadlineWatch {
public:
  using Time = std::chrono::steady_clock::time_point;

  explicit DeadlineWatch(std::function<void(uint64_t)> onPassed)
      : onPassed(std::move(onPassed)) {}
  /// Waits for a call that is under way.
  ~DeadlineWatch();

  Status add(Time deadline, uint64_t id);
  void remove(Time deadline, uint64_t id);

private:
  void watch();

  std::function<void(uint64_t)> onPassed;
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::pair<Time, uint64_t>> pending;
  bool isEnding = false;
  std::thread thread;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_RUNNING_DEADLINEWATCH_H
