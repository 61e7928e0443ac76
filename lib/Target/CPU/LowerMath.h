//===- LowerMath.h - Lowers math functions to arithmetic --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_LOWERMATH_H
#define WEIR_LIB_TARGET_CPU_LOWERMATH_H

#include "mlir/IR/Operation.h"

namespace weir {

/// Replaces math ops and conversions inside of `root` that LLVM would lower to
/// library calls. Afterwards, code only moves and selects a bf16, and
/// reinterprets it as its bits. Tables become constants of the module.
void lowerMath(mlir::Operation *root);

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_LOWERMATH_H
