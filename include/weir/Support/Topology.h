//===- Topology.h - Devices and the links between them -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//
// The devices that the compiler plans for. A topology comes from a JSON file
// (docs/topology.md has the schema). Without a file, it lists the requested
// devices of this machine and leaves everything else to the cost model's
// defaults.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_TOPOLOGY_H
#define WEIR_SUPPORT_TOPOLOGY_H

#include "weir/Support/DType.h"
#include "weir/Support/DeviceName.h"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir {

/// The most threads that a CPU device can be given.
inline constexpr int64_t maxDeviceThreads = 1024;

/// One device. Zero means "not stated": the user of the description applies its
/// own default.
struct DeviceDesc {
  DeviceName name;
  /// Threads of a CPU device; 0: an even share of the cores.
  uint32_t threads = 0;
  /// The most bytes that a model may hold on it, as --memory-cap says; 0: no
  /// cap.
  uint64_t memoryBytes = 0;
  /// Peak arithmetic rate in flop/s, by DType.
  std::array<double, numDTypes> flopsPerSecond{};
  /// Rate of the device's own memory in byte/s.
  double bytesPerSecond = 0;
  /// Fixed time of one launch, in seconds.
  double launchSeconds = 0;
  /// The kernels that the device has, by their names in its kernel table.
  /// Absent: all kernels of its kind.
  std::optional<std::vector<std::string>> kernels;
  /// Whether the device has its own memory, as with `--isolated`.
  bool isIsolated = false;
  /// The kernels of its kind that the device does not have. At most one of the
  /// two lists may be given.
  std::vector<std::string> excludedKernels;

  /// Options of its kind, by name.
  std::map<std::string, std::string> options;

  /// Whether the description allows the device to use the kernel `name`.
  /// Whether the device's kind has such a kernel is not checked.
  bool allowsKernel(std::string_view name) const;
};

/// A link for copies from one device to another, in that direction.
struct LinkDesc {
  /// The rate of copies in byte/s; 0: the cost model's default.
  double bytesPerSecond = 0;
  /// The time from the start of a copy to the arrival of its first byte, in
  /// seconds.
  double latencySeconds = 0;
  /// Links of the same name carry one copy at a time. Empty: each copy has the
  /// link to itself.
  std::string shared = {};
};

/// Devices, in the order in which placement prefers them, and links.
struct Topology {
  std::vector<DeviceDesc> devices;
  /// The links, by the device that is read and the device that is written.
  std::map<std::pair<DeviceName, DeviceName>, LinkDesc> links;

  /// The position of `name` in `devices`, if present.
  std::optional<size_t> indexOf(DeviceName name) const;
  /// The link from one device to another, or null.
  const LinkDesc *link(DeviceName from, DeviceName to) const;
  /// The names of all devices, in order.
  std::vector<DeviceName> names() const;

  /// Removes the devices for which `isKept` is false, and their links.
  void keepOnly(const std::function<bool(DeviceName)> &isKept);

  /// A topology of the named devices with nothing else stated.
  static Topology of(const std::vector<DeviceName> &names);
};

/// Parses a topology from the JSON text `json`. Errors begin with `source`, the
/// name of the file, and contain the JSON path and what was expected there.
StatusOr<Topology> parseTopology(std::string_view json,
                                 std::string_view source);

/// Reads the topology file at `path`.
StatusOr<Topology> readTopology(const std::string &path);

} // namespace weir

#endif // WEIR_SUPPORT_TOPOLOGY_H
