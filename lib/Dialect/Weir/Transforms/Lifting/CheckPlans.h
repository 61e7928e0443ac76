//===- CheckPlans.h - Compares the plans of one entry -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LIFTING_CHECKPLANS_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LIFTING_CHECKPLANS_H

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Checks that the plans of one entry have the same inputs and outputs, apart
/// from their shapes, because callers see one entry. Parameters must be lifted,
/// so that outputs have names.
llvm::LogicalResult checkPlans(mlir::ModuleOp module);

/// Checks that the inputs and outputs of the plans of one entry are in the same
/// memory, because callers allocate inputs and outputs for an entry and not for
/// a plan. Devices must be known.
llvm::LogicalResult checkPlanSpaces(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LIFTING_CHECKPLANS_H
