//===- KernelTable.h - The kernels of each device kind -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_KERNELTABLE_H
#define WEIR_RUNTIME_KERNELTABLE_H

#include "weir/Runtime/Kernel.h"
#include "weir/Support/DeviceKind.h"

#include <span>
#include <string_view>

namespace weir {

/// The kernels of CPU devices, ordered by name.
std::span<const KernelTableEntry> cpuKernels();

/// The kernel table of devices of `kind`; empty if they have none.
std::span<const KernelTableEntry> kernelTable(DeviceKind kind);

/// The row called `name`, or null. `table` is ordered by name.
const KernelTableEntry *findKernel(std::span<const KernelTableEntry> table,
                                   std::string_view name);

} // namespace weir

#endif // WEIR_RUNTIME_KERNELTABLE_H
