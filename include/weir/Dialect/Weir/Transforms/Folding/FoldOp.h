//===- FoldOp.h - Computes ops on constants ---------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_FOLDOP_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_FOLDOP_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"

namespace weir {

/// Whether all operands of `op` are constants and folding is worthwhile: the
/// artifact does not grow, and folding does not take long.
bool isFoldable(WeirOpInterface op);

/// Replaces the foldable `op` by constants with its name and returns them.
/// Errors go to the context's handler.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> foldOp(WeirOpInterface op);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_FOLDOP_H
