//===- LowerMath.h - Lowers math functions to arithmetic --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_LOWERMATH_H
#define WEIR_LIB_TARGET_CPU_LOWERMATH_H

#include "mlir/Pass/Pass.h"

namespace weir {

/// Replaces math ops and conversions that LLVM would lower to library calls.
std::unique_ptr<mlir::Pass> createLowerMathPass();

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_LOWERMATH_H
