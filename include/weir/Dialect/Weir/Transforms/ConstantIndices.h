//===- ConstantIndices.h - Indices that are known while compiling ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_CONSTANTINDICES_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_CONSTANTINDICES_H

#include "weir/Dialect/Weir/IR/IndexOperands.h"
#include "weir/Dialect/Weir/Transforms/Folding.h"

namespace weir {

/// Whether all of `values`, which operand `indices` of `op` holds, pick an
/// element; tells the first that does not.
mlir::LogicalResult checkIndices(WeirOpInterface op,
                                 const IndexOperand &indices,
                                 TensorBytes values);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_CONSTANTINDICES_H
