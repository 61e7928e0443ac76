//===- MadeElements.h - Initial elements to derive others from --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_FOLDING_MADEELEMENTS_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_FOLDING_MADEELEMENTS_H

#include "weir/Dialect/Weir/Transforms/Folding/DerivableValues.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SparseBitVector.h"

#include <string>
#include <vector>

namespace weir {

/// Limits the initial elements, such as random ones, that the compiler makes in
/// order to compute other values. Without a limit, a short text could ask for
/// any number of elements. A parameter counts once, even if many values in
/// several entries are computed from it.
class MadeElements {
public:
  explicit MadeElements(mlir::ModuleOp module);

  /// Continues with the values of `entry`.
  void setEntry(mlir::func::FuncOp entry, const DerivableValues &derivable);

  /// The reason why the elements for `value` may not be made: they are too
  /// many. Empty if they may be made.
  std::string whyNot(mlir::Value value) const;
  /// Counts the elements that are made for `value`.
  void make(mlir::Value value);

private:
  using Numbers = llvm::SparseBitVector<>;

  uint64_t countBytes(mlir::Value value) const;

  /// A number for each parameter with initial elements. Empty if the elements
  /// of all parameters may be made.
  llvm::DenseMap<mlir::Attribute, unsigned> numbers;
  /// For each number, the bytes of the parameter that are not made yet.
  std::vector<uint64_t> bytes;
  uint64_t left;
  /// The numbers of the parameters from which each value is computed.
  llvm::DenseMap<mlir::Value, Numbers> sources;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_FOLDING_MADEELEMENTS_H
