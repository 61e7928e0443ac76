//===- WeirInterfaces.h - The interface through which passes see ops ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_WEIRINTERFACES_H
#define WEIR_DIALECT_WEIR_IR_WEIRINTERFACES_H

#include "weir/Dialect/Weir/IR/OpRecord.h"
#include "weir/Support/AttrMap.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

namespace weir::opdetail {
/// The operands that the index spec of `op`, if it is a leaf, reads as indices.
llvm::SmallVector<IndexOperand> getIndicesOfSpec(mlir::Operation *op);

/// The warning about an op that applies another op to its operand 0, if that
/// operand is already the result of the other op; else empty.
std::string describeRepeated(mlir::Operation *op);
} // namespace weir::opdetail

namespace weir {
class BodyBuilder;

/// A tensor that an optimiser keeps for each parameter.
struct UpdateState {
  llvm::StringRef name;
  /// The value of all its elements before the first update.
  double initial = 0;
};
} // namespace weir

#include "weir/Dialect/Weir/IR/WeirInterfaces.h.inc"

namespace weir {

/// The index spec of `op`, whose record has one, with all sizes filled in. The
/// op must be verified, so binding cannot fail.
BoundSpec bindSpec(WeirOpInterface op);

/// Calls `visit` for each op in the body of the composite `op`. The body is
/// built outside of the graph and deleted afterwards.
void visitBody(WeirOpInterface op,
               llvm::function_ref<void(WeirOpInterface)> visit);

/// The work of an op whose shapes are static.
struct OpCost {
  /// The number of floating-point operations. Each scalar operation counts
  /// once.
  int64_t flops = 0;
  /// The bytes of all operands and results. Each tensor counts once.
  int64_t bytes = 0;
};

/// The cost of `op`; a composite's flops are those of its body.
OpCost getCost(WeirOpInterface op);

/// The strided copies of which `op` consists, derived from its index spec.
/// Empty if the op computes anything.
llvm::SmallVector<ElementCopy> getElementCopies(WeirOpInterface op);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_WEIRINTERFACES_H
