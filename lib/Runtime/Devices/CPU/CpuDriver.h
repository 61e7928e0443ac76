//===- CpuDriver.h - Opens shares of the machine's cores -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_CPU_CPUDRIVER_H
#define WEIR_LIB_RUNTIME_DEVICES_CPU_CPUDRIVER_H

#include "CpuTopology.h"
#include "weir/Runtime/Device.h"

namespace weir {

class CpuDriver final : public DeviceDriver {
public:
  using HookMaker =
      std::function<std::shared_ptr<StepHook>(const DeviceRequest &)>;
  CpuDriver(std::string kind, std::span<const KernelTableEntry> kernels,
            HookMaker hookOf = {})
      : kind(std::move(kind)), kernels(kernels), hookOf(std::move(hookOf)) {}

  std::string_view name() const override { return kind; }
  std::vector<DeviceInfo> detect() const override;
  bool hasFeature(std::string_view name) const override;
  Status canOpen(std::span<const DeviceRequest> requests) const override;
  Status checkOptions(const DeviceRequest &request) const override;
  bool usesCores() const override { return true; }
  std::vector<DeviceRequest>
  resolve(std::span<const DeviceRequest> requests) const override;
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest> requests) const override;

private:
  /// The whole machine as one device.
  DeviceInfo describe(const CpuTopology &topology) const;

  std::string kind;
  std::span<const KernelTableEntry> kernels;
  HookMaker hookOf;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_CPU_CPUDRIVER_H
