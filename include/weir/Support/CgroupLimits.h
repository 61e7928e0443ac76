//===- CgroupLimits.h - The limits of a container ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_CGROUPLIMITS_H
#define WEIR_SUPPORT_CGROUPLIMITS_H

#include <cstdint>
#include <string>

namespace weir {

/// The tightest limits of this process's control groups and of the groups above
/// them.
struct CgroupLimits {
  /// The number of processors' worth of time that may be used; 0: no limit.
  double processors = 0;
  /// Bytes of memory; 0: no limit.
  uint64_t memoryBytes = 0;
};

/// Reads the limits of cgroup version 1 or 2 below the folder `root`, which is
/// "" outside of tests. Unreadable files set no limit.
CgroupLimits readCgroupLimits(const std::string &root = "");

/// The memory in bytes that this process may use: the memory of the machine, or
/// less because of `limits`.
uint64_t usableMemory(const CgroupLimits &limits);

} // namespace weir

#endif // WEIR_SUPPORT_CGROUPLIMITS_H
