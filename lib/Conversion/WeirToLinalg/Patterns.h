//===- Patterns.h - The patterns of WeirToLinalg --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_WEIRTOLINALG_PATTERNS_H
#define WEIR_LIB_CONVERSION_WEIRTOLINALG_PATTERNS_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"

#include "mlir/Transforms/DialectConversion.h"

namespace weir {

/// Lowers an op that is one scalar expression over an iteration space.
struct LeafToLinalg : mlir::OpInterfaceConversionPattern<WeirOpInterface> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;
  mlir::LogicalResult
  matchAndRewrite(WeirOpInterface op, mlir::ArrayRef<mlir::Value> operands,
                  mlir::ConversionPatternRewriter &rewriter) const override;
};

/// Lowers an op that has no expression, because it only moves elements or
/// renames dims.
struct MovesToTensor : mlir::OpInterfaceConversionPattern<WeirOpInterface> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;
  mlir::LogicalResult
  matchAndRewrite(WeirOpInterface op, mlir::ArrayRef<mlir::Value> operands,
                  mlir::ConversionPatternRewriter &rewriter) const override;
};

} // namespace weir

#endif // WEIR_LIB_CONVERSION_WEIRTOLINALG_PATTERNS_H
