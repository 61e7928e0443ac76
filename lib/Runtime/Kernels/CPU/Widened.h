//===- Widened.h - Computes bf16 kernels in f32 -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_WIDENED_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_WIDENED_H

#include "weir/Runtime/Kernel.h"

#include <functional>

namespace weir::cpu {

/// Whether the library supports `spec` on this CPU only with f32 in place of
/// bf16.
bool mustWiden(const KernelSpec &spec);

/// A kernel that computes in f32 what `spec` requests in bf16. It converts
/// operands to f32 (constants at load), runs the kernel that `prepare` creates
/// for f32, and rounds the results. So a CPU without bf16 instructions gives
/// the answers of a CPU that has them, but takes longer than for f32.
StatusOr<std::unique_ptr<Kernel>>
prepareWidened(const KernelSpec &spec, PrepareContext &context,
               const std::function<StatusOr<std::unique_ptr<Kernel>>(
                   const KernelSpec &, PrepareContext &)> &prepare);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_WIDENED_H
