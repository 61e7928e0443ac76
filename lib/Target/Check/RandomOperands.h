//===- RandomOperands.h - Operands to check kernels with --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CHECK_RANDOMOPERANDS_H
#define WEIR_LIB_TARGET_CHECK_RANDOMOPERANDS_H

#include "weir/Support/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace weir::kernelcheck {

/// Which numbers are special. One number in 64 is special.
enum class Specials {
  /// No number is special.
  None,
  /// A special float is 0 or 1 with either sign, or 0.5. A special integer is
  /// the least or the largest one of its type.
  Modest,
  /// A special float is a modest one, 100, the smallest normal number, the
  /// largest number, an infinity or a NaN. A special integer is the least or
  /// the largest one of its type.
  All,
};

/// Draws the arguments of `function`, in the order of their layouts. Floats
/// that are not special are in [-2, 2), and integers that are not special are
/// small. Integers that are indices fit their dims. The same `seed` gives the
/// same elements.
StatusOr<std::vector<HostTensor>>
drawOperands(mlir::func::FuncOp function, uint64_t seed, Specials specials);

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_RANDOMOPERANDS_H
