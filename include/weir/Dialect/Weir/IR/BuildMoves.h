//===- BuildMoves.h - Builds ops that move elements ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// For passes that bring tensors into other shapes and do not care which ops do
// that.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_BUILDMOVES_H
#define WEIR_DIALECT_WEIR_IR_BUILDMOVES_H

#include "mlir/IR/Builders.h"

namespace weir {

/// The elements of `x` in `shape`, in which one -1 stands for what is left.
mlir::Value makeReshape(mlir::OpBuilder &builder, mlir::Location location,
                        mlir::Value x, llvm::ArrayRef<int64_t> shape);

/// `x` with dim `order[i]` as dim i.
mlir::Value makeTranspose(mlir::OpBuilder &builder, mlir::Location location,
                          mlir::Value x, llvm::ArrayRef<int64_t> order);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_BUILDMOVES_H
