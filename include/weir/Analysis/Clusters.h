//===- Clusters.h - Which ops become one generated kernel -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// An op joins a cluster that computes one of its operands if both can be
// computed row by row. Then the values between them stay in cache or registers,
// and a launch is saved. Clusters and all other launches are kept in an order
// in which each launch reads only from earlier launches. An op joins a cluster
// only if that order remains valid, so no two clusters ever wait for each
// other.
//
// Where clusters end depends on annotations, but result bits must not. A
// reduction therefore never joins ops that move elements. It then reads its
// operands in the same order whether they come from memory or not.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_CLUSTERS_H
#define WEIR_ANALYSIS_CLUSTERS_H

#include <cstdint>
#include <functional>
#include <vector>

namespace weir::analysis {

/// Threads divide the results of a reduction among them if there are at least
/// `enoughResults`. If there are fewer results, and each result combines at
/// least `longReduction` elements, threads divide the elements.
inline constexpr int64_t enoughResults = 16;
inline constexpr int64_t longReduction = int64_t(1) << 17;

/// An op, as the clustering sees it.
struct ClusterNode {
  struct Operand {
    /// The node that computes the operand.
    int producer;
    /// The number of rows: one row of the operand gives one row of the result.
    int64_t rows;
  };
  /// The operands that other nodes compute. Other operands are left out.
  std::vector<Operand> operands;
  /// Whether code is generated for the op. Other ops are launched separately.
  bool isGenerated = false;
  /// Whether the op combines elements. The order of its loops then affects the
  /// bits of its result.
  bool reduces = false;
  /// Whether the op moves elements to other positions.
  bool movesElements = false;
  /// Whether the op is the only reader of operand 0 and reads few of its
  /// elements. A kernel that computes both ops need not compute the other
  /// elements.
  bool picksFew = false;
  /// The number of elements of its results.
  int64_t elements = 0;
  /// The number of the node at whose position this node is launched, if no code
  /// is generated for it. That node may be a later one.
  int launchedAt = -1;
};

struct Cluster {
  /// The nodes in order.
  std::vector<int> nodes;
  /// The nodes that did not join only because their annotations differ.
  std::vector<int> split;
  /// The position of the cluster in the order of launches, among the clusters
  /// and the nodes with a `launchedAt`. A cluster reads only from launches
  /// before it.
  int order = 0;
};

/// Says whether the annotation of `node` lets it join the cluster whose first
/// node is `first`.
using MayJoin = std::function<bool(int node, int first)>;

/// The clusters of generated nodes. Each node must come after its producers.
/// Takes time linear in the number of nodes and operands.
std::vector<Cluster> formClusters(const std::vector<ClusterNode> &nodes,
                                  const MayJoin &mayJoin);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_CLUSTERS_H
