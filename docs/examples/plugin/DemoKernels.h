//===- DemoKernels.h - The kernels of demo devices --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_EXAMPLES_PLUGIN_DEMOKERNELS_H
#define WEIR_EXAMPLES_PLUGIN_DEMOKERNELS_H

#include "weir/Runtime/Kernel.h"
#include "weir/Support/KernelRow.h"

#include <span>

namespace demo {

/// What `DeviceKindInfo::kernels` calls the devices.
inline constexpr const char *kernelsName = "demo";

/// Which ops the kernels serve.
std::span<const weir::OpKernelRow> kernelRows();

/// The kernels, ordered by name.
std::span<const weir::KernelTableEntry> kernelTable();

} // namespace demo

#endif // WEIR_EXAMPLES_PLUGIN_DEMOKERNELS_H
