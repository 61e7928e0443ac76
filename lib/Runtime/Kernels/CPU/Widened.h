//===- Widened.h - bf16 by way of f32 --------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_WIDENED_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_WIDENED_H

#include "weir/Runtime/Kernel.h"

#include <functional>

namespace weir::cpu {

/// Whether the library has no code on this CPU for the types of `spec`, but
/// for f32 in the place of bf16.
bool mustWiden(const KernelSpec &spec);

/// A kernel that computes in f32 what `spec` asks for in bf16: it converts
/// operands to f32 (constant ones at load), runs the kernel that `prepare`
/// gives for these, and rounds the results. A CPU without instructions for bf16
/// gives so the answers of one that has them, slower than in f32.
StatusOr<std::unique_ptr<Kernel>>
prepareWidened(const KernelSpec &spec, PrepareContext &context,
               const std::function<StatusOr<std::unique_ptr<Kernel>>(
                   const KernelSpec &, PrepareContext &)> &prepare);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_WIDENED_H
