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
  /// The `producer` of an entry input, a parameter or a constant.
  static constexpr uint32_t noGroup = ~0u;
  /// The group that computes the value. It is earlier in the list.
  uint32_t producer = noGroup;
  /// Identifies the value. Operands with the same number are the same value.
  uint32_t value = 0;
  uint64_t bytes = 0;
  /// The index of the device in whose own memory an entry input lies; absent
  /// for the host's memory.
  std::optional<uint32_t> holder = std::nullopt;
};

/// A device of the list.
struct PlacementDevice {
  DeviceName name;
  /// The index of the device's option in `PlacementGroup::options`. Devices
  /// that take the same time for every group have the same option.
  uint32_t option = 0;
};

/// What placement knows about one group on the devices with one option.
struct DeviceOption {
  /// Why the device cannot run the group (no kernel); empty if it can.
  std::string illegalReason;
  /// Predicted time of the group on the device, in seconds.
  double seconds = 0;
};

/// One group of ops.
struct PlacementGroup {
  /// The name in reports.
  std::string name;
  std::vector<PlacementOperand> operands;
  /// The device that the text or `--place` asks for.
  std::optional<DeviceName> annotation;
  /// The options to which the devices of the list refer.
  std::vector<DeviceOption> options;
  /// What to do if no device can run the group, for the error message.
  std::string nowhereRepair = "add a device that can";
  /// The index of the device in whose own memory an output of the entry lies.
  /// It is the first output that returns a result of the group. Absent for the
  /// host's memory.
  std::optional<uint32_t> outputHolder = std::nullopt;
};

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
  /// group, or its memory has an output that the group computes.
  FollowsConsumer,
  /// Nothing else decides. So the group is on the first device of the list.
  Default,
  /// The random mode chose the device.
  Random,
  /// The group cannot run on the wanted device.
  Moved,
};

/// The spelling of `reason` in `--explain=json`, for instance "moved".
std::string_view toString(PlacementReason reason);

/// The device of a group, and why.
struct PlacementDecision {
  /// Index into the device list.
  uint32_t device = 0;
  PlacementReason reason = PlacementReason::Default;
  /// The reason as text: "follows operand conv1 (12288 bytes)".
  std::string text;
};

/// A group that was moved from its wanted device, or that no device can run (an
/// error).
struct PlacementIssue {
  /// Index of the group.
  uint32_t group = 0;
  /// The device that an annotation asks for or that the group follows; absent
  /// if no device can run the group.
  std::optional<DeviceName> wanted;
  /// The index of the device the group moved to; absent for errors.
  std::optional<uint32_t> chosen;
  /// What is wrong and, for an error, the repair: "conv1: cuda:0 is not among
  /// the devices (cpu:0, cpu:1); moved to cpu:0, ...".
  std::string message;
};

/// The result of placement. If `errors` is not empty, `decisions` is what would
/// have been chosen without `strict`. Groups that no device can run then have
/// device 0.
struct PlacementResult {
  /// The decisions, one per group.
  std::vector<PlacementDecision> decisions;
  /// Moved groups, in the order of groups; empty under `strict`.
  std::vector<PlacementIssue> fallbacks;
  std::vector<PlacementIssue> errors;
};

/// Places `groups`, given in topological order, on `devices`. A device is
/// *legal* for a group if it can run the group.
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
PlacementResult placeGroups(std::span<const PlacementGroup> groups,
                            std::span<const PlacementDevice> devices,
                            const PlacementOptions &options = {});

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_PLACEMENT_H
