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

/// Builds an op that passes a gradient on where `y` has certain values, and is
/// 0 elsewhere.
using GateFn =
    llvm::function_ref<BodyValue(mlir::Value gradient, mlir::Value y)>;

/// Returns `gate(gradient, y)`, or something equal. If `gradient` is the
/// gradient of a max_pool of `y`, the gate is applied to the gradient of the
/// pooled tensor instead. The result is the same, because an element gets its
/// gradient only from windows of which it is the maximum. The pooled tensor is
/// smaller, and `y` need not be kept.
BodyValue passGate(BodyBuilder &b, mlir::Value gradient, mlir::Value y,
                   GateFn gate);

} // namespace weir::pooling

#endif // WEIR_LIB_DIALECT_WEIR_IR_OPS_POOLING_H
