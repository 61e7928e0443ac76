//===- PlacementProblem.h - What is to be placed, and where -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//
// The groups of a graph, the values between them, and the devices, as plain
// data. Groups, values, devices and their classes are called by their positions
// in the lists of the problem.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_PLACEMENTPROBLEM_H
#define WEIR_ANALYSIS_PLACEMENTPROBLEM_H

#include "weir/Support/DeviceName.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weir::analysis {

/// A value that groups read.
struct PlacementValue {
  /// The `producer` of an entry input, a parameter or a constant.
  static constexpr uint32_t noGroup = ~0u;
  /// The group that computes the value.
  uint32_t producer = noGroup;
  uint64_t bytes = 0;
  /// The device in whose own memory an entry input lies; absent for the host's
  /// memory.
  std::optional<uint32_t> holder = std::nullopt;
};

/// What is known about a group on the devices of one class.
struct ClassOption {
  /// Why these devices cannot run the group (no kernel); empty if they can.
  std::string illegalReason;
  /// Predicted time of the group, in seconds.
  double seconds = 0;

  bool isLegal() const { return illegalReason.empty(); }
  auto operator<=>(const ClassOption &) const = default;
};

/// What groups that compute the same take on each class of devices.
struct GroupWork {
  /// The options, by class.
  std::vector<ClassOption> options;
  /// Whether a device could run the group if slow reference kernels were
  /// allowed.
  bool needsReference = false;

  auto operator<=>(const GroupWork &) const = default;
};

/// A group of ops.
struct PlacementGroup {
  /// The values that the group reads, in the order of its operands. The
  /// producers of these values are earlier in the list of groups.
  std::vector<uint32_t> reads;
  /// The position of the group's work in `PlacementProblem::works`.
  uint32_t work = 0;
  /// The device that the text or `--place` asks for.
  std::optional<DeviceName> annotation = std::nullopt;
  /// The device in whose own memory an output of the entry lies. It is the
  /// first output that returns a result of the group. Absent for the host's
  /// memory.
  std::optional<uint32_t> outputHolder = std::nullopt;
  /// Whether the group only changes the layout of the one value that it reads.
  /// Each device that reads the result then changes the layout itself.
  bool isRelayout = false;
};

/// A device that groups can be placed on.
struct PlacementDevice {
  DeviceName name;
  /// The class of the device. Devices of one class run each group in the same
  /// time, or cannot run it for the same reason.
  uint32_t deviceClass = 0;
};

/// Groups to be placed on devices. Groups are in topological order, entry by
/// entry.
struct PlacementProblem {
  std::vector<PlacementDevice> devices;
  std::vector<PlacementValue> values;
  std::vector<PlacementGroup> groups;
  std::vector<GroupWork> works;

  const ClassOption &optionOf(uint32_t group, uint32_t device) const {
    return works[groups[group].work].options[devices[device].deviceClass];
  }
  bool isLegal(uint32_t group, uint32_t device) const {
    return optionOf(group, device).isLegal();
  }
  /// The value of which `value` is a relayout, or `value` itself.
  uint32_t throughRelayouts(uint32_t value) const;
};

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_PLACEMENTPROBLEM_H
