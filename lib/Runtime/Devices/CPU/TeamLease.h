//===- TeamLease.h - Who has the team of a device ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// OpenMP gives each thread that opens regions a team of its own, and keeps it
// until the thread ends. But a device has one team at a time: that of its
// driver, the queue's own thread, or that of a caller which carries out its
// runs itself. These are all moves between the states of a lease:
//
//   state    event                 next     what is done
//   Driver   driver begins work    Driver
//   Driver   caller takes a turn   Taken    its team starts, if it has none
//   Taken    driver rests          Turn     the driver's team ends
//   Turn     turn ends             Caller
//   Caller   caller takes a turn   Turn     its team starts, if it has none
//   Caller   driver begins work    Driver   the driver's team starts
//
// A caller that needs no team has its turn in the states Driver and Caller. A
// driver may also work without its team there. Neither changes the state. A
// caller that needs a team gets a turn only if it is chosen (see `mayTake`). If
// the team of a driver cannot start, the state stays as it is.
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_CPU_TEAMLEASE_H
#define WEIR_LIB_RUNTIME_DEVICES_CPU_TEAMLEASE_H

#include "../../OpenMP/OpenMPLibrary.h"
#include "../../OpenMP/Team.h"
#include "../Host/QueueTeam.h"
#include "CpuTopology.h"
#include "weir/Support/Status.h"

#include <memory>
#include <optional>
#include <thread>

namespace weir {

/// Lets the driver of a device and the thread that makes most calls of its
/// sessions take turns as the masters of the device's team. All teams have the
/// device's size and are on its cores. Other callers may run only kernels that
/// need a single thread. The same holds for all callers in a process in which
/// other code uses OpenMP, since the team of a thread may then belong to that
/// code. A device with cores of its own has no callers, since these are on
/// other processors.
///
/// The driver and the caller whose turn it is call members one at a time; only
/// `handOver` may be called at any time.
class TeamLease final : public QueueTeam {
public:
  enum class State {
    /// The driver has a team.
    Driver,
    /// A caller has its turn with a team, and the driver has one, too.
    Taken,
    /// A caller has its turn with a team, and the driver has none.
    Turn,
    /// The last turn with a team was a caller's, and the driver has none.
    Caller
  };

  explicit TeamLease(const CoreShare &share,
                     bool (*isOnlyUser)() = isOnlyUserOfOpenMP)
      : share(std::make_shared<const CoreShare>(share)),
        isOnlyUser(isOnlyUser) {}

  /// Makes the driver, which calls this first, the master of its team.
  Status startDriver();
  /// Begins work of the driver that needs its team. Fails while there are no
  /// threads for the team.
  Status beginWork();
  void rest() override;
  /// Lets the driver be on any core of the device while its team sleeps, so
  /// that it need not share one with other work.
  void beginAlone() override;

  QueueTeam::Turn beginTurn(bool needsTeam) override;
  void endTurn() override;
  void handOver() override;

private:
  enum class Event;
  void move(Event event);
  void settleDriver();
  bool leads() const;
  bool mayTake();
  bool isChosen();
  bool startCaller();
  bool comeToFirstCore() const;

  /// The settings of a caller's thread during its turn.
  struct TurnSettings {
    explicit TurnSettings(int threads);
    ~TurnSettings();
    FixedTeamSize size;
    unsigned modesBefore;
  };

  std::shared_ptr<const CoreShare> share;
  bool (*isOnlyUser)();
  State state = State::Driver;
  /// Whether the driver may be on any core of the device.
  bool isSpread = false;
  /// The number of times the driver has begun work since a caller last asked
  /// for a turn with a team; 2 also stands for more.
  int numWorks = 0;
  /// The last caller that was not the leader, the number of its consecutive
  /// calls, and how many it needs to lead.
  std::thread::id candidate;
  int callsInARow = 0;
  int callsNeeded = 1;
  /// Nothing between turns.
  std::optional<TurnSettings> settings;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_CPU_TEAMLEASE_H
