//===- MatchRecord.h - Which record describes a leaf ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_GRADIENTS_MATCHRECORD_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_GRADIENTS_MATCHRECORD_H

#include "LeafForm.h"

namespace weir {

/// Builds an op with windows that computes `form`, on operands whose dims may
/// be permuted; null if there is no such op. The letters of a record's spec are
/// matched with loops, and the attributes are computed from coefficients and
/// offsets. The record's spec is then bound with these attributes, to prove
/// that the result is the form.
mlir::Value buildKnownWindows(GradientBuilder &builder, const LeafForm &form);

/// Builds a pointwise op whose record has `expression`, with a result of
/// `type`; null if there is none.
mlir::Value buildKnownPointwise(GradientBuilder &builder,
                                llvm::StringRef expression,
                                mlir::ValueRange operands,
                                mlir::RankedTensorType type);

/// Computes `expression` at each element of `operands`, which broadcast to
/// `shape`, by a pointwise op or a `leaf`.
mlir::Value buildPointwise(GradientBuilder &builder, llvm::StringRef expression,
                           mlir::ValueRange operands, mlir::Type elementType,
                           llvm::ArrayRef<int64_t> shape);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_GRADIENTS_MATCHRECORD_H
