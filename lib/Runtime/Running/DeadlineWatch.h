//===- DeadlineWatch.h - Says when deadlines have passed --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_RUNNING_DEADLINEWATCH_H
#define WEIR_LIB_RUNTIME_RUNNING_DEADLINEWATCH_H

#include "weir/Support/Status.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

namespace weir {

class Admission;

/// Tells admissions of their requests whose deadline has passed
/// (Admission::passDeadline). One thread watches the time, and each call is
/// made on a thread of its own. All members are thread-safe.
class DeadlineWatch {
public:
  using Time = std::chrono::steady_clock::time_point;

  /// The one that all sessions of the process share. It ends with the last of
  /// them, so a process without sessions has no thread.
  static StatusOr<std::shared_ptr<DeadlineWatch>> ofProcess();
  ~DeadlineWatch();
  DeadlineWatch(const DeadlineWatch &) = delete;
  DeadlineWatch &operator=(const DeadlineWatch &) = delete;

  void add(Time deadline, const std::shared_ptr<Admission> &admission,
           uint64_t id);
  void remove(Time deadline, const Admission &admission, uint64_t id);

private:
  /// The state that the thread uses.
  struct State;

  DeadlineWatch();
  static void watch(State &state);

  const std::shared_ptr<State> state;
  std::thread thread;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_RUNNING_DEADLINEWATCH_H
