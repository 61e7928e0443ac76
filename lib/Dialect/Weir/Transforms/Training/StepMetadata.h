//===- StepMetadata.h - What the artifact says of a step --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_STEPMETADATA_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_STEPMETADATA_H

#include "weir/Dialect/Weir/IR/Training.h"

namespace weir {

/// Adds the training options of `op` to the metadata of the module, as
/// `weir.training.ENTRY.optimizer` and so on. `op` is number `index` of the
/// steps in entry `entry`. A resumed training compares these options with the
/// options in its checkpoint, and computes the rate of each step from them.
void addStepMetadata(MinimizeOp op, const TrainingPlan &plan,
                     llvm::StringRef entry, size_t index);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_STEPMETADATA_H
