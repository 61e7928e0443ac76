//===- LaunchText.h - Describes launches in text ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_LAUNCHTEXT_H
#define WEIR_RUNTIME_LAUNCHTEXT_H

#include "weir/Runtime/DeviceQueue.h"
#include "weir/Runtime/Kernel.h"

#include <string>
#include <string_view>

namespace weir {

/// The shapes of a launch as text: "1x8xf32, 8x4xf32 -> 1x4xf32".
std::string describeShapes(const KernelSpec &spec);

/// The bytes of all operands and results.
uint64_t countBytes(const KernelSpec &spec);

/// The context of every error of a launch: "op 'fc1' on cpu:0: kernel 'matmul'
/// (1x8xf32, 8x4xf32 -> 1x4xf32)".
std::string describeLaunch(const StepInfo &info, std::string_view device);

} // namespace weir

#endif // WEIR_RUNTIME_LAUNCHTEXT_H
