//===- ForkedChild.cpp - Processes without the threads of devices ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ForkedChild.h"

#include <atomic>
#include <cstddef>
#include <pthread.h>

using namespace weir;

static std::atomic<bool> isForked = false;
static std::atomic<size_t> numOpen = 0;

void weir::devicesAreOpening() {
  // If there is no memory to register the function, forked children are not
  // recognised.
  [[maybe_unused]] static const int registered = pthread_atfork(
      nullptr, nullptr, [] { isForked = isForked || numOpen > 0; });
  ++numOpen;
}

void weir::devicesAreClosed() { --numOpen; }

bool weir::isForkedChild() { return isForked.load(std::memory_order_relaxed); }

Status weir::checkNotForked() {
  if (!isForkedChild())
    return Status::ok();
  return unavailable("this process was forked from one with a session, whose "
                     "devices have their threads only there; fork while there "
                     "is no session, or start the process anew (exec)");
}
