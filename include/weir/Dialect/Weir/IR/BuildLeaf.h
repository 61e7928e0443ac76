//===- BuildLeaf.h - Builds ops that are their own records ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_BUILDLEAF_H
#define WEIR_DIALECT_WEIR_IR_BUILDLEAF_H

#include "weir/Dialect/Weir/IR/OpRecord.h"

#include "mlir/IR/Builders.h"

namespace weir {

/// The result of a `leaf` with elements of `type`. Null, without an error, if
/// the op does not take these operands.
mlir::Value makeLeaf(mlir::OpBuilder &builder, mlir::Location location,
                     mlir::ValueRange operands, llvm::StringRef spec,
                     llvm::StringRef expression, Combiner combiner,
                     mlir::Type type);

/// The spec of `count` operands that broadcast: "...,...->...".
std::string getPointwiseSpec(size_t count);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_BUILDLEAF_H
