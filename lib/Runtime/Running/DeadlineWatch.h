//===- DeadlineWatch.h - Says when deadlines have passed --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_RUNNING_DEADLINEWATCH_H
#define WEIR_LIB_RUNTIME_RUNNING_DEADLINEWATCH_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace weir {

class Admission;

/// Tells admissions of their requests whose deadline has passed
/// (`Admission::passDeadline`). One thread, a `SharedThread`, watches the time.
/// Each call of an admission is made on a thread of its own, if one can be
/// started. All members are thread-safe.
class DeadlineWatch {
public:
  using Time = std::chrono::steady_clock::time_point;

  void add(Time deadline, const std::shared_ptr<Admission> &admission,
           uint64_t id);
  void remove(Time deadline, const Admission &admission, uint64_t id);

  void run();
  void end();

private:
  using Key = std::tuple<Time, const Admission *, uint64_t>;

  std::mutex mutex;
  std::condition_variable changed;
  std::map<Key, std::weak_ptr<Admission>> pending;
  bool isEnding = false;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_RUNNING_DEADLINEWATCH_H
