//===- Pooling.h - Gradients behind a pool ----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_IR_OPS_POOLING_H
#define WEIR_LIB_DIALECT_WEIR_IR_OPS_POOLING_H

#include "weir/Dialect/Weir/IR/BodyBuilder.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace weir::pooling {

/// Builds an op with elements of a gradient where a tensor has certain values,
/// and 0 elsewhere.
using GateFn =
    llvm::function_ref<BodyValue(mlir::Value gradient, mlir::Value y)>;

/// `gate(gradient, y)`. If `gradient` is that of a max_pool of `y`, it is the
/// same to apply the gate to the gradient of the pooled tensor first: what goes
/// to an element comes from windows of which it is the maximum. The pooled
/// tensor is smaller, and `y` need not be kept.
BodyValue passGate(BodyBuilder &b, mlir::Value gradient, mlir::Value y,
                   GateFn gate);

} // namespace weir::pooling

#endif // WEIR_LIB_DIALECT_WEIR_IR_OPS_POOLING_H
