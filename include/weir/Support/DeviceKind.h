//===- DeviceKind.h - What the compiler knows of device kinds ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A device kind brings along a description: which kernels its devices have,
// which code is generated for them, how fast they are. The compiler asks the
// description, and never what kind a device is. Some kinds are built in; all
// others come from plug-ins (DevicePlugin.h).
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_DEVICEKIND_H
#define WEIR_SUPPORT_DEVICEKIND_H

#include "weir/Support/DType.h"
#include "weir/Support/KernelRow.h"
#include "weir/Support/Status.h"

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace weir {

struct KernelTableEntry;

/// The rates of one device. All are positive.
struct DeviceRates {
  /// Peak arithmetic rate in flop/s, by DType.
  std::array<double, numDTypes> flopsPerSecond{};
  /// Memory rate in byte/s.
  double bytesPerSecond = 0;
  /// Fixed time of one launch, in seconds.
  double launchSeconds = 0;
};

/// The rates of one link.
struct LinkRates {
  /// The rate of copies in byte/s.
  double bytesPerSecond = 0;
  /// Fixed time of one copy, in seconds.
  double latencySeconds = 0;
};

/// The code generators of the compiler: DeviceKindInfo::codeGenerator.
inline constexpr std::string_view cpuCodeGenerator = "cpu";
inline constexpr std::string_view gpuCodeGenerator = "nvptx";
/// The generator "nvptx" for tests: its code can also run on the CPU, in place
/// of a GPU.
inline constexpr std::string_view emulatedGpuCodeGenerator = "nvptx-emulated";

/// Whether the code generator divides kernels among the threads of GPUs.
constexpr bool isForGpus(std::string_view codeGenerator) {
  return codeGenerator == gpuCodeGenerator ||
         codeGenerator == emulatedGpuCodeGenerator;
}

/// What the compiler knows of a device kind.
struct DeviceKindInfo {
  /// The part of a device name before the colon: "cpu".
  std::string_view name = {};
  /// The rows in the records of ops, by `KernelRow::device`, that the devices
  /// have. Kinds may share them. Empty: none.
  std::string_view kernels = {};
  /// Rows that only this kind has. For an op and an element type that are in
  /// both, these count. Their devices are `kernels`.
  std::span<const OpKernelRow> rows = {};
  /// The kernel table, ordered by name; null: that of the built-in devices
  /// called `kernels`, if there are any.
  std::span<const KernelTableEntry> (*kernelTable)() = nullptr;
  /// The code generator that makes kernels for the devices: "cpu", "nvptx" for
  /// NVIDIA's GPUs, or empty for none. With one, the kernel table has the
  /// kernel "generated", and with "cpu" also "reference".
  std::string_view codeGenerator = {};
  /// Whether the kernels of `rows` compute right results with all strides that
  /// their `check` accepts. Then transposes beside products move no bytes.
  bool takesStrides = false;
  /// Whether results are computed. If not, only the executor is timed, and no
  /// op is placed on the devices unless it asks for that.
  bool computes = true;
  /// Whether each device is a share of the machine's cores, so that a number of
  /// threads can be asked for, and no device can be left out of a list.
  bool sharesCores = false;
  /// Whether each device has memory of its own, as with `--isolated`. If not,
  /// its kernels read and write the host's.
  bool hasOwnMemory = false;
  /// Whether no thread of the process reaches the memory of the devices, so
  /// that each of them copies what crosses to or from it.
  bool copiesItself = false;
  /// Whether the devices want to know how long each command is predicted to
  /// last: StepInfo::predictedNs.
  bool usesPredictions = false;
  /// Ok, or why no device of the kind has the option `name` with the value
  /// `value`. Null: the devices have no options.
  Status (*checkOption)(std::string_view name,
                        std::string_view value) = nullptr;
  /// Whether every machine has devices of the kind.
  bool isEverywhere = false;
  /// Whether a machine may lack the devices though it has their plug-in. Then
  /// an artifact that uses them has a variant without them as well.
  bool mayBeMissing = false;
  /// The default rates.
  DeviceRates rates = {};
  /// Whether the arithmetic rates are those of one thread.
  bool ratesArePerThread = false;
  /// The default rates of links between the devices, and to the host.
  LinkRates link = {};
};

/// A device kind. A copy of the object is the same kind. Kinds are ordered by
/// name.
class DeviceKind {
public:
  /// A share of the machine's cores.
  static const DeviceKind CPU;
  /// A device that runs nothing, to time the executor.
  static const DeviceKind Null;

  /// The kind of `cpu` devices.
  DeviceKind();
  /// `info` outlives the process's use of the kind.
  explicit constexpr DeviceKind(const DeviceKindInfo &info) : info(&info) {}

  const DeviceKindInfo *operator->() const { return info; }
  bool operator==(const DeviceKind &other) const {
    return info->name == other.info->name;
  }
  auto operator<=>(const DeviceKind &other) const {
    return info->name <=> other.info->name;
  }

private:
  const DeviceKindInfo *info;
};

/// The kinds that are built in, then those of the plug-ins that were loaded so
/// far, ordered by name.
std::vector<DeviceKind> deviceKinds();

/// The spelling of `kind` in device names: "cpu", "null", "sim", ...
inline std::string_view toString(DeviceKind kind) { return kind->name; }

/// Ok, or why devices of `kind` cannot have the option `name` with the value
/// `value` on any machine.
Status checkDeviceOption(DeviceKind kind, std::string_view name,
                         std::string_view value);

/// The default rates of devices of `kind` with `threads` threads. The
/// number counts only if the rates are those of one thread; 0 counts as 1.
DeviceRates defaultRates(DeviceKind kind, uint32_t threads = 1);

} // namespace weir

#endif // WEIR_SUPPORT_DEVICEKIND_H
