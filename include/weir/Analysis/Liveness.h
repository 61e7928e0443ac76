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

/// Where scratch buffers begin, in bytes, and what their sizes are rounded up
/// to. The artifact's arenas and blobs use the same.
inline constexpr uint64_t defaultAlignment = 256;

/// A buffer that holds `bytes` bytes from step `first` to step `last`, both
/// inclusive, of one timeline (say the commands of a queue).
struct LiveBuffer {
  uint64_t bytes = 0;
  uint32_t first = 0;
  uint32_t last = 0;

  /// Whether both hold bytes in some common step.
  bool overlaps(const LiveBuffer &other) const {
    return bytes && other.bytes && first <= other.last && other.first <= last;
  }
};

/// The most bytes that live in any one step, and the first such step.
struct LivePeak {
  uint64_t bytes = 0;
  uint32_t step = 0;
};

/// The liveness lower bound: the maximum over all steps of the sum of the
/// aligned sizes of the buffers that live then. No plan can use fewer bytes.
/// `alignment` is a power of two.
LivePeak livePeak(std::span<const LiveBuffer> buffers,
                  uint64_t alignment = defaultAlignment);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_LIVENESS_H
