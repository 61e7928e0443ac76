//===- PlacementTest.cpp - Which device runs which group, and why ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Placement.h"

#include <gtest/gtest.h>

using namespace weir;
using namespace weir::analysis;

namespace {
/// A kind with memory of its own.
const DeviceKindInfo gpuInfo = [] {
  DeviceKindInfo info = *DeviceKind::CPU.operator->();
  info.name = "gpu";
  info.hasOwnMemory = true;
  info.isEverywhere = false;
  return info;
}();
const DeviceKind gpuKind(gpuInfo);

const DeviceName cpu0{0, DeviceKind::CPU, 0}, cpu1{0, DeviceKind::CPU, 1},
    cpu2{0, DeviceKind::CPU, 2}, gpu0{0, gpuKind, 0};

/// A graph over a device list that is built group by group.
struct Graph {
  std::vector<DeviceName> devices = {cpu0, cpu1, gpu0};
  std::vector<PlacementGroup> groups;

  uint32_t add(std::string name, std::vector<PlacementOperand> operands = {},
               std::optional<DeviceName> annotation = std::nullopt) {
    std::vector<DeviceOption> options(devices.size());
    for (size_t i = 0; i < options.size(); ++i)
      options[i].seconds = 1e-6 * static_cast<double>(i + 1);
    groups.push_back(
        {std::move(name), std::move(operands), annotation, std::move(options)});
    return static_cast<uint32_t>(groups.size() - 1);
  }
  /// The value of `group`, of 100 bytes unless told.
  static PlacementOperand from(uint32_t group, uint64_t bytes = 100) {
    return {group, group, bytes};
  }
  void forbid(uint32_t group, std::vector<uint32_t> illegal) {
    for (uint32_t device : illegal)
      groups[group].options[device].illegalReason = "no kernel for weir.conv";
  }
  PlacementResult place(PlacementOptions options = {}) const {
    std::vector<PlacementDevice> listed;
    for (uint32_t i = 0; i < devices.size(); ++i)
      listed.push_back({devices[i], i});
    return placeGroups(groups, listed, options);
  }
};

using Reason = PlacementReason;
} // namespace

// Annotations win over operands; groups without one follow their operands.
TEST(PlacementTest, annotationsWinAndOthersFollow) {
  Graph graph;
  uint32_t a = graph.add("a", {}, cpu1);
  uint32_t b = graph.add("b", {Graph::from(a)});
  uint32_t c = graph.add("c", {Graph::from(b)}, gpu0);
  graph.add("d", {Graph::from(c)});
  PlacementResult result = graph.place();
  std::vector<uint32_t> devices;
  for (const PlacementDecision &decision : result.decisions)
    devices.push_back(decision.device);
  EXPECT_EQ(devices, (std::vector<uint32_t>{1, 1, 2, 2}));
  EXPECT_EQ(result.decisions[0].reason, Reason::Annotated);
  EXPECT_EQ(result.decisions[1].reason, Reason::FollowsOperand);
  EXPECT_EQ(result.decisions[1].text,
            "follows operand a (100 bytes from cpu:1)");
  EXPECT_TRUE(result.fallbacks.empty());
  EXPECT_TRUE(result.errors.empty());
}

// The device with most bytes wins, summed over its operands; a value that is
// read twice counts once; a tie goes to the first operand.
TEST(PlacementTest, mostOperandBytesWin) {
  Graph graph;
  uint32_t a = graph.add("a", {}, cpu1);
  uint32_t b = graph.add("b", {}, gpu0);
  uint32_t c = graph.add("c", {}, gpu0);
  graph.add("sum", {Graph::from(a, 150), Graph::from(b), Graph::from(c)});
  graph.add("tie", {Graph::from(a, 200), Graph::from(b), Graph::from(c)});
  graph.add("twice", {Graph::from(a), Graph::from(b), Graph::from(b)});
  PlacementResult result = graph.place();
  EXPECT_EQ(result.decisions[3].device, 2u);
  EXPECT_EQ(result.decisions[4].device, 1u);
  EXPECT_EQ(result.decisions[5].device, 1u);
}

// Without a placed operand the first annotated consumer counts, then the first
// device. An annotation that cannot be met attracts nobody.
TEST(PlacementTest, sourcesFollowTheirConsumer) {
  Graph graph;
  PlacementOperand input;
  input.bytes = 1000;
  uint32_t a = graph.add("a", {input});
  uint32_t b = graph.add("b");
  uint32_t c = graph.add("c");
  graph.add("d", {Graph::from(a), Graph::from(c)}, cpu2);
  graph.add("e", {Graph::from(a)}, gpu0);
  graph.add("f", {Graph::from(a), Graph::from(b)}, cpu1);
  PlacementResult result = graph.place();
  EXPECT_EQ(result.decisions[a].device, 2u);
  EXPECT_EQ(result.decisions[a].reason, Reason::FollowsConsumer);
  EXPECT_EQ(result.decisions[b].device, 1u);
  EXPECT_EQ(result.decisions[c].device, 0u);
  EXPECT_EQ(result.decisions[c].reason, Reason::Default);
}

// Nobody follows to a null device, which computes nothing, and none is moved
// there; alone in the list it takes all.
TEST(PlacementTest, nullDevicesTakeWhatIsSentThere) {
  const DeviceName null0{0, DeviceKind::Null, 0};
  Graph graph;
  graph.devices = {null0, cpu1};
  uint32_t before = graph.add("before");
  uint32_t sent = graph.add("sent", {Graph::from(before)}, null0);
  uint32_t behind = graph.add("behind", {Graph::from(sent)});
  uint32_t moved = graph.add("moved", {}, gpu0);
  PlacementResult result = graph.place();
  EXPECT_EQ(result.decisions[before].device, 1u);
  EXPECT_EQ(result.decisions[before].text, "the first device that computes");
  EXPECT_EQ(result.decisions[sent].device, 0u);
  EXPECT_EQ(result.decisions[behind].device, 1u);
  EXPECT_EQ(result.decisions[moved].device, 1u);

  Graph alone;
  alone.devices = {null0};
  alone.add("only");
  EXPECT_EQ(alone.place().decisions[0].reason, PlacementReason::Default);
}

// A device that is not listed: the operands' device, else the first of the
// same kind, else the first legal one.
TEST(PlacementTest, missingDevicesFallBack) {
  Graph graph;
  graph.devices = {gpu0, cpu0, cpu1};
  uint32_t a = graph.add("a", {}, cpu1);
  uint32_t follows = graph.add("follows", {Graph::from(a)}, cpu2);
  uint32_t same = graph.add("same", {}, cpu2);
  uint32_t other = graph.add("other", {}, DeviceName{0, DeviceKind::Null, 0});
  PlacementResult result = graph.place();
  EXPECT_EQ(result.decisions[follows].device, 2u);
  EXPECT_EQ(result.decisions[same].device, 1u);
  EXPECT_EQ(result.decisions[other].device, 0u);
  ASSERT_EQ(result.fallbacks.size(), 3u);
  EXPECT_EQ(result.fallbacks[1].message,
            "same: cpu:2 is not among the devices (gpu:0, cpu:0, cpu:1); "
            "moved to cpu:0");
  EXPECT_EQ(result.fallbacks[1].wanted, cpu2);
  EXPECT_EQ(result.fallbacks[1].chosen, 1u);
  EXPECT_EQ(result.decisions[same].reason, Reason::Moved);
}

// A device without the kernel: moved, also where the group only follows.
TEST(PlacementTest, missingKernelsFallBack) {
  Graph graph;
  uint32_t a = graph.add("a", {}, cpu1);
  uint32_t b = graph.add("b", {Graph::from(a)});
  graph.forbid(a, {1});
  graph.forbid(b, {0});
  PlacementResult result = graph.place();
  EXPECT_EQ(result.decisions[a].device, 0u);
  EXPECT_EQ(result.decisions[b].device, 1u);
  ASSERT_EQ(result.fallbacks.size(), 2u);
  EXPECT_EQ(result.fallbacks[0].message,
            "a: cpu:1 cannot run it (no kernel for weir.conv); moved to cpu:0");
}

// Strict: what would move is an error with the repair.
TEST(PlacementTest, strictRefusesToMove) {
  Graph graph;
  graph.add("a", {}, cpu2);
  uint32_t b = graph.add("b", {}, cpu1);
  graph.forbid(b, {1});
  PlacementOptions options;
  options.strict = true;
  PlacementResult result = graph.place(options);
  EXPECT_TRUE(result.fallbacks.empty());
  ASSERT_EQ(result.errors.size(), 2u);
  EXPECT_EQ(result.errors[0].message,
            "a: cpu:2 is not among the devices (cpu:0, cpu:1, gpu:0); add "
            "cpu:2 to --devices or place it on one of cpu:0, cpu:1, gpu:0");
  EXPECT_EQ(result.errors[1].message,
            "b: cpu:1 cannot run it (no kernel for weir.conv); place it on one "
            "of cpu:0, gpu:0");
}

// No legal device is an error in every mode, with each device's reason.
TEST(PlacementTest, noLegalDeviceIsAnError) {
  Graph graph;
  uint32_t a = graph.add("a");
  graph.forbid(a, {0, 1, 2});
  for (PlacementMode mode : {PlacementMode::Explicit, PlacementMode::Random}) {
    PlacementOptions options;
    options.mode = mode;
    PlacementResult result = graph.place(options);
    ASSERT_EQ(result.errors.size(), 1u);
    EXPECT_EQ(result.errors[0].message,
              "a: no device can run it (cpu:0: no kernel for weir.conv; cpu:1: "
              "no kernel for weir.conv; gpu:0: no kernel for weir.conv); add "
              "a device that can");
  }
}

// Random placement keeps annotations and legality, reaches every device, and
// gives the numbers of splitmix64 (the first for seed 1234567 is
// 6457827717110365317, the second 3203168211198807973, as published).
TEST(PlacementTest, randomIsSeededAndLegal) {
  Graph graph;
  graph.add("a");
  graph.add("b");
  PlacementOptions options{PlacementMode::Random, 1234567, false};
  PlacementResult result = graph.place(options);
  EXPECT_EQ(result.decisions[0].device, 6457827717110365317u % 3);
  EXPECT_EQ(result.decisions[1].device, 3203168211198807973u % 3);

  uint32_t fixed = graph.add("fixed", {}, gpu0);
  uint32_t narrow = graph.add("narrow");
  graph.forbid(narrow, {1});
  std::vector<int> seen(3);
  for (options.seed = 0; options.seed < 100; ++options.seed) {
    result = graph.place(options);
    ++seen[result.decisions[0].device];
    EXPECT_EQ(result.decisions[fixed].device, 2u);
    EXPECT_NE(result.decisions[narrow].device, 1u);
    EXPECT_TRUE(result.fallbacks.empty());
  }
  for (int count : seen)
    EXPECT_GT(count, 20);
}

// The modes of the command line, and what is not one.
TEST(PlacementTest, readsTheMode) {
  EXPECT_EQ(parsePlacementMode("explicit")->mode, PlacementMode::Explicit);
  EXPECT_EQ(parsePlacementMode("random:7")->mode, PlacementMode::Random);
  EXPECT_EQ(parsePlacementMode("random:18446744073709551615")->seed, ~0ull);
  for (std::string_view text : {"", "Random:1", "random", "random:", "random:x",
                                "random:-1", "random:18446744073709551616"})
    EXPECT_FALSE(parsePlacementMode(text).isOk()) << text;
}

// An input in the memory of a device counts like a result from there.
TEST(PlacementTest, groupsFollowInputsInTheMemoryOfADevice) {
  Graph graph;
  auto input = [](uint32_t value, uint64_t bytes) {
    PlacementOperand operand;
    operand.value = value;
    operand.bytes = bytes;
    operand.holder = 1;
    return operand;
  };
  graph.add("only", {input(100, 64)});
  const uint32_t far = graph.add("far", {}, gpu0);
  graph.add("more", {input(100, 64), input(101, 64), Graph::from(far)});
  graph.add("less", {input(100, 64), Graph::from(far)});
  PlacementResult result = graph.place();
  EXPECT_EQ(result.decisions[0].device, 1u);
  EXPECT_EQ(result.decisions[0].reason, Reason::FollowsOperand);
  EXPECT_EQ(result.decisions[0].text,
            "follows an input (64 bytes in the memory of cpu:1)");
  EXPECT_EQ(result.decisions[2].device, 1u);
  EXPECT_EQ(result.decisions[2].text,
            "follows an input (128 bytes in the memory of cpu:1)");
  EXPECT_EQ(result.decisions[3].device, 2u);
}

// A group without operands that are placed follows an output in the memory of a
// device. Its annotated consumer comes first.
TEST(PlacementTest, groupsFollowOutputsInTheMemoryOfADevice) {
  Graph graph;
  const uint32_t alone = graph.add("alone", {});
  const uint32_t read = graph.add("read", {});
  graph.add("reader", {Graph::from(read)}, gpu0);
  const uint32_t behind = graph.add("behind", {Graph::from(read)});
  for (uint32_t group : {alone, read, behind})
    graph.groups[group].outputHolder = 1;
  PlacementResult result = graph.place();
  EXPECT_EQ(result.decisions[alone].device, 1u);
  EXPECT_EQ(result.decisions[alone].reason, Reason::FollowsConsumer);
  EXPECT_EQ(result.decisions[alone].text,
            "follows an output (in the memory of cpu:1)");
  EXPECT_EQ(result.decisions[read].device, 2u);
  EXPECT_EQ(result.decisions[behind].device, 2u);
}
