//===- ThreadTeam.h - Teams of threads on a device's cores ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_CPU_THREADTEAM_H
#define WEIR_LIB_RUNTIME_DEVICES_CPU_THREADTEAM_H

#include "CpuTopology.h"
#include "weir/Runtime/Event.h"
#include "weir/Support/Status.h"

#include <span>
#include <thread>

namespace weir {

/// Restricts the calling thread to `processors`, if there are any. If the
/// system refuses, the device still works, but its timing is less even.
void pinThread(std::span<const int> processors);

/// Makes the calling thread the master of a team of `share.threads`. The other
/// threads move to their cores, and the master stays where it is. `endTeam`
/// ends the team.
Status startTeam(const CoreShare &share);

/// While an object of this class exists, threads of teams sleep soon when they
/// wait for each other. Otherwise they spin for milliseconds. On a core that
/// other work shares, they would use up their time by spinning. The object has
/// no effect if no thread can be started, or if teams leave cores free.
class BriefWaits {
public:
  BriefWaits();
  ~BriefWaits();
  BriefWaits(const BriefWaits &) = delete;
  BriefWaits &operator=(const BriefWaits &) = delete;

private:
  Completion end;
  std::thread thread;
};

/// The rounding and subnormal modes of the calling thread; 0 if they are not
/// known for this processor.
unsigned floatModes();
void setFloatModes(unsigned modes);
/// The modes in which every thread of a device computes, whatever modes its
/// callers have.
inline constexpr unsigned defaultFloatModes = 0x1f80;

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_CPU_THREADTEAM_H
