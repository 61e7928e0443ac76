//===- WeirInterfaces.h - What passes may ask any op -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_WEIRINTERFACES_H
#define WEIR_DIALECT_WEIR_IR_WEIRINTERFACES_H

#include "weir/Dialect/Weir/IR/OpRecord.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

#include "weir/Dialect/Weir/IR/WeirInterfaces.h.inc"

namespace weir {

/// The index spec of `op` with all sizes filled in. The op is verified, so it
/// binds.
BoundSpec bindSpec(WeirOpInterface op);

/// Calls `visit` with each op of the composite `op`'s body, built beside the
/// graph and dropped again.
void visitBody(WeirOpInterface op,
               llvm::function_ref<void(WeirOpInterface)> visit);

/// The work of an op whose shapes are static.
struct OpCost {
  /// Floating point operations, each scalar operation counted once.
  int64_t flops = 0;
  /// Bytes of all operands and results, each read or written once.
  int64_t bytes = 0;
};

/// The cost of `op`; a composite's flops are those of its body.
OpCost getCost(WeirOpInterface op);

/// The strided copies `op` consists of, from its index spec where it only moves
/// elements; empty if it computes.
llvm::SmallVector<ElementCopy> getElementCopies(WeirOpInterface op);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_WEIRINTERFACES_H
