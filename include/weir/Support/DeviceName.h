//===- DeviceName.h - Names of devices and lists of them -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_DEVICENAME_H
#define WEIR_SUPPORT_DEVICENAME_H

#include "weir/Support/DeviceKind.h"
#include "weir/Support/Status.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// The kind spelled `name`, or an error that lists the valid kinds. Loads the
/// plug-in of the kind, unless the kind is built in.
StatusOr<DeviceKind> parseDeviceKind(std::string_view name);

/// The name of one device: `kind:index`, or `host:2/cpu:0` on another host.
/// Names are ordered by host, kind and index.
struct DeviceName {
  /// The process that owns the device; 0 is the first and is not printed.
  uint32_t host = 0;
  DeviceKind kind;
  uint32_t index = 0;

  /// The canonical spelling, which `parseDeviceName` reads back.
  std::string toString() const;
  auto operator<=>(const DeviceName &) const = default;
};

/// The largest host or device index a name may have.
inline constexpr uint32_t maxDeviceIndex = 65535;
/// The most devices a list may have.
inline constexpr size_t maxDevices = 1024;

/// Parses one device name. TensorFlow's spellings are accepted too: `/GPU:0`,
/// `/device:CPU:1`, `/job:worker/replica:0/task:2/device:GPU:0`, where the task
/// is the host and GPU is `cuda`. A malformed name and an unknown kind are
/// different errors; both say what is valid.
StatusOr<DeviceName> parseDeviceName(std::string_view text);

/// Whether `text` has the form of a canonical name: `kind:index` or
/// `host:N/kind:index`. The kind may be unknown here, since files that name
/// devices may be newer than this build.
bool isCanonicalDeviceName(std::string_view text);

/// Parses a list of names and ranges, `cpu:0-1,cuda:0`, in the given order. A
/// device that is named twice is an error, and so is an empty list.
StatusOr<std::vector<DeviceName>> parseDeviceList(std::string_view text);

/// The names separated by commas, one by one: "cpu:0, cpu:1, cuda:0".
std::string toString(const std::vector<DeviceName> &devices);

} // namespace weir

#endif // WEIR_SUPPORT_DEVICENAME_H
