//===- Backlog.h - What a queue has still to do -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// For devices whose queues have a thread of their own.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_BACKLOG_H
#define WEIR_RUNTIME_BACKLOG_H

#include "weir/Runtime/DeviceQueue.h"
#include "weir/Runtime/Event.h"

#include <atomic>
#include <cstdint>
#include <mutex>

namespace weir {

/// The submissions of a queue that are not carried out, in the order of their
/// arrival. The queue's thread takes them. While there are none, a caller may
/// have a turn and carry out a submission itself. Submissions that others add
/// meanwhile wait until the turn ends. Members are thread-safe unless they say
/// who calls them.
class Backlog {
public:
  void add(Submission &submission) {
    bool isDeferred = false;
    {
      const std::lock_guard lock(mutex);
      submission.next = nullptr;
      (tail ? tail->next : head) = &submission;
      tail = &submission;
      isDeferred = unfinished.fetch_add(1) & callerBit;
      if (isDeferred)
        ++numDeferred;
      else
        work.advance(++numReady);
    }
    // The woken thread needs the mutex immediately.
    if (!isDeferred)
      work.wake();
  }

  /// For the caller whose turn it is: lets the thread take `submission` now.
  void addFirst(Submission &submission) {
    {
      const std::lock_guard lock(mutex);
      submission.next = head;
      head = &submission;
      if (!tail)
        tail = &submission;
      unfinished.fetch_add(1);
      work.advance(++numReady);
    }
    work.wake();
  }

  /// For the thread: the oldest submission, as soon as there is one; null after
  /// the last one if `end` was called. Polls `spins` times before it parks.
  Submission *take(int spins) {
    work.wait(++numTaken, spins);
    const std::lock_guard lock(mutex);
    Submission *taken = head;
    if (taken)
      head = taken->next;
    if (!head)
      tail = nullptr;
    return taken;
  }

  /// Ends the backlog: no submission is added from now on.
  void end() {
    const std::lock_guard lock(mutex);
    work.signal(++numReady);
  }

  /// Notes that a submission which the thread has taken is carried out.
  void finish() { unfinished.fetch_sub(1); }

  /// Begins the turn of a caller if there is nothing to do. Returns whether it
  /// did.
  bool beginTurn() {
    uint32_t idle = 0;
    return unfinished.compare_exchange_strong(idle, callerBit);
  }

  void endTurn() {
    // Submissions that other threads added during the turn were deferred until
    // now.
    if (unfinished.fetch_and(~callerBit) == callerBit)
      return;
    {
      const std::lock_guard lock(mutex);
      numReady += numDeferred;
      numDeferred = 0;
      work.advance(numReady);
    }
    work.wake();
  }

  /// Whether everything that was added is carried out.
  bool isIdle() const { return unfinished == 0; }

  /// For the caller whose turn it is: whether another thread has added
  /// something.
  bool isAwaited() const { return unfinished != callerBit; }

private:
  /// The bit of `unfinished` that says that a caller has its turn.
  static constexpr uint32_t callerBit = uint32_t(1) << 31;

  std::mutex mutex;
  Submission *head = nullptr;
  Submission *tail = nullptr;
  /// The number of submissions that the thread may take, plus one at the end.
  /// Then the number of submissions that wait for the end of a caller's turn.
  uint32_t numReady = 0;
  uint32_t numDeferred = 0;
  /// The number of submissions that the thread has asked for.
  uint32_t numTaken = 0;
  /// Counts up to `numReady`.
  Event work;
  /// The number of submissions that are not carried out, and `callerBit`.
  std::atomic<uint32_t> unfinished{0};
};

} // namespace weir

#endif // WEIR_RUNTIME_BACKLOG_H
