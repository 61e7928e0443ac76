//===- Recomputation.h - What to compute twice to save memory ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//
// Rematerialisation: a buffer is freed between two of its uses, and the step
// that writes it is repeated before the second use. As in XLA's
// HloRematerialization, the buffers whose bytes are cheapest to compute again
// come first. If an operand of a repeated step is no longer live, it is
// computed again too. So a few kept values suffice (Chen et al., "Training deep
// nets with sublinear memory cost", 2016).
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
  /// Whether the buffer may be freed between two uses. If so, exactly one step
  /// writes it, and that step may be repeated.
  bool mayBeFreed = false;
  /// The steps during which something outside of the problem uses the buffer.
  /// If `last` is less than `first`, nothing else uses it.
  uint32_t first = 1;
  uint32_t last = 0;
};

/// A step of the compute queue.
struct RecomputeStep {
  /// The buffers of the arena that the step accesses. A buffer is written
  /// before it is read.
  std::vector<uint32_t> reads, writes;
  /// The duration of the step.
  double seconds = 0;
  /// The last step before which this step may be repeated. Until that step,
  /// everything that this step reads outside of the arena is unchanged. 0: the
  /// step may not be repeated.
  uint32_t lastRepeat = 0;
};

struct RecomputeProblem {
  std::vector<RecomputeBuffer> buffers;
  std::vector<RecomputeStep> steps;
};

/// Step `step` is carried out once more just before step `before`, and writes
/// new copies of all its buffers. From then on, steps and repetitions read the
/// new copies of the buffers `replaced`. Nothing reads the other new copies.
struct Repetition {
  uint32_t step = 0;
  uint32_t before = 0;
  std::vector<uint32_t> replaced;
};

struct RecomputePlan {
  /// The repetitions in the order in which they are carried out.
  std::vector<Repetition> repetitions;
  /// The total duration of the repetitions.
  double seconds = 0;
};

/// Chooses repetitions so that the buffers need at most `mostBytes` at any
/// time, if that is possible. If not, the plan still lowers the peak as far as
/// it can. A buffer is freed at most 8 times, and at most 32 steps are repeated
/// to get a buffer back. So this takes O(n log n) time for n accesses to
/// buffers.
RecomputePlan planRecomputation(const RecomputeProblem &problem,
                                uint64_t mostBytes);

/// When the buffers and their copies are live, in steps of the sequence with
/// `repetitions`. The buffers come first, then the copies that each repetition
/// writes, in the order of `writes` of its step.
std::vector<LiveBuffer> livesWith(const RecomputeProblem &problem,
                                  std::span<const Repetition> repetitions);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_RECOMPUTATION_H
