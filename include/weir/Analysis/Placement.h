//===- Placement.h - Which device runs which group, and why -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_PLACEMENT_H
#define WEIR_ANALYSIS_PLACEMENT_H

#include "weir/Analysis/PlacementProblem.h"
#include "weir/Support/Status.h"

#include <functional>
#include <string_view>

namespace weir::analysis {

enum class PlacementMode : uint8_t {
  /// Annotations decide; other groups follow their operands.
  Explicit,
  /// Groups without an annotation go to a random device that can run them.
  Random,
};

struct PlacementOptions {
  PlacementMode mode = PlacementMode::Explicit;
  /// The seed of the random mode. Equal seeds give equal placements on every
  /// platform.
  uint64_t seed = 0;
  /// Whether it is an error if a group cannot run on its wanted device.
  bool strict = false;
};

/// Parses `explicit` or `random:SEED`. The error lists what is valid. The seed
/// is a decimal number below 2^64.
StatusOr<PlacementOptions> parsePlacementMode(std::string_view text);

enum class PlacementReason : uint8_t {
  /// An annotation asks for the device.
  Annotated,
  /// The device holds most bytes of the group's operands.
  FollowsOperand,
  /// No operand is placed. The device has the first annotated consumer of the
  /// group.
  FollowsConsumer,
  /// No operand is placed. The device's memory has an output that the group
  /// computes.
  FollowsOutput,
  /// Nothing else decides. So the group is on the first device of the list that
  /// computes.
  Default,
  /// The random mode chose the device.
  Random,
};

/// The device that the rules choose for a group, before it is checked that the
/// device can run the group.
struct PlacementWish {
  /// The name, which annotations may take from outside of the list.
  DeviceName name;
  /// The device; absent if it is not in the list.
  std::optional<uint32_t> device;
  PlacementReason reason = PlacementReason::Default;
  /// The group that is followed; `PlacementValue::noGroup` if there is none.
  uint32_t group = PlacementValue::noGroup;
  /// The bytes of operands that the device holds.
  uint64_t bytes = 0;
};

enum class PlacementOutcome : uint8_t {
  /// The group is on the wanted device.
  Placed,
  /// The group cannot run on the wanted device, and is on another one.
  Moved,
  /// No device can run the group.
  Nowhere,
};

/// The device of a group, and why.
struct PlacementDecision {
  PlacementOutcome outcome = PlacementOutcome::Placed;
  /// The device; 0 if no device can run the group.
  uint32_t device = 0;
  PlacementWish wish = {};
};

/// Places the groups of `problem`, which has a device. A device is *legal* for
/// a group if it can run the group.
///
/// The device that a group should have is the first of these:
/// - the device of its annotation;
/// - the device that holds most bytes of its operands, which are results of
///   groups on the device and inputs in its memory. A tie goes to the earlier
///   operand, and a value counts once;
/// - the device of its first annotated consumer;
/// - the device in whose memory an output of the group lies;
/// - the first device of the list.
///
/// If that device is not in the list or not legal, the group moves to the
/// device of its operands if that device is legal, else to the first legal
/// device of the same kind, else to the first legal device. A group without any
/// legal device is an error in every mode.
///
/// Random placement draws from the legal devices only and leaves annotated
/// groups alone. A null device, which computes nothing, gets groups only by
/// annotation, at random, or if no other device is in the list.
///
/// Returns a decision for each group. Those for relayouts mean nothing, because
/// a relayout is where its readers are.
std::vector<PlacementDecision>
placeGroups(const PlacementProblem &problem,
            const PlacementOptions &options = {});

/// Writes what placement decided, for reports and messages.
class PlacementTexts {
public:
  using NameOf = std::function<std::string(uint32_t group)>;

  /// `nameOf` names a group.
  PlacementTexts(const PlacementProblem &problem,
                 const PlacementOptions &options, NameOf nameOf)
      : problem(problem), options(options), nameOf(std::move(nameOf)) {}

  /// The spelling in `--explain=json`, for instance "moved".
  std::string_view reasonOf(const PlacementDecision &decision) const;
  /// The reason in full: "follows operand conv1 (12288 bytes)".
  std::string describe(uint32_t group, const PlacementDecision &decision) const;
  /// The message about a group that is not on its wanted device: "conv1: cuda:0
  /// is not among the devices (cpu:0, cpu:1); moved to cpu:0". An error has a
  /// repair.
  std::string describeIssue(uint32_t group,
                            const PlacementDecision &decision) const;
  /// Whether `decision` is an error. A moved group is one under `strict`.
  bool isError(const PlacementDecision &decision) const;

private:
  std::string describe(const PlacementWish &wish) const;
  std::string describeNowhere(uint32_t group) const;
  std::string whyNot(uint32_t group, const PlacementWish &wish) const;
  std::string legalNames(uint32_t group) const;

  const PlacementProblem &problem;
  const PlacementOptions &options;
  const NameOf nameOf;
};

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_PLACEMENT_H
