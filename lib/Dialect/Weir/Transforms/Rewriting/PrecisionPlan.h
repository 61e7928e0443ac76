//===- PrecisionPlan.h - Which ops of a graph run in bf16 -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// No op is named here. Records say which ops are faster in bf16, which follow
// these, and which stay in f32 (PrecisionRole). docs/precision.md explains the
// rules.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_REWRITING_PRECISIONPLAN_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_REWRITING_PRECISIONPLAN_H

#include "weir/Dialect/Weir/Transforms/Folding/DerivableValues.h"

#include "llvm/ADT/DenseMap.h"

namespace weir {

bool isF32(mlir::Value value);

/// How operand `operand` affects the precision of its op.
enum class OperandPrecision {
  /// It has the type of the result.
  AsResult,
  /// It may be f32 if the result is bf16: biases, scales.
  MayBeWide,
  /// Its type is independent: indices, conditions.
  Apart,
};
OperandPrecision getOperandPrecision(mlir::OpOperand &operand);

/// The precision of an op on f32.
enum class OpPrecision {
  /// f32, outside of all regions of bf16.
  Outside,
  /// bf16 operands and results.
  Narrow,
  /// f32, inside of a region.
  Wide,
};

/// The precisions of the ops of a lifted entry with static shapes.
class PrecisionPlan {
public:
  PrecisionPlan(mlir::func::FuncOp entry, const ParameterFacts &facts);

  OpPrecision get(mlir::Operation *op) const { return ops.lookup(op); }
  /// Why an op that could be in bf16 is not; or null.
  const char *whyNot(mlir::Operation *op) const { return reasons.lookup(op); }
  bool isDerivable(mlir::Value value) const {
    return derivable.contains(value);
  }

private:
  void findWhatFeeds(mlir::Block &block);
  void formRegions(mlir::Block &block);
  void widenForward(mlir::Block &block);
  void widenBackward(mlir::Block &block);
  void widen(mlir::Operation *op, const char *reason);

  bool isAnchor(WeirOpInterface op) const;
  bool mayFollow(WeirOpInterface op) const;
  bool isInRegion(mlir::Operation *op) const {
    return op && ops.lookup(op) != OpPrecision::Outside;
  }
  bool isStoredWide(mlir::Value value) const;
  bool wantsWide(mlir::OpOperand &use) const;
  bool isWideForFree(mlir::Value value) const;
  const char *whyWideForward(WeirOpInterface op) const;
  bool canBeWide(WeirOpInterface op) const;

  DerivableValues derivable;
  /// Ops whose results reach an anchor through ops that may follow.
  llvm::DenseSet<mlir::Operation *> feeds;
  llvm::DenseMap<mlir::Operation *, OpPrecision> ops;
  llvm::DenseMap<mlir::Operation *, const char *> reasons;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_REWRITING_PRECISIONPLAN_H
