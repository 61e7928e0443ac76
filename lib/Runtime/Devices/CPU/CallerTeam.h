//===- CallerTeam.h - A caller as the master of a team ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_CPU_CALLERTEAM_H
#define WEIR_LIB_RUNTIME_DEVICES_CPU_CALLERTEAM_H

#include "../Host/CallerTurn.h"
#include "CpuTopology.h"

#include <memory>
#include <thread>

namespace weir {

/// Lets the thread that mostly calls a session be the first of the device's
/// team: it gets a team of its own of the device's size, on the device's cores.
/// Other callers need none for kernels that run on one thread, and are refused
/// the others.
class CallerTeam final : public CallerTurn {
public:
  explicit CallerTeam(const CoreShare &share)
      : share(std::make_shared<const CoreShare>(share)) {}

  bool begin(bool needsTeam) override;
  bool hasTakenOver() override;
  void end() override;

private:
  bool canLead();
  bool isChosen();
  bool takeTeam();
  bool comeToFirstCore() const;

  std::shared_ptr<const CoreShare> share;
  /// Whether some thread has a team for this device.
  bool hasLeader = false;
  /// Whether a team was refused once; it is not asked for again.
  bool isRefused = false;
  /// The thread that called last without being the leader, and how often in a
  /// row.
  std::thread::id candidate;
  int callsInARow = 0;
  /// Whether a thread has a turn with a team, and whether one had before.
  bool hasTeam = false;
  bool hadTeam = false;
  /// What the thread whose turn it is had before.
  int threadsBefore = 0;
  bool wasDynamic = false;
  unsigned modesBefore = 0;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_CPU_CALLERTEAM_H
