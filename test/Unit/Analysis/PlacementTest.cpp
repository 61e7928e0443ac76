//===- PlacementTest.cpp - Which device runs which group, and why ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Placement.h"

#include <gmock/gmock.h>

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

/// A problem that is built group by group. Each device is a class of its own.
struct Graph {
  explicit Graph(const std::vector<DeviceName> &devices = {cpu0, cpu1, gpu0}) {
    for (uint32_t i = 0; i < devices.size(); ++i)
      problem.devices.push_back({devices[i], i});
  }

  uint32_t add(std::string name, std::vector<uint32_t> reads = {},
               std::optional<DeviceName> annotation = std::nullopt) {
    const auto group = static_cast<uint32_t>(names.size());
    names.push_back(std::move(name));
    std::vector<ClassOption> options(problem.devices.size());
    for (size_t i = 0; i < options.size(); ++i)
      options[i].seconds = 1e-6 * static_cast<double>(i + 1);
    problem.works.push_back({std::move(options)});
    problem.groups.push_back({std::move(reads), group, annotation});
    return group;
  }
  /// A value of `bytes` bytes that `group` computes.
  uint32_t from(uint32_t group, uint64_t bytes = 100) {
    return value({.producer = group, .bytes = bytes});
  }
  /// An input of the entry in the memory of a device.
  uint32_t input(uint32_t holder, uint64_t bytes) {
    return value({.bytes = bytes, .holder = holder});
  }
  uint32_t value(PlacementValue added) {
    const auto number = static_cast<uint32_t>(problem.values.size());
    problem.values.push_back(added);
    return number;
  }
  void forbid(uint32_t group, std::vector<uint32_t> illegal) {
    for (uint32_t device : illegal)
      problem.works[group].options[device].illegalReason =
          "no kernel for weir.conv";
  }
  std::vector<PlacementDecision> place(PlacementOptions options = {}) const {
    return placeGroups(problem, options);
  }
  PlacementTexts texts(const PlacementOptions &options) const {
    return {problem, options, [this](uint32_t group) { return names[group]; }};
  }
  /// The reason for the device of `group`.
  std::string why(uint32_t group,
                  const std::vector<PlacementDecision> &decisions) const {
    const PlacementOptions options;
    return texts(options).describe(group, decisions[group]);
  }
  /// The messages about groups that are not on their wanted device.
  std::vector<std::string> issues(const PlacementOptions &options = {}) const {
    std::vector<std::string> messages;
    const std::vector<PlacementDecision> decisions = place(options);
    for (uint32_t i = 0; i < decisions.size(); ++i)
      if (decisions[i].outcome != PlacementOutcome::Placed)
        messages.push_back(
            (texts(options).isError(decisions[i]) ? "error: " : "") +
            texts(options).describeIssue(i, decisions[i]));
    return messages;
  }

  PlacementProblem problem;
  std::vector<std::string> names;
};

using testing::ElementsAre;
using testing::IsEmpty;
using Reason = PlacementReason;

std::vector<uint32_t>
devicesOf(const std::vector<PlacementDecision> &decisions) {
  std::vector<uint32_t> devices;
  for (const PlacementDecision &decision : decisions)
    devices.push_back(decision.device);
  return devices;
}
} // namespace

// Annotations win over operands; groups without one follow their operands.
TEST(PlacementTest, annotationsWinAndOthersFollow) {
  Graph graph;
  uint32_t a = graph.add("a", {}, cpu1);
  uint32_t b = graph.add("b", {graph.from(a)});
  uint32_t c = graph.add("c", {graph.from(b)}, gpu0);
  graph.add("d", {graph.from(c)});
  const std::vector<PlacementDecision> result = graph.place();
  EXPECT_THAT(devicesOf(result), ElementsAre(1, 1, 2, 2));
  EXPECT_EQ(result[a].wish.reason, Reason::Annotated);
  EXPECT_EQ(result[b].wish.reason, Reason::FollowsOperand);
  EXPECT_EQ(graph.why(b, result), "follows operand a (100 bytes from cpu:1)");
  EXPECT_THAT(graph.issues(), IsEmpty());
}

// The device with most bytes wins, summed over its operands; a value that is
// read twice counts once; a tie goes to the first operand.
TEST(PlacementTest, mostOperandBytesWin) {
  Graph graph;
  uint32_t a = graph.add("a", {}, cpu1);
  uint32_t b = graph.add("b", {}, gpu0);
  uint32_t c = graph.add("c", {}, gpu0);
  const uint32_t same = graph.from(b);
  graph.add("sum", {graph.from(a, 150), graph.from(b), graph.from(c)});
  graph.add("tie", {graph.from(a, 200), graph.from(b), graph.from(c)});
  graph.add("twice", {graph.from(a), same, same});
  EXPECT_THAT(devicesOf(graph.place()), ElementsAre(1, 2, 2, 2, 1, 1));
}

// Without a placed operand the first annotated consumer counts, then the first
// device. An annotation that cannot be met attracts nobody.
TEST(PlacementTest, sourcesFollowTheirConsumer) {
  Graph graph;
  uint32_t a = graph.add("a", {graph.value({.bytes = 1000})});
  uint32_t b = graph.add("b");
  uint32_t c = graph.add("c");
  graph.add("d", {graph.from(a), graph.from(c)}, cpu2);
  graph.add("e", {graph.from(a)}, gpu0);
  graph.add("f", {graph.from(a), graph.from(b)}, cpu1);
  const std::vector<PlacementDecision> result = graph.place();
  EXPECT_EQ(result[a].device, 2u);
  EXPECT_EQ(result[a].wish.reason, Reason::FollowsConsumer);
  EXPECT_EQ(graph.why(a, result), "follows its consumer e");
  EXPECT_EQ(result[b].device, 1u);
  EXPECT_EQ(result[c].device, 0u);
  EXPECT_EQ(result[c].wish.reason, Reason::Default);
}

// Nobody follows to a null device, which computes nothing, and none is moved
// there; alone in the list it takes all.
TEST(PlacementTest, nullDevicesTakeWhatIsSentThere) {
  const DeviceName null0{0, DeviceKind::Null, 0};
  Graph graph({null0, cpu1});
  uint32_t before = graph.add("before");
  uint32_t sent = graph.add("sent", {graph.from(before)}, null0);
  graph.add("behind", {graph.from(sent)});
  graph.add("moved", {}, gpu0);
  const std::vector<PlacementDecision> result = graph.place();
  EXPECT_THAT(devicesOf(result), ElementsAre(1, 0, 1, 1));
  EXPECT_EQ(graph.why(before, result), "the first device that computes");

  Graph alone({null0});
  alone.add("only");
  EXPECT_EQ(alone.place()[0].wish.reason, Reason::Default);
  EXPECT_EQ(alone.why(0, alone.place()), "the first device");
}

// A device that is not listed: the operands' device, else the first of the
// same kind, else the first legal one.
TEST(PlacementTest, missingDevicesFallBack) {
  Graph graph({gpu0, cpu0, cpu1});
  uint32_t a = graph.add("a", {}, cpu1);
  graph.add("follows", {graph.from(a)}, cpu2);
  uint32_t same = graph.add("same", {}, cpu2);
  graph.add("other", {}, DeviceName{0, DeviceKind::Null, 0});
  const std::vector<PlacementDecision> result = graph.place();
  EXPECT_THAT(devicesOf(result), ElementsAre(2, 2, 1, 0));
  EXPECT_EQ(result[same].outcome, PlacementOutcome::Moved);
  EXPECT_EQ(graph.why(same, result),
            "moved from annotated cpu:2: cpu:2 is not among the devices "
            "(gpu:0, cpu:0, cpu:1)");
  ASSERT_EQ(graph.issues().size(), 3u);
  EXPECT_EQ(graph.issues()[1],
            "same: cpu:2 is not among the devices (gpu:0, cpu:0, cpu:1); "
            "moved to cpu:0");
}

// A device without the kernel: moved, also where the group only follows.
TEST(PlacementTest, missingKernelsFallBack) {
  Graph graph;
  uint32_t a = graph.add("a", {}, cpu1);
  uint32_t b = graph.add("b", {graph.from(a)});
  graph.forbid(a, {1});
  graph.forbid(b, {0});
  EXPECT_THAT(devicesOf(graph.place()), ElementsAre(0, 1));
  ASSERT_EQ(graph.issues().size(), 2u);
  EXPECT_EQ(graph.issues()[0],
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
  EXPECT_THAT(
      graph.issues(options),
      ElementsAre(
          "error: a: cpu:2 is not among the devices (cpu:0, cpu:1, gpu:0); add "
          "cpu:2 to --devices or place it on one of cpu:0, cpu:1, gpu:0",
          "error: b: cpu:1 cannot run it (no kernel for weir.conv); place it "
          "on one of cpu:0, gpu:0"));
}

// No legal device is an error in every mode, with each device's reason.
TEST(PlacementTest, noLegalDeviceIsAnError) {
  Graph graph;
  uint32_t a = graph.add("a");
  graph.forbid(a, {0, 1, 2});
  const std::string error =
      "error: a: no device can run it (cpu:0: no kernel for weir.conv; cpu:1: "
      "no kernel for weir.conv; gpu:0: no kernel for weir.conv); add a device "
      "that can";
  for (const bool needsReference : {false, true})
    for (PlacementMode mode :
         {PlacementMode::Explicit, PlacementMode::Random}) {
      graph.problem.works[a].needsReference = needsReference;
      PlacementOptions options;
      options.mode = mode;
      EXPECT_THAT(
          graph.issues(options),
          ElementsAre(error + (needsReference ? ", or take the slow reference "
                                                "kernels with --allow-reference"
                                              : "")));
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
  EXPECT_THAT(devicesOf(graph.place(options)),
              ElementsAre(6457827717110365317u % 3, 3203168211198807973u % 3));

  uint32_t fixed = graph.add("fixed", {}, gpu0);
  uint32_t narrow = graph.add("narrow");
  graph.forbid(narrow, {1});
  std::vector<int> seen(3);
  for (options.seed = 0; options.seed < 100; ++options.seed) {
    const std::vector<PlacementDecision> result = graph.place(options);
    ++seen[result[0].device];
    EXPECT_EQ(result[fixed].device, 2u);
    EXPECT_NE(result[narrow].device, 1u);
    EXPECT_THAT(graph.issues(options), IsEmpty());
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
  const uint32_t first = graph.input(1, 64), second = graph.input(1, 64);
  const uint32_t only = graph.add("only", {first});
  const uint32_t far = graph.add("far", {}, gpu0);
  const uint32_t more = graph.add("more", {first, second, graph.from(far)});
  graph.add("less", {first, graph.from(far)});
  const std::vector<PlacementDecision> result = graph.place();
  EXPECT_THAT(devicesOf(result), ElementsAre(1, 2, 1, 2));
  EXPECT_EQ(result[only].wish.reason, Reason::FollowsOperand);
  EXPECT_EQ(graph.why(only, result),
            "follows an input (64 bytes in the memory of cpu:1)");
  EXPECT_EQ(graph.why(more, result),
            "follows an input (128 bytes in the memory of cpu:1)");
}

// A group without operands that are placed follows an output in the memory of a
// device. Its annotated consumer comes first.
TEST(PlacementTest, groupsFollowOutputsInTheMemoryOfADevice) {
  Graph graph;
  const uint32_t alone = graph.add("alone", {});
  const uint32_t read = graph.add("read", {});
  graph.add("reader", {graph.from(read)}, gpu0);
  const uint32_t behind = graph.add("behind", {graph.from(read)});
  for (uint32_t group : {alone, read, behind})
    graph.problem.groups[group].outputHolder = 1;
  const std::vector<PlacementDecision> result = graph.place();
  EXPECT_THAT(devicesOf(result), ElementsAre(1, 2, 2, 2));
  EXPECT_EQ(result[alone].wish.reason, Reason::FollowsOutput);
  EXPECT_EQ(graph.texts({}).reasonOf(result[alone]), "follows consumer");
  EXPECT_EQ(graph.why(alone, result),
            "follows an output (in the memory of cpu:1)");
}

// A relayout is no group of its own: its reader follows what it reads, and a
// random placement draws no number for it.
TEST(PlacementTest, relayoutsAreLookedThrough) {
  Graph graph;
  const uint32_t far = graph.add("far", {}, cpu1);
  const uint32_t relayout = graph.add("relayout", {graph.from(far, 64)});
  graph.problem.groups[relayout].isRelayout = true;
  const uint32_t near = graph.add("near", {}, gpu0);
  const uint32_t reader =
      graph.add("reader", {graph.from(near, 32), graph.from(relayout, 16)});
  const uint32_t source = graph.add("source");
  const uint32_t second = graph.add("second", {graph.from(source)});
  graph.problem.groups[second].isRelayout = true;
  graph.add("consumer", {graph.from(second)}, gpu0);
  const std::vector<PlacementDecision> result = graph.place();
  EXPECT_EQ(result[reader].device, 1u);
  EXPECT_EQ(graph.why(reader, result),
            "follows operand far (64 bytes from cpu:1)");
  EXPECT_EQ(result[source].device, 2u);

  const PlacementOptions options{PlacementMode::Random, 1234567, false};
  EXPECT_EQ(graph.place(options)[reader].device, 6457827717110365317u % 3);
  EXPECT_EQ(graph.place(options)[source].device, 3203168211198807973u % 3);
}
