//===- CpuTopology.h - The cores this process may use -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_CPU_CPUTOPOLOGY_H
#define WEIR_LIB_RUNTIME_DEVICES_CPU_CPUTOPOLOGY_H

#include "weir/Runtime/Device.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace weir {

/// The part of the machine that this process may use.
struct CpuTopology {
  /// One processor number per usable core, with neighbours side by side. Each
  /// core counts once, whatever its number of hardware threads.
  std::vector<int> cores;
  /// All usable processors, in ascending order.
  std::vector<int> processors;
  /// The elements of `cores` in each NUMA node, by the number of the node.
  std::map<int, std::vector<int>> nodes;
  /// The number of cores that can be busy all the time. A cgroup quota may
  /// allow fewer cores than there are.
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
  /// The processors on which the threads run. A pinned thread has one
  /// processor, in this order. Otherwise the system may run any thread on any
  /// of the processors.
  std::vector<int> processors;
  bool isPinned = false;
  /// Whether the processors were chosen by an option of the device.
  bool isBound = false;
  /// The NUMA node that has all processors, if they were chosen by an option
  /// and the machine has several nodes; else -1.
  int node = -1;
  /// Whether there are more threads than cores, so that no thread should spin.
  bool isCrowded = false;
  /// Whether the devices leave a core free for the calling thread.
  bool leavesCores = false;
  /// A remark for the user, such as "2 threads share 1 core"; empty if there is
  /// none.
  std::string note;
};

/// The processors that the options "cores" and "numa_node" choose for a device;
/// none if the device has neither option. An error says what this machine
/// lacks.
StatusOr<std::vector<int>> findBoundProcessors(const CpuTopology &topology,
                                               const DeviceRequest &request);

/// Divides the cores between devices, one per request.
///
/// A device with the option "cores" or "numa_node" gets the processors that the
/// option names. Without a number of threads, it has one thread for each of
/// these processors. All other devices share the rest of the cores. If such a
/// device requests no number of threads, it gets the same share of the cores
/// that can be busy as the others, but at least one thread. Threads of these
/// devices are pinned only if they use all of the rest. Otherwise several
/// processes that each leave some cores free would all pin their threads to the
/// same cores.
///
/// An error names the option that this machine cannot give.
StatusOr<std::vector<CoreShare>>
splitCores(const CpuTopology &topology,
           std::span<const DeviceRequest> requests);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_CPU_CPUTOPOLOGY_H
