//===- Clusters.h - Which ops become one generated kernel -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// An op joins a cluster that computes one of its operands if both can be done
// row by row: then what passes between them stays in cache or registers, and a
// launch is saved. Clusters, and what else is launched, are put in an order in
// which each reads only from earlier ones; an op joins only where that order
// stays as it is, so no two clusters ever wait for each other.
//
// Where clusters end depends on annotations, and bits must not. So what
// combines elements never joins ops that move them: it finds its operands in
// the same order whether they come from memory or not.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_CLUSTERS_H
#define WEIR_ANALYSIS_CLUSTERS_H

#include <cstdint>
#include <vector>

namespace weir::analysis {

/// An op, as far as clusters are concerned.
struct ClusterNode {
  struct Operand {
    /// The node that computes it.
    int producer;
    /// How many parts of the operand give as many parts of the result, each
    /// one part.
    int64_t rows;
  };
  /// What other nodes compute; what comes from elsewhere is left out.
  std::vector<Operand> operands;
  /// Whether code is generated for the op. Others are launched by themselves.
  bool isGenerated = false;
  /// Whether it combines elements: in which order may depend on how they are
  /// found.
  bool reduces = false;
  /// Whether what it makes is found elsewhere in what it reads.
  bool movesElements = false;
  /// Elements of its results.
  int64_t elements = 0;
  /// Where it was asked to run: equal numbers for the same place, -1 anywhere.
  int annotation = -1;
  /// Of a node that is not generated: the number of the node at whose place it
  /// is launched, which may be a later one.
  int launchedAt = -1;
};

struct Cluster {
  /// In order.
  std::vector<int> nodes;
  /// Nodes that only their annotation kept out.
  std::vector<int> split;
  /// Clusters and the nodes of `launchedAt` in order of this number are in an
  /// order in which they can run.
  int order = 0;
};

/// The clusters of generated nodes; each node comes after its producers. Takes
/// time in proportion to nodes and operands.
std::vector<Cluster> formClusters(const std::vector<ClusterNode> &nodes);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_CLUSTERS_H
