//===- Callbacks.h - Calls back for runs that have ended --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_RUNNING_CALLBACKS_H
#define WEIR_LIB_RUNTIME_RUNNING_CALLBACKS_H

#include <condition_variable>
#include <mutex>

namespace weir {

/// The callbacks that wait for their turn, first come, first served. One
/// thread, a `SharedThread`, makes all calls, so that no device waits for a
/// callback. The functions allocate nothing. All members are thread-safe.
class Callbacks {
public:
  /// A call. It belongs to the queue of calls until `function` is called.
  /// `function` may destroy the call.
  struct Call {
    void (*function)(Call &call) = nullptr;
    Call *next = nullptr;
  };

  void add(Call &call);
  /// Calls `call` on this thread.
  static void make(Call &call);
  /// Whether the calling thread is in a callback. Such a thread must not wait
  /// for the end of the callback.
  static bool isHere();

  void run();
  void end();

private:
  std::mutex mutex;
  std::condition_variable changed;
  Call *first = nullptr;
  Call **last = &first;
  bool isEnding = false;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_RUNNING_CALLBACKS_H
