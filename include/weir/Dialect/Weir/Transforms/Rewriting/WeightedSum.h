//===- WeightedSum.h - Products with weights known at compile time --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_WEIGHTEDSUM_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_WEIGHTEDSUM_H

#include "weir/Dialect/Weir/Transforms/Folding/DerivableValues.h"

#include <optional>

namespace weir {

/// An op that sums products of its operand and a weight that is known at
/// compile time: a convolution or a matrix product.
struct WeightedSum {
  WeirOpInterface op;
  BoundSpec bound;
  /// The positions of the two operands.
  unsigned input, weight;
  /// The number of the optional operand for the initial value (a bias), even if
  /// it is absent. Nothing if the op has no such operand.
  std::optional<unsigned> init;

  mlir::Value getWeight() { return op->getOperand(weight); }
  bool hasInit() { return init && *init < op->getNumOperands(); }
};

std::optional<WeightedSum> asWeightedSum(WeirOpInterface op,
                                         const DerivableValues &derivable);

/// The loops with more than one point that make up `index`, slowest first.
/// Nothing if the index does not simply count the `size` elements of its dim.
std::optional<llvm::SmallVector<int>>
getLoops(const AffineIndex &index, int64_t size, const BoundSpec &bound);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_WEIGHTEDSUM_H
