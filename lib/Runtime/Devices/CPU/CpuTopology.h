//===- CpuTopology.h - The cores this process may use -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_CPU_CPUTOPOLOGY_H
#define WEIR_LIB_RUNTIME_DEVICES_CPU_CPUTOPOLOGY_H

#include "weir/Runtime/Device.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weir {

/// The part of the machine that this process may use.
struct CpuTopology {
  /// One processor number for each usable core, neighbours side by side. Only
  /// one hardware thread of a core counts.
  std::vector<int> cores;
  /// How many of the cores can be busy all the time: a cgroup's quota may pay
  /// for fewer than there are.
  size_t numBusyCores = 0;
  uint64_t memoryBytes = 0;
  /// The processor's name; may be empty.
  std::string model;
};

/// Reads the limits of control groups below the folder `root`, which is ""
/// outside tests.
CpuTopology detectCpuTopology(const std::string &root = "");

/// The cores of one CPU device.
struct CoreShare {
  int threads = 0;
  /// The processors that the threads run on. If pinned, each thread has one of
  /// them, in this order; otherwise the system may run any thread on any of
  /// them.
  std::vector<int> processors;
  bool isPinned = false;
  /// Whether there are more threads than cores, so that no thread should spin.
  bool isCrowded = false;
  /// Whether the devices leave a core to the calling thread.
  bool leavesCores = false;
  /// A remark for the user; empty if no other device shares the cores.
  std::string note;
};

/// Splits the cores over devices, one per request. Without a number of threads
/// each device gets the same share of the cores that can be busy, at least one
/// thread. Threads are pinned where the devices take all of the cores: if some
/// are left, other processes that leave some too would all sit on the same
/// ones.
std::vector<CoreShare> splitCores(const CpuTopology &topology,
                                  std::span<const DeviceRequest> requests);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_CPU_CPUTOPOLOGY_H
