//===- ArenaPacker.cpp - Places buffers one by one in a given order -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ArenaPacker.h"

#include "weir/Support/Random.h"

#include <algorithm>
#include <numeric>

using namespace weir;
using namespace weir::analysis;

ConflictGraph::ConflictGraph(std::vector<LiveBuffer> given)
    : buffers(std::move(given)) {
  if (isLarge())
    listNeighbours();
}

/// The first sweep over time counts the conflicts of each buffer, and the
/// second sweep lists them. No lists are made if they would be too long, or if
/// visiting all pairs of buffers takes less time.
void ConflictGraph::listNeighbours() {
  const size_t mostEntries = std::min(
      size_t(1) << 24, buffers.size() * buffers.size() / (2 * effortPerEntry));
  std::vector<uint32_t> byBegin(buffers.size());
  std::iota(byBegin.begin(), byBegin.end(), 0u);
  std::stable_sort(byBegin.begin(), byBegin.end(), [&](uint32_t a, uint32_t b) {
    return buffers[a].first < buffers[b].first;
  });
  auto forEachPair = [&](auto visit) {
    std::vector<uint32_t> live;
    for (uint32_t next : byBegin) {
      std::erase_if(live, [&](uint32_t other) {
        return buffers[other].last < buffers[next].first;
      });
      for (uint32_t other : live)
        if (!visit(next, other))
          return false;
      live.push_back(next);
    }
    return true;
  };
  std::vector<size_t> ends(buffers.size() + 1);
  size_t numEntries = 0;
  if (!forEachPair([&](uint32_t a, uint32_t b) {
        ++ends[a + 1];
        ++ends[b + 1];
        return (numEntries += 2) <= mostEntries;
      }))
    return;
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  offsets = ends;
  lists.resize(numEntries);
  forEachPair([&](uint32_t a, uint32_t b) {
    lists[ends[a]++] = b;
    lists[ends[b]++] = a;
    return true;
  });
}

/// An offset at which `size` bytes fit between or above the extents `taken`,
/// which are sorted by begin.
static uint64_t findGap(std::span<const Extent> taken, uint64_t size, Fit fit) {
  constexpr uint64_t none = ~uint64_t(0);
  uint64_t top = 0, best = none, bestGap = none;
  for (const Extent &extent : taken) {
    if (extent.begin >= top + size && extent.begin - top < bestGap) {
      if (fit == Fit::Lowest)
        return top;
      best = top;
      bestGap = extent.begin - top;
    }
    top = std::max(top, extent.end);
  }
  return best == none ? top : best;
}

uint64_t ArenaPacker::findOffset(uint32_t buffer, Fit fit) {
  effort += placed.size();
  // This loop has no branch, because conflicts are hard to predict.
  size_t numTaken = 0;
  for (uint32_t other : placed) {
    taken[numTaken] = {offsets[other], endOf(other)};
    numTaken += graph.conflict(buffer, other);
  }
  return findGap(std::span(taken).first(numTaken), graph.sizeOf(buffer), fit);
}

uint64_t ArenaPacker::place(std::span<const uint32_t> order, Fit fit,
                            uint64_t limit) {
  uint64_t peak = 0;
  for (uint32_t buffer : order) {
    uint64_t offset = findOffset(buffer, fit);
    offsets[buffer] = offset;
    auto at = std::upper_bound(
        placed.begin(), placed.end(), offset,
        [&](uint64_t o, uint32_t other) { return o < offsets[other]; });
    placed.insert(at, buffer);
    peak = std::max(peak, endOf(buffer));
    if (peak > limit)
      break;
  }
  return peak;
}

namespace {

class OrderSearch {
public:
  OrderSearch(const ConflictGraph &graph, const Packing &start)
      : graph(graph), packer(graph), order(start.order), fit(start.fit),
        position(graph.numBuffers()) {}

  Packing run(uint64_t target, uint64_t effort);

private:
  uint32_t pick(size_t count) {
    return static_cast<uint32_t>(random.next() % count);
  }
  uint32_t chooseFocus();
  size_t choosePosition(uint32_t focus);
  bool tryMove(uint32_t focus, size_t to);
  void noteHeights();

  const ConflictGraph &graph;
  ArenaPacker packer;
  std::vector<uint32_t> order;
  Fit fit;
  /// The position of each buffer in `order`.
  std::vector<size_t> position;
  std::vector<uint32_t> candidates;
  std::vector<uint32_t> atPeak;
  std::vector<uint64_t> savedOffsets;
  std::vector<uint32_t> savedPlaced;
  uint64_t peak = 0;
  // Any constant works, but it must be the same everywhere, so that plans are
  // reproducible.
  SplitMix64 random{0x77656972};
};

} // namespace

void OrderSearch::noteHeights() {
  atPeak.clear();
  for (size_t i = 0; i < order.size(); ++i) {
    position[order[i]] = i;
    if (packer.endOf(order[i]) == peak)
      atPeak.push_back(order[i]);
  }
}

/// Returns a buffer at the peak, or a buffer of the stack that carries it. In a
/// stack, each buffer begins where the buffer below it ends.
uint32_t OrderSearch::chooseFocus() {
  uint32_t focus = atPeak[pick(atPeak.size())];
  while (pick(2)) {
    candidates.clear();
    for (uint32_t other : order)
      if (packer.endOf(other) == packer.offsets[focus] &&
          graph.conflict(focus, other))
        candidates.push_back(other);
    if (candidates.empty())
      break;
    focus = candidates[pick(candidates.size())];
  }
  return focus;
}

/// Returns a new position for `focus`. Usually it is the position of a buffer
/// that precedes `focus` and conflicts with it. Sometimes it is the front.
size_t OrderSearch::choosePosition(uint32_t focus) {
  if (pick(8) == 0)
    return 0;
  candidates.clear();
  for (uint32_t other : std::span(order).first(position[focus]))
    if (graph.conflict(focus, other))
      candidates.push_back(other);
  if (candidates.empty())
    return pick(position[focus] + 1);
  return position[candidates[pick(candidates.size())]];
}

/// Moves `focus` forward to position `to`, and undoes the move if the peak
/// grows.
bool OrderSearch::tryMove(uint32_t focus, size_t to) {
  size_t from = position[focus];
  auto at = [&](size_t i) {
    return order.begin() + static_cast<std::ptrdiff_t>(i);
  };
  savedOffsets = packer.offsets;
  savedPlaced = packer.placed;
  std::rotate(at(to), at(from), at(from + 1));
  uint64_t front = 0;
  for (size_t i = 0; i < to; ++i)
    front = std::max(front, packer.endOf(order[i]));
  std::erase_if(packer.placed,
                [&](uint32_t buffer) { return position[buffer] >= to; });
  uint64_t found =
      std::max(front, packer.place(std::span(order).subspan(to), fit, peak));
  if (found > peak) {
    std::rotate(at(to), at(to + 1), at(from + 1));
    std::swap(packer.offsets, savedOffsets);
    std::swap(packer.placed, savedPlaced);
    return false;
  }
  peak = found;
  return true;
}

Packing OrderSearch::run(uint64_t target, uint64_t effort) {
  peak = packer.place(order, fit, ~uint64_t(0));
  noteHeights();
  while (peak > target && packer.effort < effort) {
    uint32_t focus = chooseFocus();
    size_t to = choosePosition(focus);
    // A step that visits no pairs counts too, so that the loop ends.
    packer.effort += order.size();
    if (to != position[focus] && tryMove(focus, to))
      noteHeights();
  }
  // No step has increased the peak, so the last order is the best.
  return {std::move(order), fit, std::move(packer.offsets), peak, "search"};
}

/// Places the buffers of `order`, with the help of the lists of neighbours.
static Packing packSparse(const ConflictGraph &graph,
                          std::vector<uint32_t> order, Fit fit,
                          std::string_view method) {
  std::vector<uint64_t> offsets(graph.numBuffers());
  std::vector<bool> isPlaced(graph.numBuffers());
  std::vector<Extent> taken;
  uint64_t peak = 0;
  for (uint32_t buffer : order) {
    taken.clear();
    for (uint32_t other : graph.neighbours(buffer))
      if (isPlaced[other])
        taken.push_back({offsets[other], offsets[other] + graph.sizeOf(other)});
    std::sort(taken.begin(), taken.end(), [](const Extent &a, const Extent &b) {
      return a.begin < b.begin;
    });
    offsets[buffer] = findGap(taken, graph.sizeOf(buffer), fit);
    isPlaced[buffer] = true;
    peak = std::max(peak, offsets[buffer] + graph.sizeOf(buffer));
  }
  return {std::move(order), fit, std::move(offsets), peak, method};
}

Packing weir::analysis::packInOrder(const ConflictGraph &graph,
                                    std::vector<uint32_t> order, Fit fit,
                                    std::string_view method) {
  if (graph.isSparse())
    return packSparse(graph, std::move(order), fit, method);
  ArenaPacker packer(graph);
  uint64_t peak = packer.place(order, fit, ~uint64_t(0));
  return {std::move(order), fit, std::move(packer.offsets), peak, method};
}

Packing weir::analysis::searchOrders(const ConflictGraph &graph,
                                     const Packing &start, uint64_t target,
                                     uint64_t effort) {
  return OrderSearch(graph, start).run(target, effort);
}
