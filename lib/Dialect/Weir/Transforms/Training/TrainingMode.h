//===- TrainingMode.h - Layers that differ in training ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_TRAININGMODE_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_TRAININGMODE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir {

/// Makes the batch norms of `entry` use the statistics of the batch, and
/// average these into the running statistics. A batch norm whose running
/// statistics are not parameters stays as it is, and a warning says why. Ops
/// that drop elements only in training do so now, with the parameter `step` as
/// the number of the step.
llvm::LogicalResult setTrainingMode(mlir::func::FuncOp entry);

/// Removes the ops that drop elements only in training.
void removeDropout(mlir::func::FuncOp entry);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_TRAININGMODE_H
