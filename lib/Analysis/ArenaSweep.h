//===- ArenaSweep.h - Places buffers in the order of time -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A placement in the order of time visits no pairs of buffers: only buffers
// that are live when a buffer begins can be in its way. So it takes O(n log n)
// steps even if most buffers are live at once, as in a forward and a backward
// pass.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_ARENASWEEP_H
#define WEIR_LIB_ANALYSIS_ARENASWEEP_H

#include "ArenaPacker.h"

namespace weir::analysis {

/// Which buffers are placed first: those that begin first, or those that end
/// last.
enum class Direction : uint8_t { Forwards, Backwards };

/// Places all buffers in the order of time, each in the tightest gap.
Packing packByTime(const ConflictGraph &graph, Direction direction);

} // namespace weir::analysis

#endif // WEIR_LIB_ANALYSIS_ARENASWEEP_H
