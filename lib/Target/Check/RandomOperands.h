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

/// The arguments of `cluster` in the order of their layouts. Floats are in
/// [-2, 2); with `hasSpecials`, one in 64 is an edge of its type, an infinity
/// or a NaN. What is an index for an op fits its dim. Other integers are small,
/// and seldom an edge of their type. The same `seed` gives the same elements.
StatusOr<std::vector<HostTensor>> drawOperands(mlir::func::FuncOp cluster,
                                               uint64_t seed, bool hasSpecials);

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_RANDOMOPERANDS_H
