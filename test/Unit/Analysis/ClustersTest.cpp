//===- ClustersTest.cpp - Which ops become one generated kernel -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Clusters.h"

#include <gtest/gtest.h>

#include <random>

using namespace weir::analysis;

namespace {
constexpr int64_t many = 1 << 20;

/// A generated op on large tensors that reads `producers` row by row.
ClusterNode generated(std::vector<int> producers, int64_t rows = 1024) {
  ClusterNode node;
  for (int producer : producers)
    node.operands.push_back({producer, rows});
  node.isGenerated = true;
  node.elements = many;
  return node;
}

ClusterNode library(std::vector<int> producers, int launchedAt) {
  ClusterNode node = generated(std::move(producers));
  node.isGenerated = false;
  node.launchedAt = launchedAt;
  return node;
}

bool joinsAny(int, int) { return true; }

std::vector<std::vector<int>> form(const std::vector<ClusterNode> &nodes) {
  std::vector<std::vector<int>> result;
  for (Cluster &cluster : formClusters(nodes, joinsAny))
    result.push_back(cluster.nodes);
  return result;
}

using Groups = std::vector<std::vector<int>>;
} // namespace

// What combines all elements to few joins where they are computed: tiles of
// them are shared. Many results, or few elements each, are rows.
TEST(Clusters, EndInLongReductions) {
  ClusterNode total = generated({0}, 1);
  total.reduces = true;
  total.elements = 1;
  EXPECT_EQ(form({generated({}), total}), (Groups{{0, 1}}));
  total.elements = 15;
  EXPECT_EQ(form({generated({}), total}), (Groups{{0}, {1}}));
  total.elements = 1;
  ClusterNode fewer = generated({});
  fewer.elements = many / 16;
  EXPECT_EQ(form({fewer, total}), (Groups{{0}, {1}}));
  // Nothing that needs rows joins behind it.
  EXPECT_EQ(form({generated({}), total, generated({0, 1}, 1)}),
            (Groups{{0, 1}, {2}}));
}

// What picks few elements joins where they are computed.
TEST(Clusters, EndInFewPickedElements) {
  ClusterNode picked = generated({0}, 1);
  picked.movesElements = picked.picksFew = true;
  picked.elements = 1;
  EXPECT_EQ(form({generated({}), picked}), (Groups{{0, 1}}));
}

// A diamond of generated ops is one kernel.
TEST(Clusters, TakeBranchesThatJoin) {
  EXPECT_EQ(
      form({generated({}), generated({0}), generated({0}), generated({1, 2})}),
      (Groups{{0, 1, 2, 3}}));
}

// The last op reads the cluster both directly and through a library op. If it
// joined, the cluster and the library op would wait for each other.
TEST(Clusters, NeverMakeACycle) {
  EXPECT_EQ(form({generated({}), library({0}, 1), generated({0, 1})}),
            (Groups{{0}, {2}}));
}

// A library op that is launched later than its position counts as later.
TEST(Clusters, AskWhenALibraryOpIsLaunched) {
  EXPECT_EQ(form({library({}, 0), generated({0}), generated({1, 0})}),
            (Groups{{1, 2}}));
  EXPECT_EQ(form({library({}, 3), generated({}), generated({1}),
                  library({2}, 3), generated({2, 3})}),
            (Groups{{1, 2}, {4}}));
}

// Without common rows an op stays separate, unless all is small.
TEST(Clusters, NeedRowsInCommon) {
  EXPECT_EQ(form({generated({}), generated({0}, 1)}), (Groups{{0}, {1}}));
  std::vector<ClusterNode> small = {generated({}), generated({0}, 1)};
  for (ClusterNode &node : small)
    node.elements = 64;
  EXPECT_EQ(form(small), (Groups{{0, 1}}));
}

// The number of common rows shrinks from op to op; only the final one counts.
TEST(Clusters, CountTheRowsThatAllShare) {
  EXPECT_EQ(form({generated({}), generated({0}, 4096), generated({1}, 8)}),
            (Groups{{0, 1}, {2}}));
}

// A reduction never joins ops that move elements, because its order would
// depend on where the cluster begins. Ops that move elements may follow it.
TEST(Clusters, CombineElementsWhereTheyLie) {
  std::vector<ClusterNode> nodes = {generated({}), generated({0}),
                                    generated({1}), generated({2})};
  nodes[1].movesElements = true;
  nodes[2].reduces = true;
  nodes[3].movesElements = true;
  EXPECT_EQ(form(nodes), (Groups{{0, 1}, {2, 3}}));
  nodes[1].reduces = true;
  EXPECT_EQ(form(nodes), (Groups{{0}, {1}, {2, 3}}));
}

// An annotation keeps an op out, which is reported. Ops without one may join.
TEST(Clusters, RespectAnnotations) {
  std::vector<ClusterNode> nodes = {generated({}), generated({0}),
                                    generated({1}), generated({2})};
  const auto joins = [](int node, int first) {
    return node != 2 || first == 2;
  };
  std::vector<Cluster> clusters = formClusters(nodes, joins);
  ASSERT_EQ(clusters.size(), 2u);
  EXPECT_EQ(clusters[0].nodes, (std::vector<int>{0, 1}));
  EXPECT_EQ(clusters[0].split, (std::vector<int>{2}));
  EXPECT_EQ(clusters[1].nodes, (std::vector<int>{2, 3}));
}

// A long chain is cut in kernels of bounded size.
TEST(Clusters, AreBounded) {
  std::vector<ClusterNode> nodes = {generated({})};
  for (int i = 1; i < 1000; ++i)
    nodes.push_back(generated({i - 1}));
  Groups groups = form(nodes);
  EXPECT_EQ(groups.size(), 32u);
  for (const std::vector<int> &group : groups)
    EXPECT_LE(group.size(), 32u);
}

// On random graphs the order of clusters is one in which they can run.
TEST(Clusters, RunInTheirOrder) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::vector<ClusterNode> nodes;
    for (int i = 0; i < 60; ++i) {
      std::vector<int> producers;
      for (int k = 0; i > 0 && k < 2; ++k)
        producers.push_back(static_cast<int>(random() % i));
      nodes.push_back(random() % 3 ? generated(producers)
                                   : library(producers, i));
    }
    std::vector<int> order(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i)
      order[i] = nodes[i].launchedAt;
    for (const Cluster &cluster : formClusters(nodes, joinsAny))
      for (int node : cluster.nodes)
        order[node] = cluster.order;
    for (size_t i = 0; i < nodes.size(); ++i)
      for (const ClusterNode::Operand &operand : nodes[i].operands)
        ASSERT_LE(order[operand.producer], order[i])
            << "seed " << seed << ", node " << i;
  }
}
