//===- RandomPlans.cpp - Random programs for several devices --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RandomPlans.h"

#include "weir/Support/HostTensor.h"

#include <algorithm>
#include <random>

using namespace weir;
using namespace weir::test;

static constexpr int64_t width = 16;

std::string RandomGraph::nameOf(size_t node) {
  return std::string("n").append(std::to_string(node));
}

RandomGraph RandomGraph::draw(unsigned seed, size_t numNodes,
                              uint16_t numDevices) {
  std::mt19937 rng(seed);
  RandomGraph graph;
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

double RandomGraph::expected() const {
  std::vector<double> values = {1};
  for (size_t node = 1; node < operands.size(); ++node) {
    double sum = 0;
    for (size_t operand : operands[node])
      sum += values[operand];
    values.push_back(sum);
  }
  return values.back();
}

RandomPlan::RandomPlan(const RandomGraph &graph, const std::string &kind,
                       uint16_t numDevices, size_t failingNode,
                       const std::vector<std::byte> &gpuCode)
    : graph(graph), kind(kind), numDevices(numDevices) {
  if (!gpuCode.empty())
    code = plan.gpuCode(gpuCode);
  for (uint16_t d = 0; d < numDevices; ++d)
    plan.device(kind + ":" + std::to_string(d), /*isolated=*/true);
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

uint32_t RandomPlan::place(size_t node, uint16_t device) {
  return at[node][device] = plan.scratch(width, device);
}

void RandomPlan::compute(size_t node, bool fails) {
  const uint16_t device = graph.device[node];
  std::vector<uint32_t> operands;
  plan.on(device);
  for (size_t operand : graph.operands[node]) {
    operands.push_back(at[operand][device]);
    if (graph.device[operand] != device)
      plan.wait(arrived[{operand, device}]);
  }
  if (kind == "test") {
    plan.launch(RandomGraph::nameOf(node), fails ? "fail" : "add", operands,
                {place(node, device)});
  } else if (operands.size() == 1) {
    plan.copy(RandomGraph::nameOf(node), operands[0], place(node, device));
  } else if (code != none) {
    plan.launchOnGpu(RandomGraph::nameOf(node), code, 0, operands,
                     place(node, device));
  } else {
    AttrMap attrs;
    attrs.set("algorithm", std::string("binary_add"));
    plan.launch(RandomGraph::nameOf(node), "binary", operands,
                {place(node, device)}, attrs);
  }
}

bool RandomPlan::reads(uint16_t device, size_t node) const {
  for (size_t reader = node + 1; reader < graph.operands.size(); ++reader)
    for (size_t operand : graph.operands[reader])
      if (operand == node && graph.device[reader] == device)
        return true;
  return false;
}

void RandomPlan::sendToReaders(size_t node) {
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
    plan.on(from, QueueRole::CopyIn).wait(computed);
    plan.copy(RandomGraph::nameOf(node), at[node][from], place(node, to), true);
    plan.record(event);
  }
}

void RandomPlan::finish() {
  const size_t last = graph.operands.size() - 1;
  const uint16_t device = graph.device[last];
  const uint32_t y = plan.hostOutput("y", width);
  plan.on(device).copy("y", at[last][device], y);
}

StatusOr<float> weir::test::runOnOnes(Session &session) {
  const std::vector<float> ones(width, 1);
  std::vector<HostTensor> inputs;
  inputs.push_back(*HostTensor::of<float>(DType::F32, {width}, ones));
  auto outputs = session.run(inputs);
  if (!outputs)
    return outputs.status();
  return (*outputs)[0].values<float>().back();
}
