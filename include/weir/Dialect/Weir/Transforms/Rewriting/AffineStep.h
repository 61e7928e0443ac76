//===- AffineStep.h - Scales and shifts by known values --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_AFFINESTEP_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_AFFINESTEP_H

#include "weir/Dialect/Weir/Transforms/Folding/DerivableValues.h"

#include <optional>

namespace weir {

/// A pointwise op that scales or shifts a running value by a value that is
/// known at compile time and varies along at most one dim.
struct AffineStep {
  enum class Kind { Add, Sub, Mul, Div };
  Kind kind;
  WeirOpInterface op;
  /// The known value.
  mlir::Value by;
  /// The dim of the running value along which `by` varies, or -1.
  int64_t dim;
};

/// `op` as a step from `running`, if it is one and keeps the type of `running`.
std::optional<AffineStep> asAffineStep(WeirOpInterface op, mlir::Value running,
                                       const DerivableValues &derivable);

/// The op that is the only reader of `value` and may be fused with `producer`:
/// their annotations are compatible. Null if there is none.
WeirOpInterface getOnlyReader(mlir::Value value, WeirOpInterface producer);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_REWRITING_AFFINESTEP_H
