//===- Clusters.cpp - Which ops become one generated kernel ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Clusters.h"

#include <algorithm>
#include <limits>

using namespace weir::analysis;

namespace {
/// The most nodes of a cluster, so that compile time per kernel is bounded.
constexpr size_t maxNodes = 32;
/// The number of rows that is enough to divide between threads.
constexpr int64_t enoughRows = 16;
/// Clusters with at most this many elements are too small to divide.
constexpr int64_t fewElements = 4096;

struct OpenCluster {
  Cluster cluster;
  int64_t rows = std::numeric_limits<int64_t>::max();
  int64_t elements = 0;
  bool movesElements = false;
};

class ClusterBuilder {
public:
  ClusterBuilder(const std::vector<ClusterNode> &nodes, const MayJoin &mayJoin)
      : nodes(nodes), mayJoin(mayJoin), clusterOf(nodes.size(), -1) {}

  std::vector<Cluster> build();

private:
  int getOrder(int node) const;
  int findCluster(int node);
  bool keepsOrder(int node, int candidate) const;
  bool hasRoom(int node, const OpenCluster &open) const;
  bool sharesRows(int node, const OpenCluster &open, int number,
                  int64_t &rows) const;
  bool isLongReduction(int node, int number) const;
  void add(int node, int number, int64_t rows);

  const std::vector<ClusterNode> &nodes;
  const MayJoin &mayJoin;
  std::vector<int> clusterOf;
  std::vector<OpenCluster> clusters;
};
} // namespace

/// The position at which `node` is launched. A cluster keeps the position of
/// its first node when it grows.
int ClusterBuilder::getOrder(int node) const {
  int number = clusterOf[node];
  return number < 0 ? nodes[node].launchedAt : clusters[number].cluster.order;
}

/// Whether each operand of `node` is in cluster `candidate` or is launched
/// before that cluster.
bool ClusterBuilder::keepsOrder(int node, int candidate) const {
  return std::all_of(nodes[node].operands.begin(), nodes[node].operands.end(),
                     [&](const ClusterNode::Operand &operand) {
                       return clusterOf[operand.producer] == candidate ||
                              getOrder(operand.producer) <
                                  clusters[candidate].cluster.order;
                     });
}

bool ClusterBuilder::hasRoom(int node, const OpenCluster &open) const {
  bool mayMeetMoved = open.movesElements || nodes[node].movesElements;
  return open.cluster.nodes.size() < maxNodes &&
         !(nodes[node].reduces && mayMeetMoved);
}

/// Whether `node` reduces many elements of cluster `number` to few results.
bool ClusterBuilder::isLongReduction(int node, int number) const {
  int64_t results = nodes[node].elements;
  return nodes[node].reduces && results > 0 && results < enoughResults &&
         std::any_of(nodes[node].operands.begin(), nodes[node].operands.end(),
                     [&](const ClusterNode::Operand &operand) {
                       return clusterOf[operand.producer] == number &&
                              nodes[operand.producer].elements / results >=
                                  longReduction;
                     });
}

/// Whether `node` and cluster `number` can be computed together, in parts that
/// keep threads busy. Sets `rows` to the number of rows that both share.
bool ClusterBuilder::sharesRows(int node, const OpenCluster &open, int number,
                                int64_t &rows) const {
  rows = open.rows;
  for (const ClusterNode::Operand &operand : nodes[node].operands)
    if (clusterOf[operand.producer] == number)
      rows = std::min(rows, operand.rows);
  return rows >= enoughRows || nodes[node].picksFew ||
         isLongReduction(node, number) ||
         std::max(open.elements, nodes[node].elements) <= fewElements;
}

void ClusterBuilder::add(int node, int number, int64_t rows) {
  OpenCluster &open = clusters[number];
  open.cluster.nodes.push_back(node);
  open.rows = rows;
  open.elements = std::max(open.elements, nodes[node].elements);
  open.movesElements |= nodes[node].movesElements;
  clusterOf[node] = number;
}

/// Adds `node` to the latest cluster that it can join. Returns the number of
/// the cluster, or -1.
int ClusterBuilder::findCluster(int node) {
  int best = -1;
  int64_t bestRows = 0;
  for (const ClusterNode::Operand &operand : nodes[node].operands) {
    int number = clusterOf[operand.producer];
    if (number <= best)
      continue;
    OpenCluster &open = clusters[number];
    int64_t rows;
    if (!hasRoom(node, open) || !keepsOrder(node, number) ||
        !sharesRows(node, open, number, rows))
      continue;
    if (!mayJoin(node, open.cluster.nodes.front())) {
      open.cluster.split.push_back(node);
      continue;
    }
    best = number;
    bestRows = rows;
  }
  if (best >= 0)
    add(node, best, bestRows);
  return best;
}

std::vector<Cluster> ClusterBuilder::build() {
  for (int node = 0; node < static_cast<int>(nodes.size()); ++node) {
    if (!nodes[node].isGenerated || findCluster(node) >= 0)
      continue;
    OpenCluster &open = clusters.emplace_back();
    open.cluster.order = node;
    add(node, static_cast<int>(clusters.size()) - 1, open.rows);
  }
  std::vector<Cluster> result;
  for (OpenCluster &open : clusters)
    result.push_back(std::move(open.cluster));
  return result;
}

std::vector<Cluster>
weir::analysis::formClusters(const std::vector<ClusterNode> &nodes,
                             const MayJoin &mayJoin) {
  return ClusterBuilder(nodes, mayJoin).build();
}
