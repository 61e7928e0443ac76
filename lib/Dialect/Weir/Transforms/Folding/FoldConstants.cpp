//===- FoldConstants.cpp - Folds ops on constants -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/FoldOp.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

namespace weir {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class FoldConstants : public weir::impl::FoldConstantsBase<FoldConstants> {
public:
  using FoldConstantsBase::FoldConstantsBase;

  void runOnOperation() override {
    if (failed(forEachEntry(getOperation(), foldEntry)))
      signalPassFailure();
  }

private:
  static LogicalResult foldEntry(func::FuncOp entry) {
    for (auto op : llvm::make_early_inc_range(entry.getOps<WeirOpInterface>()))
      if (isIdentity(op)) {
        op->getResult(0).replaceAllUsesWith(op->getOperand(0));
        op->erase();
      } else if (isFoldable(op) && failed(foldOp(op))) {
        return failure();
      }
    return success();
  }

  /// Whether `op` is a view of the same type without an annotation, and so
  /// returns its operand unchanged. False for unknown dims, because such a view
  /// may have another shape.
  static bool isIdentity(WeirOpInterface op) {
    return op->getNumOperands() == 1 && op->getNumResults() == 1 &&
           op->getOperand(0).getType() == op->getResult(0).getType() &&
           getTensorType(op->getResult(0)).hasStaticShape() &&
           !op.getDeviceAttr() && isView(op);
  }
};
} // namespace
