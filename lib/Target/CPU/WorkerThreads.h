//===- WorkerThreads.h - Threads that help the calling one ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// LLVM's thread pool cannot be used, because it ends the process if the system
// refuses a thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_WORKERTHREADS_H
#define WEIR_LIB_TARGET_CPU_WORKERTHREADS_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace weir {

/// Runs tasks in the order in which they are added. A thread is started when
/// there is work for it. There are at most as many threads as requested. If the
/// system refuses threads, there are fewer, or even none.
class WorkerThreads {
public:
  explicit WorkerThreads(size_t most) : most(most) {}
  /// Waits for the tasks that run, and drops the others.
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads &) = delete;
  WorkerThreads &operator=(const WorkerThreads &) = delete;

  /// The number of threads that have been started.
  size_t size() const { return threads.size(); }

  /// Adds a task. If there are no threads, the task never runs. So the code
  /// that needs its result must be able to run it.
  void add(std::function<void()> task);

private:
  static void *workOn(void *self);
  void work();

  size_t most;
  std::vector<pthread_t> threads;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  bool isEnding = false;
};

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_WORKERTHREADS_H
