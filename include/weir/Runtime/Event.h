//===- Event.h - A counter that queues signal and wait for -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// An event counts up: each run has an epoch, and an event that has reached the
// epoch has happened in that run. Nothing is reset between runs, so a late
// waiter of an old run never misses its signal.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EVENT_H
#define WEIR_RUNTIME_EVENT_H

#include <atomic>
#include <cstdint>
#include <mutex>

namespace weir {

/// All members may be called from any thread. Epochs are compared modulo 2^32.
class alignas(64) Event {
public:
  Event() = default;
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;

  bool hasReached(uint32_t epoch) const {
    return static_cast<int32_t>(value.load(std::memory_order_acquire) -
                                epoch) >= 0;
  }

  /// Sets the counter to `epoch` and wakes who waits. Without a parked waiter
  /// this is one atomic exchange and no system call.
  void signal(uint32_t epoch) {
    advance(epoch);
    wake();
  }

  /// The two halves of `signal`, for who must not hold a lock while it wakes
  /// others: only those who look see what `advance` did until `wake` is called.
  void advance(uint32_t epoch) {
    // Both this pair and the one in `wait` are sequentially consistent: either
    // the waiter sees the new value or the signaller sees the waiter.
    value.store(epoch, std::memory_order_seq_cst);
  }
  void wake() {
    if (parked.load(std::memory_order_seq_cst) != 0)
      value.notify_all();
  }

  /// Returns when the counter has reached `epoch`: looks `spins` times, then
  /// parks the thread.
  void wait(uint32_t epoch, int spins);

private:
  std::atomic<uint32_t> value{0};
  std::atomic<uint32_t> parked{0};
};

/// Something that happens once. Unlike an event it may be destroyed as soon as
/// `wait` returns, so it can live on the stack of the waiter.
class Completion {
public:
  void notify() {
    std::lock_guard<std::mutex> lock(mutex);
    event.signal(1);
  }
  void wait(int spins = 0) {
    event.wait(1, spins);
    // The notifier may still be inside `signal`: let it leave.
    std::lock_guard<std::mutex> lock(mutex);
  }

private:
  std::mutex mutex;
  Event event;
};

} // namespace weir

#endif // WEIR_RUNTIME_EVENT_H
