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

/// Limits the initial elements, such as random ones, that the compiler makes
/// and holds to compute others from. A short text asks for many of them. Each
/// parameter is made once, however many values of however many entries are
/// computed from it.
class MadeElements {
public:
  explicit MadeElements(mlir::ModuleOp module);

  /// From here on, values are those of `entry`.
  void setEntry(mlir::func::FuncOp entry, const DerivableValues &derivable);

  /// Why too many elements would have to be made for `value`; empty if not.
  std::string whyNot(mlir::Value value) const;
  /// Counts what is made for `value`.
  void make(mlir::Value value);

private:
  using Numbers = llvm::SparseBitVector<>;

  uint64_t countBytes(mlir::Value value) const;

  /// The parameters with initial elements; none if all may be made.
  llvm::DenseMap<mlir::Attribute, unsigned> numbers;
  /// The bytes of each that are not made yet.
  std::vector<uint64_t> bytes;
  uint64_t left;
  /// The numbers of the parameters from which each value is computed.
  llvm::DenseMap<mlir::Value, Numbers> sources;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_FOLDING_MADEELEMENTS_H
