//===- LaunchIndices.h - The index checks of a launch ---------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_LAUNCHINDICES_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_LAUNCHINDICES_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"

#include <optional>

namespace weir {

/// The constant that `value` is, possibly through an argument of a group; or
/// null.
ConstantOp getConstant(mlir::Value value);

/// The number that `value`, a constant of one float, has; or nothing.
std::optional<double> getOnlyNumber(mlir::Value value);

/// The checks of weir/Support/IndexCheckAttrs.h for one launch. Constants are
/// left out, since they were checked at compile time.
class LaunchIndices {
public:
  /// Adds that input `input` of the launch holds `indices` of `op`.
  void add(mlir::Operation *op, const IndexOperand &indices, int64_t input);

  /// Adds the attributes to those of the launch, if there are checks.
  void addTo(mlir::NamedAttrList &config, mlir::MLIRContext *context) const;

private:
  llvm::SmallVector<int64_t> checks;
  llvm::SmallVector<llvm::StringRef> names;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_LAUNCHINDICES_H
