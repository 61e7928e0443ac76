//===- ComputedOps.h - The ops that a device computes -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_COMPUTEDOPS_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_COMPUTEDOPS_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseSet.h"

namespace weir {

/// The ops of the block `body` that a device computes. Left out are constants,
/// parameters, and ops whose results no output and no parameter needs.
llvm::DenseSet<mlir::Operation *> findComputedOps(mlir::Block &body);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_COMPUTEDOPS_H
