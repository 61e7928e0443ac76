//===- SharedThread.h - A thread that all sessions share --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_RUNNING_SHAREDTHREAD_H
#define WEIR_LIB_RUNTIME_RUNNING_SHAREDTHREAD_H

#include "weir/Support/BlockedSignals.h"
#include "weir/Support/Status.h"

#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace weir {

/// A thread of the process, which exists while a session holds it. `Work` has
/// two functions: the thread calls `run`, and `run` returns after a call of
/// `end`. A forked process does not have the thread, and starts its own.
template <typename Work> class SharedThread {
public:
  /// The thread, which is started if it does not exist. `purpose` completes the
  /// error "cannot start a thread for".
  static StatusOr<std::shared_ptr<SharedThread>>
  ofProcess(std::string_view purpose) {
    // Never destroyed, since sessions may run while the process ends.
    static auto &mutex = *new std::mutex;
    static auto &known = *new std::weak_ptr<SharedThread>;
    const std::lock_guard lock(mutex);
    if (std::shared_ptr<SharedThread> shared = known.lock();
        shared && shared->process == getpid())
      return shared;
    try {
      const BlockedSignals blocked;
      const std::shared_ptr<SharedThread> made(new SharedThread);
      known = made;
      return made;
    } catch (const std::system_error &error) {
      return resourceExhausted(fmt::format("cannot start a thread for {}: {}; "
                                           "raise the limits of the process",
                                           purpose, error.code().message()));
    }
  }

  ~SharedThread() {
    work->end();
    // The thread itself may be the last user.
    if (thread.get_id() == std::this_thread::get_id())
      thread.detach();
    else
      thread.join();
  }
  SharedThread(const SharedThread &) = delete;
  SharedThread &operator=(const SharedThread &) = delete;

  Work &operator*() const { return *work; }
  Work *operator->() const { return work.get(); }

private:
  SharedThread() : thread([own = work] { own->run(); }) {}

  /// The process that has the thread.
  const pid_t process = getpid();
  /// The work. The thread shares it, because the thread may outlive this
  /// object.
  const std::shared_ptr<Work> work = std::make_shared<Work>();
  std::thread thread;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_RUNNING_SHAREDTHREAD_H
