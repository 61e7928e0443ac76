//===- Liveness.cpp - Live bytes over a timeline -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Liveness.h"

#include "weir/Support/Alignment.h"

#include <algorithm>

using namespace weir;
using namespace weir::analysis;

namespace {
/// A change of the number of live bytes at the beginning of `step`.
struct Change {
  uint64_t step;
  bool isBegin;
  uint64_t bytes;
};
} // namespace

LivePeak weir::analysis::livePeak(std::span<const LiveBuffer> buffers,
                                  uint64_t alignment) {
  std::vector<Change> changes;
  changes.reserve(2 * buffers.size());
  for (const LiveBuffer &buffer : buffers) {
    uint64_t bytes = alignTo(buffer.bytes, alignment);
    changes.push_back({buffer.first, true, bytes});
    changes.push_back({uint64_t(buffer.last) + 1, false, bytes});
  }
  // If one buffer ends and another one begins at the same step, the end comes
  // first, because the two are never live together.
  std::sort(changes.begin(), changes.end(),
            [](const Change &a, const Change &b) {
              return a.step != b.step ? a.step < b.step : a.isBegin < b.isBegin;
            });
  LivePeak peak;
  uint64_t live = 0;
  for (const Change &change : changes) {
    live = change.isBegin ? live + change.bytes : live - change.bytes;
    if (live > peak.bytes)
      peak = {live, static_cast<uint32_t>(change.step)};
  }
  return peak;
}
