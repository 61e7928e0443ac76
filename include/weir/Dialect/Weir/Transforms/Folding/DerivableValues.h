//===- DerivableValues.h - Values that depend on parameters alone ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_DERIVABLEVALUES_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_DERIVABLEVALUES_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace weir {

/// The values of a lifted entry that can be computed at compile time:
/// constants, parameters that no entry assigns, and results of evaluable ops on
/// these.
class DerivableValues {
public:
  /// `facts` are the facts about the module of `entry`.
  DerivableValues(mlir::func::FuncOp entry, const ParameterFacts &facts);

  bool contains(mlir::Value value) const { return values.contains(value); }
  /// Adds the results of `op` if its operands are derivable.
  void add(mlir::Operation *op);
  /// Removes the results of `op`, which will be erased.
  void remove(mlir::Operation *op);

private:
  llvm::DenseSet<mlir::Value> values;
};

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_DERIVABLEVALUES_H
