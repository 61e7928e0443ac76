//===- CpuKernels.cpp - The kernels of CPU devices --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/KernelTable.h"
#include "weir/Support/DeviceKind.h"

using namespace weir;

namespace weir::cpu {
#define WEIR_KERNEL(name, prepare, check)                                      \
  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,            \
                                            PrepareContext &context);          \
  Status check(const KernelSpec &spec);
#include "CpuKernels.inc"
} // namespace weir::cpu

static constexpr KernelTableEntry cpuKernelTable[] = {
#define WEIR_KERNEL(name, prepare, check) {name, cpu::prepare, cpu::check},
#include "CpuKernels.inc"
};

std::span<const KernelTableEntry> weir::cpuKernels() { return cpuKernelTable; }

std::span<const KernelTableEntry> weir::kernelTable(DeviceKind kind) {
  if (kind->kernelTable)
    return kind->kernelTable();
  return kind->kernels == DeviceKind::CPU->kernels
             ? cpuKernels()
             : std::span<const KernelTableEntry>();
}
