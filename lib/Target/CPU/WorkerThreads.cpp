//===- WorkerThreads.cpp - Threads that help the calling one --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "WorkerThreads.h"

#include <utility>

using namespace weir;

WorkerThreads::~WorkerThreads() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
}

void WorkerThreads::add(std::function<void()> task) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    tasks.push_back(std::move(task));
  }
  changed.notify_one();
  if (threads.size() == most)
    return;
  // std::thread would throw an exception if the system refuses a thread.
  pthread_t thread;
  if (pthread_create(&thread, nullptr, workOn, this) == 0)
    threads.push_back(thread);
  else
    most = threads.size();
}

void *WorkerThreads::workOn(void *self) {
  static_cast<WorkerThreads *>(self)->work();
  return nullptr;
}

void WorkerThreads::work() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [this] { return isEnding || !tasks.empty(); });
      if (isEnding)
        return;
      task = std::move(tasks.front());
      tasks.pop_front();
    }
    task();
  }
}
