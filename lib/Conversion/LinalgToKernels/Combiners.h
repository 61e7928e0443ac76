//===- Combiners.h - How a reduction's body combines ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_COMBINERS_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_COMBINERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace weir::kernels {

/// The op of the body of `op` that combines the running value with that of a
/// point, if partial results may be combined by it in any order; else null.
mlir::Operation *findCombiner(mlir::linalg::GenericOp op);

/// What `combiner` leaves as it is.
mlir::TypedAttr getIdentity(mlir::Operation *combiner);

/// `left` and `right`, scalars or vectors, combined by an op like `combiner`.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Operation *combiner,
                    mlir::Value left, mlir::Value right);

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_COMBINERS_H
