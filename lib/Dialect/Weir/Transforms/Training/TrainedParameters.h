//===- TrainedParameters.h - Which parameters a step updates ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_TRAINEDPARAMETERS_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_TRAINEDPARAMETERS_H

#include "weir/Dialect/Weir/IR/Training.h"

#include "llvm/ADT/StringSet.h"

namespace weir {

/// A parameter that a step updates.
struct TrainedParameter {
  llvm::StringRef name;
  /// The only read of the parameter in its entry.
  ReadOp read;
  /// The first reader that is not replaced; `read` if there is none.
  mlir::Operation *firstReader = nullptr;
  /// The number of the parameter's group. A parameter without a group has the
  /// number of groups instead.
  size_t group = 0;
};

/// The parameters that `plan` of `op` trains. They are in the order in which
/// the backward part computes their gradients, so parameters of the last layer
/// come first. All reads of a parameter become one read. `taken` has the
/// parameters that other steps of the entry train. The parameters of this step
/// are added to `taken`.
mlir::FailureOr<llvm::SmallVector<TrainedParameter>>
chooseTrained(MinimizeOp op, const TrainingPlan &plan,
              llvm::StringSet<> &taken);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_TRAINEDPARAMETERS_H
