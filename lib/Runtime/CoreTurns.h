//===- CoreTurns.h - Devices use the cores by turns -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Two models may have different devices on the same cores: one device with all
// cores, for example, and two devices with half of the cores each. Then there
// are two sets of threads on these cores. If both ran at once, a thread that
// waits for its team would keep a core from the thread for which it waits. So
// runs of the two models take turns. Models run at any time if no other devices
// use their processors, because they are bound to cores.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_CORETURNS_H
#define WEIR_LIB_RUNTIME_CORETURNS_H

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace weir {

/// Begins runs that had to wait for their turn.
class TurnTaker {
public:
  virtual ~TurnTaker() = default;
  /// Begins the runs that may begin now.
  virtual void takeTurn() = 0;
};

/// The turns of devices that are made of this machine's cores. The members are
/// sets of devices.
///
/// A rival of a member is a member that has a processor in common with it. All
/// members with rivals take turns, even if they are not rivals of each other:
/// at any time, only one of them has runs under way. If another member waits,
/// the member whose turn it is begins no more runs after `quantum`. Runs of a
/// member without rivals need no turn, take no lock and are not counted.
///
/// All functions are thread-safe.
class CoreTurns {
public:
  /// A set of devices. It takes part in turns while this object exists.
  class Member {
  public:
    /// `processors` are the processors that the member uses; empty for all.
    Member(CoreTurns &turns, std::set<int> processors);
    ~Member();
    Member(const Member &) = delete;
    Member &operator=(const Member &) = delete;

    bool isAlone() const {
      return numRivals.load(std::memory_order_relaxed) == 0;
    }
    /// Returns whether a run may begin now. If so, the caller must call `end`
    /// after the run. If not, `taker` is called once when a run may begin.
    bool begin(const std::shared_ptr<TurnTaker> &taker);

  private:
    friend class CoreTurns;
    bool isRivalOf(const Member &other) const;

    CoreTurns &turns;
    const std::set<int> processors;
    std::atomic<size_t> numRivals{0};
    /// The takers to call when the member's turn comes.
    std::vector<std::weak_ptr<TurnTaker>> takers;
  };

  /// The turns of this process.
  static CoreTurns &ofProcess();

  /// Ends a run. The member of the run may be destroyed already. May call
  /// takers.
  void end();

private:
  using Clock = std::chrono::steady_clock;
  /// The least time of a turn if another member waits. It is long, because some
  /// cores are idle while the last runs of a turn end.
  static constexpr std::chrono::milliseconds quantum{20};

  bool mayBegin(const Member &member) const;
  void give(Member &member);

  std::mutex mutex;
  std::vector<Member *> members;
  /// The member whose turn it is, the time at which the turn ends, and the
  /// number of the member's runs under way.
  Member *current = nullptr;
  Clock::time_point until;
  size_t numRuns = 0;
  /// Members with takers, in the order in which they began to wait.
  std::vector<Member *> waiting;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_CORETURNS_H
