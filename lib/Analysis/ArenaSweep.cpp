//===- ArenaSweep.cpp - Places buffers in the order of time ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ArenaSweep.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

using namespace weir;
using namespace weir::analysis;

namespace {

/// The free bytes below the highest live buffer, as gaps that do not touch.
class FreeSpace {
public:
  /// Takes `size` bytes from the tightest gap that is large enough. If no gap
  /// is large enough, takes them above all buffers. Among equal gaps, the
  /// lowest one is taken.
  uint64_t take(uint64_t size);
  void giveBack(Extent extent);

private:
  using Gaps = std::map<uint64_t, uint64_t>;

  void add(Extent gap);
  void remove(Gaps::iterator gap);

  /// The end of each gap by its begin.
  Gaps gaps;
  /// The size and the begin of each gap.
  std::set<std::pair<uint64_t, uint64_t>> bySize;
  uint64_t top = 0;
};

/// The first and the last step of a buffer, counted in the direction of a
/// sweep.
struct Span {
  uint64_t first;
  uint64_t last;
};

} // namespace

void FreeSpace::add(Extent gap) {
  gaps.emplace(gap.begin, gap.end);
  bySize.emplace(gap.end - gap.begin, gap.begin);
}

void FreeSpace::remove(Gaps::iterator gap) {
  bySize.erase({gap->second - gap->first, gap->first});
  gaps.erase(gap);
}

uint64_t FreeSpace::take(uint64_t size) {
  auto tightest = bySize.lower_bound({size, 0});
  if (tightest == bySize.end()) {
    top += size;
    return top - size;
  }
  auto gap = gaps.find(tightest->second);
  auto [begin, end] = *gap;
  remove(gap);
  if (begin + size < end)
    add({begin + size, end});
  return begin;
}

void FreeSpace::giveBack(Extent extent) {
  auto above = gaps.lower_bound(extent.begin);
  if (above != gaps.begin())
    if (auto below = std::prev(above); below->second == extent.begin) {
      extent.begin = below->first;
      remove(below);
    }
  if (above != gaps.end() && above->first == extent.end) {
    extent.end = above->second;
    remove(above);
  }
  if (extent.end == top)
    top = extent.begin;
  else
    add(extent);
}

static std::vector<Span> spansOf(const ConflictGraph &graph,
                                 Direction direction) {
  std::vector<Span> spans;
  for (const LiveBuffer &live : graph.liveness()) {
    // A step is subtracted from this number to reverse time. Any number above
    // all steps works.
    constexpr uint64_t end = uint64_t(1) << 32;
    spans.push_back(direction == Direction::Forwards
                        ? Span{live.first, live.last}
                        : Span{end - live.last, end - live.first});
  }
  return spans;
}

Packing weir::analysis::packByTime(const ConflictGraph &graph,
                                   Direction direction) {
  std::vector<Span> spans = spansOf(graph, direction);
  std::vector<uint32_t> begins(spans.size());
  std::iota(begins.begin(), begins.end(), 0u);
  std::vector<uint32_t> ends = begins;
  std::ranges::stable_sort(begins, std::less(),
                           [&](uint32_t i) { return spans[i].first; });
  std::ranges::stable_sort(ends, std::less(),
                           [&](uint32_t i) { return spans[i].last; });
  FreeSpace space;
  std::vector<uint64_t> offsets(spans.size());
  uint64_t peak = 0;
  auto ended = ends.begin();
  for (uint32_t buffer : begins) {
    for (; spans[*ended].last < spans[buffer].first; ++ended)
      space.giveBack({offsets[*ended], offsets[*ended] + graph.sizeOf(*ended)});
    offsets[buffer] = space.take(graph.sizeOf(buffer));
    peak = std::max(peak, offsets[buffer] + graph.sizeOf(buffer));
  }
  return {std::move(begins), Fit::Tightest, std::move(offsets), peak,
          direction == Direction::Forwards ? "time" : "time backwards"};
}
