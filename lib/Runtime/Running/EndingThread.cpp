//===- EndingThread.cpp - Destroys what a thread must not wait for --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EndingThread.h"

#include "../ForkedChild.h"
#include "Callbacks.h"
#include "weir/Runtime/DeviceQueue.h"
#include "weir/Support/BlockedSignals.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

using namespace weir;

namespace {

/// The threads for which the end of the process waits. This object is never
/// destroyed, since a thread may begin while the process ends.
class EndingThreads {
public:
  void wait() {
    // These threads may wait for the callback or observer that ends the
    // process. A forked process does not have the threads.
    if (Callbacks::isHere() || RunControl::isObserving() || isForkedChild())
      return;
    std::unique_lock lock(mutex);
    none.wait(lock, [&] { return count == 0; });
  }
  void begin() {
    const std::lock_guard lock(mutex);
    ++count;
  }
  void end() {
    const std::lock_guard lock(mutex);
    if (--count == 0)
      none.notify_all();
  }

private:
  std::mutex mutex;
  std::condition_variable none;
  size_t count = 0;
};

/// Lets the process wait for the threads at its end. The threads use objects
/// that the end of the process destroys.
struct EndingWait {
  EndingThreads &threads;
  ~EndingWait() { threads.wait(); }
};

} // namespace

void weir::endOnThread(AtExit atExit, std::function<void()> destroy) {
  static EndingThreads &threads = *new EndingThreads;
  static const EndingWait wait{threads};
  const auto end = [atExit] {
    if (atExit == AtExit::Wait)
      threads.end();
  };
  if (atExit == AtExit::Wait)
    threads.begin();
  try {
    const BlockedSignals blocked;
    std::thread([destroy = std::move(destroy), end] {
      destroy();
      end();
    }).detach();
  } catch (...) {
    end();
  }
}
