//===- Steps.h - Checks of what moves with the trips of repeats -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_EXEC_IR_STEPS_H
#define WEIR_LIB_DIALECT_EXEC_IR_STEPS_H

#include "weir/Dialect/Exec/IR/ExecOps.h"

namespace weir::exec {

/// Checks that `step` of `op` has one number for each repeat around the op.
/// Sets `range` to the least and the most that these numbers add over all
/// trips.
mlir::LogicalResult verifyStep(mlir::Operation *op,
                               mlir::ArrayRef<int64_t> step, StepRange &range);

} // namespace weir::exec

#endif // WEIR_LIB_DIALECT_EXEC_IR_STEPS_H
