//===- Event.h - A counter that queues signal and wait for -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// An event is a counter that only grows. Each run of a plan adds its own base
// to the values of its records and waits, and a later run has a larger base. So
// nothing is reset between runs, several runs share the events, and a late
// waiter of an earlier run never misses its signal.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EVENT_H
#define WEIR_RUNTIME_EVENT_H

#include <atomic>
#include <cstdint>
#include <mutex>

namespace weir {

/// A counter for whose values threads wait. All members may be called from any
/// thread. Values are compared modulo 2^32.
class alignas(64) Event {
public:
  Event() = default;
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;

  bool hasReached(uint32_t wanted) const {
    return static_cast<int32_t>(value.load(std::memory_order_acquire) -
                                wanted) >= 0;
  }

  /// Sets the counter to `newValue` and wakes the waiters. If no waiter is
  /// parked, this is one atomic exchange without a system call.
  void signal(uint32_t newValue) {
    advance(newValue);
    wake();
  }

  /// `advance` and `wake` are the two halves of `signal`, for a caller that
  /// must not wake other threads while it holds a lock. Between the two calls,
  /// spinning waiters see the new value but parked waiters stay parked.
  void advance(uint32_t newValue) {
    // This pair of accesses and the pair in `park` are sequentially consistent.
    // So either the waiter sees the new value, or the signaller sees the
    // waiter.
    value.store(newValue, std::memory_order_seq_cst);
  }
  void wake() {
    if (parked.load(std::memory_order_seq_cst) != 0)
      wakeParked();
  }

  /// Sets the counter to `least` unless it has reached that. Wakes nobody.
  void raise(uint32_t least);

  /// Returns when the counter has reached `wanted`. Polls `spins` times, then
  /// parks the thread.
  void wait(uint32_t wanted, int spins);

  /// Waits like `wait`, but also returns if `isGivenUp` is set, at most a few
  /// milliseconds later. A `wake` after that makes it return at once.
  void waitUnless(uint32_t wanted, int spins,
                  const std::atomic<bool> &isGivenUp);

private:
  bool spin(uint32_t wanted, int spins) const;
  void wakeParked();

  std::atomic<uint32_t> value{0};
  std::atomic<uint32_t> parked{0};
};

/// An event that happens once. Unlike an Event it may be destroyed as soon as
/// `wait` returns, so it can live on the waiter's stack.
class Completion {
public:
  void notify() {
    std::lock_guard<std::mutex> lock(mutex);
    event.signal(1);
  }
  void wait(int spins = 0) {
    event.wait(1, spins);
    // The notifier may still be inside of `signal`; wait until it has left.
    std::lock_guard<std::mutex> lock(mutex);
  }

private:
  std::mutex mutex;
  Event event;
};

} // namespace weir

#endif // WEIR_RUNTIME_EVENT_H
