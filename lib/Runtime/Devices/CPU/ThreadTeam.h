//===- ThreadTeam.h - OpenMP teams on a device's cores ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_CPU_THREADTEAM_H
#define WEIR_LIB_RUNTIME_DEVICES_CPU_THREADTEAM_H

#include "CpuTopology.h"
#include "weir/Support/Status.h"

#include <span>

namespace weir {

/// Lets the calling thread run on `processors` only, if there are any. Where
/// the system refuses, a device works as well, only less evenly.
void pinThread(std::span<const int> processors);

/// Makes the calling thread the master of a team of `share.threads`. The others
/// go to their cores; it stays where it is.
Status startTeam(const CoreShare &share);

/// Ends the threads of the team that the calling thread is the master of. The
/// next region would start others, on cores that nobody chose: call startTeam
/// before.
void endTeam();

/// The calling thread's modes of rounding and of subnormal numbers; 0 where
/// this processor's are not known.
unsigned floatModes();
void setFloatModes(unsigned modes);
/// What every thread of a device computes with, whatever its callers do.
inline constexpr unsigned defaultFloatModes = 0x1f80;

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_CPU_THREADTEAM_H
