//===- Liveness.h - Live bytes over a timeline -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_LIVENESS_H
#define WEIR_ANALYSIS_LIVENESS_H

#include <cstdint>
#include <span>
#include <vector>

namespace weir::analysis {

/// The alignment of scratch buffers in bytes. Their sizes are rounded up to it.
inline constexpr uint64_t defaultAlignment = 256;

/// A buffer that is live from step `first` to step `last`, both inclusive. All
/// steps belong to one timeline, such as the commands of a queue.
struct LiveBuffer {
  uint64_t bytes = 0;
  uint32_t first = 0;
  uint32_t last = 0;

  /// Whether this buffer and `other` are both live in some step.
  bool overlaps(const LiveBuffer &other) const {
    return bytes && other.bytes && first <= other.last && other.first <= last;
  }
};

/// The most bytes that are live in any one step, and the first such step.
struct LivePeak {
  uint64_t bytes = 0;
  uint32_t step = 0;
};

/// The liveness lower bound: the maximum over all steps of the sum of the
/// aligned sizes of the live buffers. No plan can use fewer bytes. `alignment`
/// is a power of two.
LivePeak livePeak(std::span<const LiveBuffer> buffers,
                  uint64_t alignment = defaultAlignment);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_LIVENESS_H
