//===- MemoryPlan.h - Offsets of buffers in an arena -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//
// Offline dynamic storage allocation: every buffer's size and lifetime is known
// and each gets one offset. Greedy placement under several orders finds most
// optima (greedy by size and by breadth: Pisarchyk and Lee, "Efficient memory
// management for deep neural net inference", 2020); what is left is closed by a
// bounded local search over orders in which the buffers at the peak move
// forward, the idea of TelaMalloc (Maas et al., 2022) and of MiniMalloc
// (Moffitt, 2023) that a solution is a canonical order, not a set of offsets.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_MEMORYPLAN_H
#define WEIR_ANALYSIS_MEMORYPLAN_H

#include "weir/Analysis/Liveness.h"
#include "weir/Support/Status.h"

#include <string>

namespace weir::analysis {

/// How to plan. Equal inputs and options give equal plans on every machine:
/// effort is counted, never timed.
struct MemoryPlanOptions {
  /// Alignment of offsets and sizes in bytes; a power of two.
  uint64_t alignment = defaultAlignment;
  /// Bound on the local search, in visited pairs of buffers; one is a few
  /// nanoseconds. 0: greedy only.
  uint64_t searchEffort = 16'000'000;
};

/// Where each buffer lies. A buffer of zero bytes has offset 0.
struct MemoryPlan {
  /// Bytes from the start of the arena, one per buffer.
  std::vector<uint64_t> offsets;
  /// Size of the arena in bytes.
  uint64_t peakBytes = 0;
  /// No plan can be smaller: the liveness bound.
  uint64_t lowerBoundBytes = 0;
  /// The name of the order that won, for `--debug-only`.
  std::string method;
};

/// Plans buffers that live on one timeline. Fails when a buffer ends before it
/// begins, the alignment is no power of two or the sizes overflow.
StatusOr<MemoryPlan> planMemory(std::span<const LiveBuffer> buffers,
                                const MemoryPlanOptions &options = {});

/// Checks that `plan` keeps live buffers apart, aligned and below its peak;
/// the error names the two buffers. Takes n log n steps.
Status checkMemoryPlan(std::span<const LiveBuffer> buffers,
                       const MemoryPlan &plan,
                       uint64_t alignment = defaultAlignment);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_MEMORYPLAN_H
