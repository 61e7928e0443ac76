//===- ArenaPacker.h - Places buffers one by one in a given order ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_ARENAPACKER_H
#define WEIR_LIB_ANALYSIS_ARENAPACKER_H

#include "weir/Analysis/Liveness.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace weir::analysis {

/// Buffers with sizes in bytes (aligned, above zero). Two buffers conflict if
/// they are live in a common step and so may not share bytes.
class ConflictGraph {
public:
  explicit ConflictGraph(std::vector<LiveBuffer> buffers);

  uint32_t numBuffers() const { return static_cast<uint32_t>(buffers.size()); }
  std::span<const LiveBuffer> liveness() const { return buffers; }
  uint64_t sizeOf(uint32_t buffer) const { return buffers[buffer].bytes; }
  bool conflict(uint32_t a, uint32_t b) const {
    return (buffers[a].first <= buffers[b].last) &&
           (buffers[b].first <= buffers[a].last);
  }

  /// Whether an algorithm that visits all pairs of buffers may take too long.
  bool isLarge() const { return buffers.size() > fewest; }
  /// Whether `neighbours` lists the conflicts. They are listed if there are
  /// many buffers and few of them are live at once, as in long programs.
  bool isSparse() const { return !offsets.empty(); }
  std::span<const uint32_t> neighbours(uint32_t buffer) const {
    return std::span(lists).subspan(offsets[buffer],
                                    offsets[buffer + 1] - offsets[buffer]);
  }
  /// The number of pairs that are visited to place all buffers once.
  uint64_t effortPerOrder() const {
    uint64_t n = buffers.size();
    return isSparse() ? effortPerEntry * lists.size() + n : n * n / 2;
  }

private:
  /// For fewer buffers, visiting all pairs is faster than sorting neighbours.
  static constexpr size_t fewest = 2000;
  /// The time that one entry of a list takes, in visits of pairs. An entry
  /// takes more time than a pair, because lists are sorted and need branches.
  static constexpr size_t effortPerEntry = 8;

  void listNeighbours();

  std::vector<LiveBuffer> buffers;
  /// Buffer i conflicts with the buffers from lists[offsets[i]] to
  /// lists[offsets[i + 1]].
  std::vector<uint32_t> lists;
  std::vector<size_t> offsets;
};

/// The gap between placed neighbours that a buffer gets.
enum class Fit : uint8_t { Lowest, Tightest };

/// A used range of the arena.
struct Extent {
  uint64_t begin;
  uint64_t end;
};

/// A partial placement. The offset of a buffer is valid once it is placed.
class ArenaPacker {
public:
  explicit ArenaPacker(const ConflictGraph &graph)
      : offsets(graph.numBuffers()), graph(graph),
        taken(graph.numBuffers() + 1) {}

  /// Places the buffers of `order` one after the other. Buffers placed before
  /// stay where they are. Stops if a buffer ends above `limit`. Returns the
  /// highest end.
  uint64_t place(std::span<const uint32_t> order, Fit fit, uint64_t limit);

  uint64_t endOf(uint32_t buffer) const {
    return offsets[buffer] + graph.sizeOf(buffer);
  }

  std::vector<uint64_t> offsets;
  /// The placed buffers, ordered by offset.
  std::vector<uint32_t> placed;
  /// The number of visited pairs of buffers so far.
  uint64_t effort = 0;

private:
  uint64_t findOffset(uint32_t buffer, Fit fit);

  const ConflictGraph &graph;
  std::vector<Extent> taken;
};

/// A placement of the buffers of `order`, in that order.
struct Packing {
  std::vector<uint32_t> order;
  Fit fit = Fit::Lowest;
  /// The offset of each buffer of the graph; undefined if the buffer is not in
  /// `order`.
  std::vector<uint64_t> offsets;
  uint64_t peak = ~uint64_t(0);
  std::string_view method;
};

/// Places the buffers of `order`. The graph may have more buffers.
Packing packInOrder(const ConflictGraph &graph, std::vector<uint32_t> order,
                    Fit fit, std::string_view method);

/// Improves `start` until its peak is `target` or `effort` pairs were visited.
/// In each step, one buffer moves forward in the order: a buffer at the peak,
/// or a buffer that carries such a buffer. The step is undone if the peak
/// grows.
Packing searchOrders(const ConflictGraph &graph, const Packing &start,
                     uint64_t target, uint64_t effort);

} // namespace weir::analysis

#endif // WEIR_LIB_ANALYSIS_ARENAPACKER_H
