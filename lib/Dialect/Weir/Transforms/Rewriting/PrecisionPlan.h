//===- PrecisionPlan.h - Which ops of a graph run in 16 bits ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// No op is named here. The PrecisionRole in its record says whether an op is
// faster in 16 bits (bf16, or f16 on some devices), follows its neighbours, or
// stays in f32. docs/precision.md explains the rules.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_REWRITING_PRECISIONPLAN_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_REWRITING_PRECISIONPLAN_H

#include "weir/Dialect/Weir/Transforms/Folding/DerivableValues.h"
#include "weir/Support/DType.h"

#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <string>

namespace weir {

bool isF32(mlir::Value value);

/// How an operand affects the precision of its op.
enum class OperandPrecision {
  /// The operand has the type of the result.
  AsResult,
  /// The operand may be f32 if the result has 16 bits: biases and scales.
  MayBeWide,
  /// The type of the operand is independent: indices and conditions.
  Apart,
};
OperandPrecision getOperandPrecision(mlir::OpOperand &operand);

/// Whether `result` has the precision of its op. Statistics that an op returns
/// beside a tensor stay in f32.
bool hasOpPrecision(mlir::OpResult result);

/// The precision of an op on f32.
enum class OpPrecision {
  /// f32, outside of all regions of 16 bits.
  Outside,
  /// Operands and results of 16 bits.
  Narrow,
  /// f32, inside of a region.
  Wide,
};

/// Says why the device of an op does not compute in 16 bits; empty if it does.
using WhyNotNarrowFn = std::function<std::string(mlir::Operation *)>;

/// The precisions of the ops of a lifted entry with static shapes.
class PrecisionPlan {
public:
  /// `narrow` is the type of 16 bits.
  PrecisionPlan(mlir::func::FuncOp entry, const ParameterFacts &facts,
                DType narrow, WhyNotNarrowFn whyNotNarrow);

  OpPrecision get(mlir::Operation *op) const { return ops.lookup(op); }
  /// The reason why an op that could be in 16 bits is in f32; empty if there is
  /// none.
  std::string whyNot(mlir::Operation *op) const { return reasons.lookup(op); }
  bool isDerivable(mlir::Value value) const {
    return derivable.contains(value);
  }

private:
  void findWhatFeeds(mlir::Block &block);
  void formRegions(mlir::Block &block);
  void widenForward(mlir::Block &block);
  void widenBackward(mlir::Block &block);
  void widen(mlir::Operation *op, std::string reason);

  bool isAnchor(WeirOpInterface op) const;
  bool mayFollow(WeirOpInterface op) const;
  bool isInRegion(mlir::Operation *op) const {
    return op && ops.lookup(op) != OpPrecision::Outside;
  }
  bool isInRegion(mlir::Value value) const {
    auto result = llvm::dyn_cast<mlir::OpResult>(value);
    return result && isInRegion(result.getOwner()) && hasOpPrecision(result);
  }
  bool isStoredWide(mlir::Value value) const;
  bool wantsWide(mlir::OpOperand &use) const;
  bool isWideForFree(mlir::Value value) const;
  std::string whyWideForward(WeirOpInterface op) const;
  bool canBeWide(WeirOpInterface op) const;

  const DType narrow;
  const WhyNotNarrowFn whyNotNarrow;
  DerivableValues derivable;
  /// The ops whose results reach an anchor, directly or through ops for which
  /// `mayFollow` holds.
  llvm::DenseSet<mlir::Operation *> feeds;
  llvm::DenseMap<mlir::Operation *, OpPrecision> ops;
  llvm::DenseMap<mlir::Operation *, std::string> reasons;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_REWRITING_PRECISIONPLAN_H
