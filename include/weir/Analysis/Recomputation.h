//===- Recomputation.h - What to compute twice to save memory ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//
// Rematerialisation: a buffer is freed between two of its uses, and the step
// that writes it is carried out again in front of the second one. As in XLA's
// HloRematerialization, the buffers come first whose bytes cost least to
// compute again. What such a step reads is computed again, too, if it is not
// there any more, so that a few kept values suffice (Chen et al., "Training
// deep nets with sublinear memory cost", 2016).
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_RECOMPUTATION_H
#define WEIR_ANALYSIS_RECOMPUTATION_H

#include "weir/Analysis/Liveness.h"

#include <cstdint>
#include <span>
#include <vector>

namespace weir::analysis {

/// A buffer of the arena that is to become smaller.
struct RecomputeBuffer {
  uint64_t bytes = 0;
  /// Whether it may be freed between two uses. Then exactly one step writes it,
  /// which may be repeated.
  bool mayBeFreed = false;
  /// The first and the last step between which something else than the steps
  /// uses it. If `last` comes before `first`, nothing else does.
  uint32_t first = 1;
  uint32_t last = 0;
};

/// A step of the queue that computes.
struct RecomputeStep {
  /// The buffers of the arena that it accesses. A buffer is written before it
  /// is read.
  std::vector<uint32_t> reads, writes;
  /// How long it lasts.
  double seconds = 0;
  /// The last step in front of which it may be repeated: until then, all that
  /// it reads outside of the arena is there. 0: it may not be repeated.
  uint32_t lastRepeat = 0;
};

struct RecomputeProblem {
  std::vector<RecomputeBuffer> buffers;
  std::vector<RecomputeStep> steps;
};

/// Step `step` is carried out once more in front of step `before`, and writes
/// new copies of all its buffers. From there on, steps and repetitions read the
/// new copies of the buffers `replaced`. Nothing reads the other new copies.
struct Repetition {
  uint32_t step = 0;
  uint32_t before = 0;
  std::vector<uint32_t> replaced;
};

struct RecomputePlan {
  /// The repetitions in the order in which they are carried out.
  std::vector<Repetition> repetitions;
  /// How long they last in all.
  double seconds = 0;
};

/// Chooses repetitions so that the buffers need at most `mostBytes` at any
/// time, if that is possible. If not, the plan still lowers the peak where it
/// can. A buffer is freed at most 8 times, and at most 32 steps are repeated to
/// get one back. So this takes O(n log n) time for n accesses to buffers.
RecomputePlan planRecomputation(const RecomputeProblem &problem,
                                uint64_t mostBytes);

/// When the buffers and their copies are live, in steps of the sequence with
/// `repetitions`. The buffers come first, then the copies that each repetition
/// writes, in the order of `writes` of its step.
std::vector<LiveBuffer> livesWith(const RecomputeProblem &problem,
                                  std::span<const Repetition> repetitions);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_RECOMPUTATION_H
