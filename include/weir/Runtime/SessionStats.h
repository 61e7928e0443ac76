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

/// The counts of a session for one device that are known when it is loaded.
struct DeviceHeld {
  DeviceInfo info;
  bool isolated = false;
  /// The number of groups on the device in the plan of the session's own entry.
  /// If the session has no such entry, its first entry counts.
  uint64_t groups = 0;
  /// The number of prepared kernels; launches with equal needs share one.
  uint64_t kernels = 0;
  /// Bytes of the plan's arenas, and the liveness lower bound.
  uint64_t plannedBytes = 0;
  uint64_t lowerBoundBytes = 0;
  /// Bytes that were allocated for the arenas.
  uint64_t allocatedBytes = 0;
  /// Bytes that kernels need while they run, summed over queues.
  uint64_t workspaceBytes = 0;
  /// Bytes of operands packed for this device. If several devices share packed
  /// operands, only the first of these devices reports the bytes.
  uint64_t packedBytes = 0;
  /// Bytes of variables, and of parameters in the device's own memory.
  uint64_t parameterBytes = 0;
  /// Bytes of parameters that runs read in the host's memory as they are in the
  /// file. If several devices read a parameter, only the first of these devices
  /// reports it.
  uint64_t inPlaceBytes = 0;
  /// Bytes of packed and of other weights that the session uses, but that
  /// another session of the process holds and reports. When that other session
  /// ends, this session reports them as its own.
  uint64_t sharedBytes = 0;
  /// The most bytes that the model may hold on the device; 0: any number.
  uint64_t memoryCap = 0;

  /// The sum of the bytes that the session holds. Bytes that sessions share are
  /// in the sum of one session. The plan itself and the prepared kernels do not
  /// count.
  uint64_t heldBytes() const {
    return plannedBytes + workspaceBytes + packedBytes + parameterBytes +
           inPlaceBytes;
  }
};

/// The counts of one device's queues for the latest completed run.
struct DeviceCounts {
  uint64_t launches = 0;
  uint64_t crossings = 0;
  uint64_t bytesCrossed = 0;
  /// Busy time of the compute queue, without waits.
  uint64_t busyNs = 0;
};

/// The counts of one device.
struct DeviceStats : DeviceHeld, DeviceCounts {};

struct SessionStats {
  std::vector<DeviceStats> devices;
  /// The number of runs that succeeded, and the number of runs that failed or
  /// were stopped. A call whose tensors are refused does not count as a run.
  uint64_t runs = 0;
  uint64_t failedRuns = 0;
  /// The time of the call of `Session::load`. If the call got a path, mapping
  /// and checking the file are included.
  uint64_t loadNs = 0;
};

/// One launch of the plan, in readable form.
struct LaunchInfo {
  std::string device;
  std::string op;
  std::string kernel;
  /// The implementation that the vendor library chose; may be empty.
  std::string implementation;
  /// "1x8xf32, 8x4xf32 -> 1x4xf32".
  std::string shapes;
  /// Bytes of all operands and results.
  uint64_t bytes = 0;
  /// Floating-point operations; 0: none, or not known.
  uint64_t flops = 0;
  /// How the implementation was chosen by timing several; empty if it was not.
  std::string tuning = {};
};

} // namespace weir

#endif // WEIR_RUNTIME_SESSIONSTATS_H
