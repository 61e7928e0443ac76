//===- WorkerThreads.h - Threads that help the calling one ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// LLVM's thread pool ends the process where the system gives it no thread.
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

/// Carries out tasks in the order in which they come. Threads are started when
/// there is work for them: at most as many as asked for, and fewer, even none,
/// where the system gives no more.
class WorkerThreads {
public:
  explicit WorkerThreads(size_t most) : most(most) {}
  /// Waits for the tasks that have begun. The others are dropped.
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads &) = delete;
  WorkerThreads &operator=(const WorkerThreads &) = delete;

  /// The threads that have been started.
  size_t size() const { return threads.size(); }

  /// Hands over a task, which no thread may ever come to: who needs its result
  /// has to be able to do without the threads.
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
