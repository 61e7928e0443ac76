//===- QueueRole.h - What the queues of a device do -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_QUEUEROLE_H
#define WEIR_SUPPORT_QUEUEROLE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weir {

/// What a queue of a device does. The numbers are part of the artifact format
/// and never change.
enum class QueueRole : uint16_t {
  /// Runs kernels and fills, and copies within the memory of the device.
  Compute = 0,
  /// Copies values to the memory of the device. If the device has no queue for
  /// copies out, this queue also copies values from that memory.
  CopyIn = 1,
  /// Copies values from the memory of the device.
  CopyOut = 2,
};

/// The names of the roles in texts, by the numbers of the roles.
inline constexpr std::array<std::string_view, 3> queueRoleNames = {
    "compute", "copy_in", "copy_out"};

/// The name of `role` in texts: "copy_in".
constexpr std::string_view toString(QueueRole role) {
  return queueRoleNames[static_cast<size_t>(role)];
}

/// The role with the name `name`; none if there is no such role.
constexpr std::optional<QueueRole> parseQueueRole(std::string_view name) {
  for (size_t number = 0; number < queueRoleNames.size(); ++number)
    if (queueRoleNames[number] == name)
      return static_cast<QueueRole>(number);
  return std::nullopt;
}

/// The name of a queue's row in timelines and traces.
constexpr std::string_view traceRowName(QueueRole role) {
  return role == QueueRole::Compute  ? "compute"
         : role == QueueRole::CopyIn ? "copy"
                                     : "copy out";
}

} // namespace weir

#endif // WEIR_SUPPORT_QUEUEROLE_H
