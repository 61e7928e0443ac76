//===- BuildMoves.h - Builds ops that move elements ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Functions for passes that change the shapes of tensors without naming the ops
// that do so.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_BUILDMOVES_H
#define WEIR_DIALECT_WEIR_IR_BUILDMOVES_H

#include "mlir/IR/Builders.h"

namespace weir {

/// `x` reshaped to `shape`, in which one dim may be -1 and is inferred.
mlir::Value makeReshape(mlir::OpBuilder &builder, mlir::Location location,
                        mlir::Value x, llvm::ArrayRef<int64_t> shape);

/// `x` transposed: dim `order[i]` of `x` becomes dim i.
mlir::Value makeTranspose(mlir::OpBuilder &builder, mlir::Location location,
                          mlir::Value x, llvm::ArrayRef<int64_t> order);

/// `parts` one behind the other, as in a bucket.
mlir::Value makePack(mlir::OpBuilder &builder, mlir::Location location,
                     mlir::ValueRange parts);

/// `x`, broadcast to `shape`.
mlir::Value makeExpand(mlir::OpBuilder &builder, mlir::Location location,
                       mlir::Value x, llvm::ArrayRef<int64_t> shape);

/// The tensor of which `x` is a broadcast. Null if `x` is not a broadcast.
mlir::Value getBroadcast(mlir::Value x);

/// `x` with zeros around it. `pads` lists the numbers of zeros before each dim,
/// and then the numbers of zeros after each dim.
mlir::Value makePad(mlir::OpBuilder &builder, mlir::Location location,
                    mlir::Value x, llvm::ArrayRef<int64_t> pads);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_BUILDMOVES_H
