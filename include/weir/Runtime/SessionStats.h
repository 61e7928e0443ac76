//===- SessionStats.h - What a session counts -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_SESSIONSTATS_H
#define WEIR_RUNTIME_SESSIONSTATS_H

#include "weir/Runtime/Device.h"

#include <cstdint>
#include <string>
#include <vector>

namespace weir {

/// What one device did and holds. Counts and times are those of the latest
/// completed run, not sums over runs.
struct DeviceStats {
  DeviceInfo info;
  bool isolated = false;
  /// Groups placed on the device, as the plan states.
  uint64_t groups = 0;
  /// Counted by the device's queues.
  uint64_t launches = 0;
  uint64_t crossings = 0;
  uint64_t bytesCrossed = 0;
  /// Of the compute queue; waits are left out.
  uint64_t busyNs = 0;
  /// Bytes of the plan's arenas, and the plan's bound by liveness.
  uint64_t plannedBytes = 0;
  uint64_t lowerBoundBytes = 0;
  /// Bytes that were allocated for the arenas.
  uint64_t allocatedBytes = 0;
  /// Bytes that kernels need while they run, summed over queues.
  uint64_t workspaceBytes = 0;
  /// Bytes of operands packed for this device. Devices that share packed
  /// operands report them at the first of them.
  uint64_t packedBytes = 0;
  /// Bytes of parameters in memory of the device's own, and of variables.
  uint64_t parameterBytes = 0;
  /// Prepared kernels; launches with equal needs share one.
  uint64_t kernels = 0;
};

struct SessionStats {
  std::vector<DeviceStats> devices;
  /// Runs that ended well, and all others.
  uint64_t runs = 0;
  uint64_t failedRuns = 0;
  /// From the call of `Session::load` to its return; of a path it includes
  /// mapping and checking the file.
  uint64_t loadNs = 0;
};

/// One launch of the plan, for people.
struct LaunchInfo {
  std::string device;
  std::string op;
  std::string kernel;
  /// What the vendor library chose; may be empty.
  std::string implementation;
  /// "1x8xf32, 8x4xf32 -> 1x4xf32".
  std::string shapes;
};

} // namespace weir

#endif // WEIR_RUNTIME_SESSIONSTATS_H
