//===- Placement.h - Which device runs which group, and why -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_PLACEMENT_H
#define WEIR_ANALYSIS_PLACEMENT_H

#include "weir/Support/DeviceName.h"
#include "weir/Support/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weir::analysis {

/// A value that a group reads.
struct PlacementOperand {
  /// In `producer`: an entry input, a parameter or a constant.
  static constexpr uint32_t noGroup = ~0u;
  /// The group that makes the value, earlier in the list.
  uint32_t producer = noGroup;
  /// Identifies the value; two operands with one id are one value.
  uint32_t value = 0;
  uint64_t bytes = 0;
};

/// What placement knows about one device for one group.
struct DeviceOption {
  /// Why the device cannot run the group (no kernel); empty: it can.
  std::string illegalReason;
  /// Predicted time of the group there, in seconds.
  double seconds = 0;
};

/// One group of ops.
struct PlacementGroup {
  /// The name reports use.
  std::string name;
  std::vector<PlacementOperand> operands;
  /// The device asked for in the text or by `--place`.
  std::optional<DeviceName> annotation;
  /// One per device of the list.
  std::vector<DeviceOption> options;
};

enum class PlacementMode : uint8_t {
  /// Annotations decide, the rest follows its operands.
  Explicit,
  /// Groups without annotation go to a random legal device.
  Random,
};

struct PlacementOptions {
  PlacementMode mode = PlacementMode::Explicit;
  /// Of the random mode; equal seeds give equal placements on every platform.
  uint64_t seed = 0;
  /// Whether a group that cannot be where it should be is an error.
  bool strict = false;
  /// What to do about a group that no device can run, for the error.
  std::string nowhereRepair = "add a device that can";
};

/// Reads `explicit` or `random:SEED`; the error lists what is valid. The seed
/// is a decimal number below 2^64.
StatusOr<PlacementOptions> parsePlacementMode(std::string_view text);

enum class PlacementReason : uint8_t {
  /// Asked for.
  Annotated,
  /// Where most bytes of its operands are.
  FollowsOperand,
  /// No operand is placed: where its first annotated consumer is.
  FollowsConsumer,
  /// Nothing says otherwise: the first device.
  Default,
  /// Drawn by the random mode.
  Random,
  /// It should be elsewhere, but cannot.
  Moved,
};

/// The spelling of `reason` in `--explain=json`, for instance "moved".
std::string_view toString(PlacementReason reason);

/// Where a group is.
struct PlacementDecision {
  /// Index into the device list.
  uint32_t device = 0;
  PlacementReason reason = PlacementReason::Default;
  /// The reason for people: "follows operand conv1 (12288 bytes)".
  std::string text;
  /// Predicted seconds on each device of the list; absent where illegal.
  std::vector<std::optional<double>> seconds;
};

/// A group that is not where it should be (soft), or cannot be (an error).
struct PlacementIssue {
  /// Index of the group.
  uint32_t group = 0;
  /// The device asked for or followed; absent when no device is legal.
  std::optional<DeviceName> wanted;
  /// Index of the device the group moved to; absent for errors.
  std::optional<uint32_t> chosen;
  /// What is wrong and, for an error, the repair: "conv1: cuda:0 is not among
  /// the devices (cpu:0, cpu:1); moved to cpu:0, ...".
  std::string message;
};

/// The outcome. When `errors` is not empty, `decisions` is what soft placement
/// would have done, except for groups that no device can run (device 0).
struct PlacementResult {
  /// One per group.
  std::vector<PlacementDecision> decisions;
  /// Soft moves, in the order of groups; empty when strict.
  std::vector<PlacementIssue> fallbacks;
  std::vector<PlacementIssue> errors;
};

/// Places `groups`, given in topological order, on `devices`.
///
/// An annotation always wins. If its device is not in the list or cannot run
/// the group, the group moves to the device of its operands if legal, else to
/// the first legal device of the same kind, else to the first legal one. A
/// group without annotation follows the device that contributes most operand
/// bytes (a tie goes to the earlier operand, a value counts once), without
/// placed operands its first annotated consumer, else it takes the first
/// device; where that is illegal it moves by the same rule. Random placement
/// draws from the legal devices only and leaves annotated groups alone. A group
/// without any legal device is an error in every mode.
PlacementResult placeGroups(std::span<const PlacementGroup> groups,
                            std::span<const DeviceName> devices,
                            const PlacementOptions &options = {});

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_PLACEMENT_H
