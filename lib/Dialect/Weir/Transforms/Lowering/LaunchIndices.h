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

/// The constant op of `value`, which may be an argument of a group; null if
/// `value` is no constant.
ConstantOp getConstant(mlir::Value value);

/// The number of `value` if it is a constant of one float; else nothing.
std::optional<double> getOnlyNumber(mlir::Value value);

/// The index checks of one launch, as attributes
/// (weir/Support/IndexCheckAttrs.h). Constant indices are left out, because
/// they were checked at compile time.
class LaunchIndices {
public:
  /// Adds a check of `indices` of `op`, where input number `input` of the
  /// launch holds the indices.
  void add(mlir::Operation *op, const IndexOperand &indices, int64_t input);

  /// Adds the checks to the attributes of the launch, if there are any.
  void addTo(mlir::NamedAttrList &config, mlir::MLIRContext *context) const;

private:
  llvm::SmallVector<int64_t> checks;
  llvm::SmallVector<llvm::StringRef> names;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_LAUNCHINDICES_H
