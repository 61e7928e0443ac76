//===- ConstantIndices.h - Checks indices known at compile time -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_CONSTANTINDICES_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_CONSTANTINDICES_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/Transforms/Folding/Folding.h"

namespace weir {

/// Checks that all of `values`, which operand `indices` of `op` holds, are in
/// range. Emits an error about the first value that is out of range.
mlir::LogicalResult checkIndices(WeirOpInterface op,
                                 const IndexOperand &indices,
                                 TensorBytes values);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_CONSTANTINDICES_H
