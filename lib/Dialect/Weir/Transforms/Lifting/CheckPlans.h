//===- CheckPlans.h - Compares the plans of one entry -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LIFTING_CHECKPLANS_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LIFTING_CHECKPLANS_H

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Checks that functions which are plans of one entry have the same inputs and
/// outputs but for their shapes, since callers know one entry. Parameters must
/// be lifted, so that outputs have names.
llvm::LogicalResult checkPlans(mlir::ModuleOp module);

/// Checks that such plans also have their inputs and outputs in the same
/// memory, since callers allocate them for an entry. Devices must be known.
llvm::LogicalResult checkPlanSpaces(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LIFTING_CHECKPLANS_H
