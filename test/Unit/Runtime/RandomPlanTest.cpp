//===- RandomPlanTest.cpp - Tests of sessions on random programs ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Random graphs over several devices and queues, with an event for every edge
// between queues. Under the thread sanitizer they show that events order what
// they must; with a failing op in turn at each place, that nothing hangs.
//
//===----------------------------------------------------------------------===//

#include "PlanBuilder.h"
#include "TestKernels.h"
#include "weir/Runtime/Session.h"
#include "weir/Support/HostTensor.h"

#include <gtest/gtest.h>
#include <random>

using namespace weir;
using namespace weir::test;

namespace {

constexpr int64_t width = 16;

std::string nameOf(size_t node) {
  return std::string("n").append(std::to_string(node));
}

std::string deviceName(size_t device) {
  return std::string("test:").append(std::to_string(device));
}

/// A graph of sums: node i adds up some earlier nodes and node 0 is the input.
struct Graph {
  std::vector<std::vector<size_t>> operands;
  std::vector<uint16_t> device;

  static Graph random(unsigned seed, size_t numNodes, uint16_t numDevices) {
    std::mt19937 rng(seed);
    Graph graph;
    graph.operands.resize(1);
    graph.device.push_back(0);
    for (size_t node = 1; node < numNodes; ++node) {
      std::vector<size_t> operands;
      const size_t numOperands = 1 + rng() % 2;
      for (size_t i = 0; i < numOperands; ++i)
        operands.push_back(node - 1 - rng() % std::min<size_t>(node, 6));
      graph.operands.push_back(operands);
      graph.device.push_back(static_cast<uint16_t>(rng() % numDevices));
    }
    return graph;
  }

  /// What the last node is when the input is all ones.
  double expected() const {
    std::vector<double> values = {1};
    for (size_t node = 1; node < operands.size(); ++node) {
      double sum = 0;
      for (size_t operand : operands[node])
        sum += values[operand];
      values.push_back(sum);
    }
    return values.back();
  }
};

/// Writes the plan of a graph. Every value that another device reads is copied
/// to it once, by the producer's copy queue.
class GraphPlan {
public:
  GraphPlan(const Graph &graph, uint16_t numDevices, size_t failingNode)
      : graph(graph), numDevices(numDevices) {
    for (uint16_t d = 0; d < numDevices; ++d)
      plan.device(deviceName(d), /*isolated=*/true);
    const uint32_t x = plan.hostInput("x", width);
    at.assign(graph.operands.size(), std::vector<uint32_t>(numDevices, none));
    plan.on(0).copy("x", x, place(0, 0));
    sendToReaders(0);
    for (size_t node = 1; node < graph.operands.size(); ++node) {
      compute(node, node == failingNode);
      sendToReaders(node);
    }
    finish();
  }
  PlanBuilder plan;

private:
  static constexpr uint32_t none = UINT32_MAX;

  uint32_t place(size_t node, uint16_t device) {
    return at[node][device] = plan.scratch(width, device);
  }

  void compute(size_t node, bool fails) {
    const uint16_t device = graph.device[node];
    std::vector<uint32_t> operands;
    plan.on(device);
    for (size_t operand : graph.operands[node]) {
      operands.push_back(at[operand][device]);
      if (graph.device[operand] != device)
        plan.wait(arrived[{operand, device}]);
    }
    plan.launch(nameOf(node), fails ? "fail" : "add", operands,
                {place(node, device)});
  }

  bool reads(uint16_t device, size_t node) const {
    for (size_t reader = node + 1; reader < graph.operands.size(); ++reader)
      for (size_t operand : graph.operands[reader])
        if (operand == node && graph.device[reader] == device)
          return true;
    return false;
  }

  void sendToReaders(size_t node) {
    const uint16_t from = graph.device[node];
    uint32_t computed = none;
    for (uint16_t to = 0; to < numDevices; ++to) {
      if (to == from || !reads(to, node))
        continue;
      if (computed == none) {
        computed = plan.event();
        plan.on(from).record(computed);
      }
      const uint32_t event = arrived[{node, to}] = plan.event();
      plan.on(from, 1).wait(computed);
      plan.copy(nameOf(node), at[node][from], place(node, to), true);
      plan.record(event);
    }
  }

  void finish() {
    const size_t last = graph.operands.size() - 1;
    const uint16_t device = graph.device[last];
    const uint32_t y = plan.hostOutput("y", width);
    plan.on(device).copy("y", at[last][device], y);
  }

  const Graph &graph;
  uint16_t numDevices;
  /// The buffer of each node on each device.
  std::vector<std::vector<uint32_t>> at;
  std::map<std::pair<size_t, uint16_t>, uint32_t> arrived;
};

StatusOr<float> runOnOnes(Session &session) {
  const std::vector<float> ones(width, 1);
  std::vector<HostTensor> inputs;
  inputs.push_back(*HostTensor::of<float>(DType::F32, {width}, ones));
  auto outputs = session.run(inputs);
  if (!outputs)
    return outputs.status();
  return (*outputs)[0].values<float>().back();
}

class RandomPlan : public testing::TestWithParam<unsigned> {};

// The sum is right on every run, whatever the devices overtake.
TEST_P(RandomPlan, ComputesTheSum) {
  const Graph graph = Graph::random(GetParam(), 40, 3);
  GraphPlan builder(graph, 3, 0);
  auto session = Session::load(builder.plan.bytes(), testOptions());
  ASSERT_TRUE(session.isOk()) << session.status().message();
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(*runOnOnes(**session), static_cast<float>(graph.expected()));
}

// Whichever op fails, the run ends with its name and the session works on.
TEST_P(RandomPlan, EndsWhereverAnOpFails) {
  const Graph graph = Graph::random(GetParam(), 12, 3);
  for (size_t node = 1; node < graph.operands.size(); ++node) {
    GraphPlan builder(graph, 3, node);
    auto session = Session::load(builder.plan.bytes(), testOptions());
    ASSERT_TRUE(session.isOk()) << session.status().message();
    for (int i = 0; i < 2; ++i) {
      auto result = runOnOnes(**session);
      ASSERT_FALSE(result.isOk());
      EXPECT_EQ(result.status().message().substr(0, 16),
                ("op '" + nameOf(node) + "' on test:").substr(0, 16));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlan, testing::Range(0u, 20u));

} // namespace
