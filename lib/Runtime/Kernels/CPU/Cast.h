//===- Cast.h - Conversions between all element types -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_CAST_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_CAST_H

#include "weir/Runtime/Kernel.h"

namespace weir::cpu {

/// A kernel of plain loops that converts operand 0 to result 0 as the op cast
/// does. A float that becomes an integer is truncated, and clamped to the range
/// of the integer's type. NaN becomes 0. The kernel is for pairs of types that
/// oneDNN lacks or rounds differently.
StatusOr<std::unique_ptr<Kernel>> prepareCast(const KernelSpec &spec);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_CAST_H
