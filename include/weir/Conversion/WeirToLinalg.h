//===- WeirToLinalg.h - Ops as loops over tensors -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_WEIRTOLINALG_H
#define WEIR_CONVERSION_WEIRTOLINALG_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"

namespace weir {

/// Converts types to tensors without layout, with signless elements.
class LinalgTypeConverter : public mlir::TypeConverter {
public:
  LinalgTypeConverter();
};

/// Replaces all composites below `root` by their bodies. Their shapes must be
/// static.
void expandComposites(mlir::Operation *root);

/// Adds the patterns for leaf ops, ops that move elements, and constants.
/// Shapes must be static.
void populateWeirToLinalgPatterns(const LinalgTypeConverter &converter,
                                  mlir::RewritePatternSet &patterns);

} // namespace weir

#endif // WEIR_CONVERSION_WEIRTOLINALG_H
