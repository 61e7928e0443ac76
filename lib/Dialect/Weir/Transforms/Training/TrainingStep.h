//===- TrainingStep.h - The counter of training steps -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_TRAININGSTEP_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_TRAININGSTEP_H

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// The parameter `step` of `module`, which counts the runs of entries that
/// train. If it is not declared, declares it at `location` with the value 0.
/// Null if it is declared with another type than `tensor<i64>`.
ParameterOp declareStep(mlir::ModuleOp module, mlir::Location location);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_TRAININGSTEP_H
