//===- RandomPlans.h - Random programs for several devices ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_RANDOMPLANS_H
#define WEIR_TEST_UNIT_RUNTIME_RANDOMPLANS_H

#include "PlanBuilder.h"
#include "weir/Runtime/Session.h"

#include <map>
#include <string>
#include <vector>

namespace weir::test {

/// A graph of sums: node i adds up one or two earlier nodes, and node 0 is the
/// input.
struct RandomGraph {
  std::vector<std::vector<size_t>> operands;
  std::vector<uint16_t> device;

  static RandomGraph draw(unsigned seed, size_t numNodes, uint16_t numDevices);

  static std::string nameOf(size_t node);

  /// What the last node is when the input is all ones.
  double expected() const;
};

/// Writes the plan of a graph, with an event for every edge between queues.
/// Every value that another device reads is copied to it once, by the copy
/// queue of its producer.
class RandomPlan {
public:
  /// Devices of the kind `kind`, whose kernel "add" or "binary" adds two
  /// vectors. Node `failingNode` is a launch of the kernel "fail", if it is not
  /// 0. With `gpuCode`, entry 0 of this code adds them.
  RandomPlan(const RandomGraph &graph, const std::string &kind,
             uint16_t numDevices, size_t failingNode = 0,
             const std::vector<std::byte> &gpuCode = {});
  PlanBuilder plan;

private:
  static constexpr uint32_t none = UINT32_MAX;

  uint32_t place(size_t node, uint16_t device);
  void compute(size_t node, bool fails);
  bool reads(uint16_t device, size_t node) const;
  void sendToReaders(size_t node);
  void finish();

  const RandomGraph &graph;
  std::string kind;
  uint16_t numDevices;
  /// The blob with code for GPUs, or none.
  uint32_t code = none;
  /// The buffer of each node on each device.
  std::vector<std::vector<uint32_t>> at;
  std::map<std::pair<size_t, uint16_t>, uint32_t> arrived;
};

/// The last element of the output for an input of ones.
StatusOr<float> runOnOnes(Session &session);

} // namespace weir::test

#endif // WEIR_TEST_UNIT_RUNTIME_RANDOMPLANS_H
