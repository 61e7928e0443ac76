//===- MemoryPlan.h - Offsets of buffers in an arena -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//
// Offline dynamic storage allocation: the size and lifetime of every buffer are
// known, and each gets one offset. Greedy placement in several orders finds
// most optima (greedy by size and by breadth: Pisarchyk and Lee, "Efficient
// memory management for deep neural net inference", 2020). A bounded local
// search over orders then moves the buffers at the peak forward. As in
// TelaMalloc (Maas et al., 2022) and MiniMalloc (Moffitt, 2023), the search is
// over orders of the buffers, from which the offsets follow.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_MEMORYPLAN_H
#define WEIR_ANALYSIS_MEMORYPLAN_H

#include "weir/Analysis/Liveness.h"
#include "weir/Support/Status.h"

#include <string>

namespace weir::analysis {

/// Equal inputs and options give equal plans on every machine, because effort
/// is counted and never timed.
struct MemoryPlanOptions {
  /// Alignment of offsets and sizes in bytes; a power of two.
  uint64_t alignment = defaultAlignment;
  /// The bound on the local search, in visited pairs of buffers (a few
  /// nanoseconds each). 0: greedy only.
  uint64_t searchEffort = 16'000'000;
};

/// The offset of each buffer. A buffer of zero bytes has offset 0.
struct MemoryPlan {
  /// Bytes from the start of the arena, one per buffer.
  std::vector<uint64_t> offsets;
  /// Size of the arena in bytes.
  uint64_t peakBytes = 0;
  /// The liveness lower bound: no plan can be smaller.
  uint64_t lowerBoundBytes = 0;
  /// The name of the order that gave this plan, for `--debug-only`.
  std::string method;
};

/// Plans buffers that are live on one timeline. It is an error if a buffer ends
/// before it begins, the alignment is not a power of two, or the sizes
/// overflow.
StatusOr<MemoryPlan> planMemory(std::span<const LiveBuffer> buffers,
                                const MemoryPlanOptions &options = {});

/// Checks that `plan` keeps live buffers apart, aligned and below its peak. The
/// error names the two buffers. Takes O(n log n) steps.
Status checkMemoryPlan(std::span<const LiveBuffer> buffers,
                       const MemoryPlan &plan,
                       uint64_t alignment = defaultAlignment);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_MEMORYPLAN_H
