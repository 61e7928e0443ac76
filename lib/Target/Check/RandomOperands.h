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

/// The kind of the special numbers. One number in 64 is special.
enum class Specials {
  /// No number is special.
  None,
  /// A float: 0 or 1 with either sign, or 0.5. An integer: the least or the
  /// largest one.
  Modest,
  /// A float: one of the modest ones, 100, the smallest normal number, the
  /// largest one, an infinity or a NaN. An integer: the least or the largest
  /// one.
  All,
};

/// The arguments of `function` in the order of their layouts. Other floats are
/// in [-2, 2), and other integers are small. Integers that are indices fit
/// their dims. The same `seed` gives the same elements.
StatusOr<std::vector<HostTensor>>
drawOperands(mlir::func::FuncOp function, uint64_t seed, Specials specials);

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_RANDOMOPERANDS_H
