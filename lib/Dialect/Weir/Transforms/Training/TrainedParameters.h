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
  /// The number of its group; the number of groups if it belongs to none.
  size_t group = 0;
};

/// The parameters that `plan` of `op` trains, in the order in which the
/// backward part computes their gradients: those of the last layer first. All
/// reads of a parameter become one. `taken` has the parameters that other steps
/// of the entry train. The new ones are added to it.
mlir::FailureOr<llvm::SmallVector<TrainedParameter>>
chooseTrained(MinimizeOp op, const TrainingPlan &plan,
              llvm::StringSet<> &taken);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_TRAINEDPARAMETERS_H
