//===- TeamLease.h - Who has the team of a device ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// OpenMP gives each thread that opens regions a team of its own, and keeps that
// team until the thread ends. But a device has only one team at a time. It is
// the team of the device's driver, which is the queue's own thread, or the team
// of a caller that carries out its runs itself. These are all moves between the
// states of a lease:
//
//   state    event                 next     what is done
//   Driver   driver begins work    Driver
//   Driver   caller takes a turn   Taken    its team starts, if it has none
//   Taken    driver rests          Turn     the driver's team ends
//   Turn     turn ends             Caller
//   Caller   caller takes a turn   Turn     its team starts, if it has none
//   Caller   driver begins work    Driver   the driver's team starts
//
// In the states Driver and Caller, a caller that needs no team may have its
// turn, and the driver may work without its team. Neither changes the state. A
// caller that needs a team gets a turn only if it is chosen (see `mayTake`). If
// the team of a driver cannot start, the state stays as it is.
//
// Only the thread that leads a team can end the team. So the team of a caller
// may outlive the state Caller, until that caller comes again or hands over its
// work.
//
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
/// need a single thread. If other code in the process uses OpenMP, this holds
/// for all callers, since the team of a thread may then belong to that code. No
/// caller runs kernels of a device that is bound to cores, since callers are on
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
    /// A caller has its turn with a team, and the driver has no team.
    Turn,
    /// The last turn with a team was the turn of a caller, and the driver has
    /// no team.
    Caller
  };

  explicit TeamLease(const CoreShare &share,
                     bool (*isOnlyUser)() = isOnlyUserOfOpenMP)
      : share(std::make_shared<const CoreShare>(share)),
        isOnlyUser(isOnlyUser) {}

  /// Makes the driver, which calls this first, the master of its team.
  Status startDriver();
  /// Begins work of the driver that needs its team. Fails if the team's threads
  /// cannot be started.
  Status beginWork();
  void rest() override;
  /// Lets the driver be on any core of the device while its team sleeps. So the
  /// driver need not share a core with other work.
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
  /// The last caller without a team, the number of its consecutive calls, and
  /// the number of calls after which it gets a team.
  std::thread::id candidate;
  int callsInARow = 0;
  int callsNeeded = 1;
  /// Nothing between turns.
  std::optional<TurnSettings> settings;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_CPU_TEAMLEASE_H
