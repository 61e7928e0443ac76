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
  /// One processor number per usable core, with neighbours side by side. Each
  /// core counts once, whatever its number of hardware threads.
  std::vector<int> cores;
  /// The number of cores that can be busy all the time. A cgroup quota may
  /// allow fewer than there are.
  size_t numBusyCores = 0;
  uint64_t memoryBytes = 0;
  /// The processor's name; may be empty.
  std::string model;
};

/// Reads the limits of control groups below the folder `root`, which is ""
/// outside of tests.
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

/// Divides the cores between devices, one per request. If no number of threads
/// is requested, each device gets the same share of the cores that can be busy,
/// at least one thread. Threads are pinned only if the devices use all of the
/// cores. Otherwise several processes that each leave some cores free would all
/// pin to the same ones.
std::vector<CoreShare> splitCores(const CpuTopology &topology,
                                  std::span<const DeviceRequest> requests);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_CPU_CPUTOPOLOGY_H
