//===- DeviceKind.h - What the compiler knows of device kinds ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A device kind has a description: which kernels its devices have, which code
// is generated for them, and how fast they are. The compiler uses this
// description, and never asks which kind a device is. Some kinds are built in.
// All others come from plug-ins (DevicePlugin.h).
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
  /// The name of the rows in the records of ops that are for these devices: the
  /// `KernelRow::device` of these rows. Kinds may share rows. Empty: no rows.
  std::string_view kernels = {};
  /// Rows that only this kind has. They take precedence over rows of records
  /// for the same op and element type. The member `device` of each row is
  /// `kernels`.
  std::span<const OpKernelRow> rows = {};
  /// The kernel table, ordered by name. Null: the table of the built-in kind
  /// whose `kernels` are the same, if there is one.
  std::span<const KernelTableEntry> (*kernelTable)() = nullptr;
  /// The code generator that makes kernels for the devices: "cpu", "nvptx" for
  /// NVIDIA's GPUs, or empty for none. With one, the kernel table has the
  /// kernel "generated", and with "cpu" also "reference".
  std::string_view codeGenerator = {};
  /// Whether the kernels of `rows` compute right results with all strides that
  /// their `check` accepts. Then transposes beside products move no bytes.
  bool takesStrides = false;
  /// Whether the devices compute results. If not, they only serve to time the
  /// executor, and an op is placed on such a device only if the op asks for it.
  bool computes = true;
  /// Whether each device is a share of the machine's cores. Such devices can be
  /// given a number of threads, and none can be left out of a list.
  bool sharesCores = false;
  /// Whether each device has memory of its own, as with `--isolated`. If not,
  /// its kernels read and write the host's memory.
  bool hasOwnMemory = false;
  /// Whether no thread of the process can access the memory of the devices.
  /// Each device then copies values to and from its memory itself.
  bool copiesItself = false;
  /// Whether the devices need the predicted duration of each command:
  /// StepInfo::predictedNs.
  bool usesPredictions = false;
  /// Ok, or why no device of the kind has the option `name` with the value
  /// `value`. Null: the devices have no options.
  Status (*checkOption)(std::string_view name,
                        std::string_view value) = nullptr;
  /// Whether every machine has devices of the kind.
  bool isEverywhere = false;
  /// Whether a machine may lack the devices although it has their plug-in. An
  /// artifact that uses them then also has a variant without them.
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
  /// `info` must live as long as the process uses the kind.
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

/// The kinds that are built in, and then the kinds of the plug-ins that were
/// loaded so far, ordered by name.
std::vector<DeviceKind> deviceKinds();

/// The spelling of `kind` in device names: "cpu", "null", "sim", ...
inline std::string_view toString(DeviceKind kind) { return kind->name; }

/// Ok, or why devices of `kind` cannot have the option `name` with the value
/// `value` on any machine.
Status checkDeviceOption(DeviceKind kind, std::string_view name,
                         std::string_view value);

/// The default rates of devices of `kind` with `threads` threads. `threads`
/// matters only if the rates are those of one thread; 0 counts as 1.
DeviceRates defaultRates(DeviceKind kind, uint32_t threads = 1);

} // namespace weir

#endif // WEIR_SUPPORT_DEVICEKIND_H
