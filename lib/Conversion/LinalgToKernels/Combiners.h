//===- Combiners.h - The combining ops of reductions ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_COMBINERS_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_COMBINERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace weir::kernels {

/// The op in the body of `op` that combines the running value with the value of
/// a point. Null if partial results may not be combined in any order.
mlir::Operation *findCombiner(mlir::linalg::GenericOp op);

/// The identity of `combiner`, such as 0 for an addition: combined with any
/// value, it gives that value.
mlir::TypedAttr getIdentity(mlir::Operation *combiner);

/// `left` and `right`, scalars or vectors, combined by an op like `combiner`.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Operation *combiner,
                    mlir::Value left, mlir::Value right);

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_COMBINERS_H
