//===- MatchRecord.h - Which record describes a leaf ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_GRADIENTS_MATCHRECORD_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_GRADIENTS_MATCHRECORD_H

#include "LeafForm.h"

namespace weir {

/// An op of a record with windows that computes `form`, on operands whose dims
/// may be permuted; null if there is none. The letters of the record's spec are
/// matched with loops, attributes are solved from coefficients and offsets, and
/// the record's spec is bound again to prove that it is the same.
mlir::Value buildKnownWindows(GradientBuilder &builder, const LeafForm &form);

/// A pointwise op whose expression is `expression`, with a result of `type`;
/// null if there is none.
mlir::Value buildKnownPointwise(GradientBuilder &builder,
                                llvm::StringRef expression,
                                mlir::ValueRange operands,
                                mlir::RankedTensorType type);

/// `expression` at each element of `operands`, which broadcast to `shape`: a
/// pointwise op, or a `leaf`.
mlir::Value buildPointwise(GradientBuilder &builder, llvm::StringRef expression,
                           mlir::ValueRange operands, mlir::Type elementType,
                           llvm::ArrayRef<int64_t> shape);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_GRADIENTS_MATCHRECORD_H
