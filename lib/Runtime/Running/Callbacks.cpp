//===- Callbacks.cpp - Calls back for runs that have ended ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Callbacks.h"

using namespace weir;

static thread_local int numCalls = 0;

/// Notifies while it holds the mutex: once the call has been made, the queue
/// may be destroyed.
void Callbacks::add(Call &call) {
  const std::lock_guard lock(mutex);
  call.next = nullptr;
  *last = &call;
  last = &call.next;
  changed.notify_one();
}

void Callbacks::make(Call &call) {
  ++numCalls;
  call.function(call);
  --numCalls;
}

bool Callbacks::isHere() { return numCalls > 0; }

void Callbacks::run() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return first || isEnding; });
    if (!first)
      return;
    Call &call = *first;
    first = call.next;
    if (!first)
      last = &first;
    lock.unlock();
    make(call);
    lock.lock();
  }
}

void Callbacks::end() {
  {
    const std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_one();
}
