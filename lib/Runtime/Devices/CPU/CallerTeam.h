//===- CallerTeam.h - A caller as the master of a team ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_CPU_CALLERTEAM_H
#define WEIR_LIB_RUNTIME_DEVICES_CPU_CALLERTEAM_H

#include "../../OpenMP/OpenMPLibrary.h"
#include "../../OpenMP/Team.h"
#include "../Host/CallerTurn.h"
#include "CpuTopology.h"

#include <memory>
#include <optional>
#include <thread>

namespace weir {

/// Lets the thread that makes most calls of a session be the master of a team.
/// It gets its own team, of the device's size and on the device's cores. Other
/// callers may run only kernels that need a single thread. So may all callers
/// in a process where others use OpenMP, since the team of a thread may then be
/// theirs.
class CallerTeam final : public CallerTurn {
public:
  explicit CallerTeam(const CoreShare &share,
                      bool (*isOnlyUser)() = isOnlyUserOfOpenMP)
      : share(std::make_shared<const CoreShare>(share)),
        isOnlyUser(isOnlyUser) {}

  bool begin(bool needsTeam) override;
  bool hasTakenOver() override;
  void end() override;
  void handOver() override;

  /// The queue's thread begins a run that needs its team.
  void queueWorks();

private:
  bool canLead();
  bool leads() const;
  bool isChosen();
  bool takeTeam();
  bool comeToFirstCore() const;

  std::shared_ptr<const CoreShare> share;
  bool (*isOnlyUser)();
  /// Whether some thread has a team for this device.
  bool hasLeader = false;
  /// Whether a team was refused once. It is not requested again.
  bool isRefused = false;
  /// The last caller that is not the leader, and the number of its consecutive
  /// calls.
  std::thread::id candidate;
  int callsInARow = 0;
  /// Whether a thread has a turn with a team.
  bool hasTeam = false;
  /// Whether the queue's thread has its team, and whether it has used it since
  /// the last call.
  bool queueHasTeam = true;
  bool queueHasWorked = false;
  /// Whether the last call was handed over to the queue.
  bool isHandedOver = false;
  /// The size of teams during a turn.
  std::optional<FixedTeamSize> size;
  /// The modes that the current thread had before its turn.
  unsigned modesBefore = 0;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_CPU_CALLERTEAM_H
