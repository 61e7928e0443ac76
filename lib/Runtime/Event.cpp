//===- Event.cpp - A counter that queues signal and wait for -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Event.h"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace weir;

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t) &&
                  std::atomic<uint32_t>::is_always_lock_free,
              "the system waits on the bytes of the counter");

static void relaxProcessor() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/// Sleeps while `word` is `seen`, at most until `timeout` has passed. May
/// return earlier.
static void park(std::atomic<uint32_t> &word, uint32_t seen,
                 const timespec *timeout) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, timeout, nullptr, 0);
}

void Event::wakeParked() {
  syscall(SYS_futex, &value, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void Event::raise(uint32_t least) {
  uint32_t seen = value.load();
  while (static_cast<int32_t>(seen - least) < 0 &&
         !value.compare_exchange_weak(seen, least)) {
  }
}

bool Event::spin(uint32_t wanted, int spins) const {
  for (int i = 0; i < spins; ++i) {
    if (hasReached(wanted))
      return true;
    relaxProcessor();
  }
  // To park and wake takes far longer than to let other threads run a few
  // times.
  constexpr int briefSpins = 12, yields = 4;
  for (int i = 0; i < briefSpins + yields; ++i) {
    if (hasReached(wanted))
      return true;
    if (i < briefSpins)
      relaxProcessor();
    else
      std::this_thread::yield();
  }
  return false;
}

void Event::wait(uint32_t wanted, int spins) {
  if (spin(wanted, spins))
    return;
  parked.fetch_add(1, std::memory_order_seq_cst);
  uint32_t seen = value.load(std::memory_order_seq_cst);
  while (static_cast<int32_t>(seen - wanted) < 0) {
    park(value, seen, nullptr);
    seen = value.load(std::memory_order_seq_cst);
  }
  parked.fetch_sub(1, std::memory_order_relaxed);
}

void Event::waitUnless(uint32_t wanted, int spins,
                       const std::atomic<bool> &isGivenUp) {
  if (spin(wanted, spins))
    return;
  // `isGivenUp` does not change the counter. If it is set between the check and
  // the sleep, the thread sleeps until this time has passed.
  constexpr timespec longestSleep{0, 5000000};
  parked.fetch_add(1, std::memory_order_seq_cst);
  uint32_t seen = value.load(std::memory_order_seq_cst);
  while (static_cast<int32_t>(seen - wanted) < 0 &&
         !isGivenUp.load(std::memory_order_relaxed)) {
    park(value, seen, &longestSleep);
    seen = value.load(std::memory_order_seq_cst);
  }
  parked.fetch_sub(1, std::memory_order_relaxed);
}
