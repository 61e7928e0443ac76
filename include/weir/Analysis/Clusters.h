//===- Clusters.h - Which ops become one generated kernel -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// An op joins a cluster that computes one of its operands if both can be
// computed row by row. The values between them then stay in cache or registers,
// and a launch is saved. Clusters and all other launches are kept in an order
// in which each reads only from earlier ones. An op joins a cluster only if
// that order remains valid, so no two clusters ever wait for each other.
//
// Where clusters end depends on annotations, but result bits must not. So a
// reduction never joins ops that move elements: it then reads its operands in
// the same order whether they come from memory or not.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_CLUSTERS_H
#define WEIR_ANALYSIS_CLUSTERS_H

#include <cstdint>
#include <vector>

namespace weir::analysis {

/// Of a reduction with at least so many results, threads share the results.
/// With fewer, each of at least so many elements, they share the elements.
inline constexpr int64_t enoughResults = 16;
inline constexpr int64_t longReduction = int64_t(1) << 17;

/// An op, as the clustering sees it.
struct ClusterNode {
  struct Operand {
    /// The node that computes it.
    int producer;
    /// The number of rows: parts of the operand of which each gives one part of
    /// the result.
    int64_t rows;
  };
  /// The operands that other nodes compute; others are left out.
  std::vector<Operand> operands;
  /// Whether code is generated for the op. Other ops are launched separately.
  bool isGenerated = false;
  /// Whether it combines elements, so that the order of its loops affects
  /// result bits.
  bool reduces = false;
  /// Whether it moves elements: an element of the result is at another place in
  /// the operand.
  bool movesElements = false;
  /// Whether it alone reads operand 0, and few elements of it: the others need
  /// not be computed where one kernel does both.
  bool picksFew = false;
  /// Elements of its results.
  int64_t elements = 0;
  /// The device that its annotation names: equal numbers for the same device,
  /// -1 for none.
  int annotation = -1;
  /// For a node that is not generated: the number of the node at whose position
  /// it is launched, which may be a later one.
  int launchedAt = -1;
};

struct Cluster {
  /// The nodes in order.
  std::vector<int> nodes;
  /// Nodes that would have joined but for their annotation.
  std::vector<int> split;
  /// Sorted by this number, clusters and the nodes of `launchedAt` are in an
  /// order in which they can run.
  int order = 0;
};

/// The clusters of generated nodes. Each node must come after its producers.
/// Takes time linear in the number of nodes and operands.
std::vector<Cluster> formClusters(const std::vector<ClusterNode> &nodes);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_CLUSTERS_H
