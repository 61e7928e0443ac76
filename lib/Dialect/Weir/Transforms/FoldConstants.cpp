//===- FoldConstants.cpp - Computes what depends on constants alone -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/ConstantData.h"
#include "weir/Dialect/Weir/Transforms/Folding.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

namespace weir {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// Results that are larger than this and than what they are made of, or take
/// more arithmetic, are left to the run.
static constexpr uint64_t maxGrownBytes = uint64_t(1) << 20;
static constexpr int64_t maxFoldedFlops = int64_t(1) << 28;

static uint64_t getBytes(Value value) {
  return toTensorDesc(cast<RankedTensorType>(value.getType())).spanBytes();
}

/// Whether folding `op` costs less than it saves.
static bool isWorthwhile(WeirOpInterface op) {
  uint64_t operandBytes = 0;
  for (Value operand : op->getOperands())
    operandBytes += getBytes(operand);
  return getBytes(op->getResult(0)) <= std::max(operandBytes, maxGrownBytes) &&
         getCost(op).flops <= maxFoldedFlops;
}

namespace {
class FoldConstants : public weir::impl::FoldConstantsBase<FoldConstants> {
public:
  using FoldConstantsBase::FoldConstantsBase;

  void runOnOperation() override {
    func::FuncOp entry = getEntry(getOperation());
    if (!entry)
      return signalPassFailure();
    for (auto op : llvm::make_early_inc_range(entry.getOps<WeirOpInterface>()))
      if (isIdentity(op)) {
        op->getResult(0).replaceAllUsesWith(op->getOperand(0));
        op->erase();
      } else if (isFoldable(op) && failed(fold(op))) {
        return signalPassFailure();
      }
  }

private:
  /// Whether `op` gives back its operand: a view of the same type that nobody
  /// asked to be elsewhere.
  static bool isIdentity(WeirOpInterface op) {
    return op->getNumOperands() == 1 && op->getNumResults() == 1 &&
           op->getOperand(0).getType() == op->getResult(0).getType() &&
           !op.getDeviceAttr() && isView(op);
  }

  static bool isFoldable(WeirOpInterface op) {
    return op->getNumResults() == 1 && isEvaluable(op) &&
           llvm::all_of(op->getOperands(),
                        [](Value operand) {
                          return operand.getDefiningOp<ConstantOp>();
                        }) &&
           isWorthwhile(op);
  }

  static LogicalResult fold(WeirOpInterface op) {
    std::vector<std::vector<char>> constants;
    SmallVector<TensorBytes> operands;
    for (Value operand : op->getOperands())
      constants.push_back(
          getConstantBytes(operand.getDefiningOp<ConstantOp>().getValue()));
    llvm::append_range(operands, constants);
    FailureOr<std::vector<std::vector<char>>> results = evaluate(op, operands);
    if (failed(results))
      return failure();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    OpBuilder builder(op);
    auto constant = ConstantOp::create(builder, op->getLoc(),
                                       makeConstant(type, results->front()));
    op->replaceAllUsesWith(constant);
    op->erase();
    return success();
  }
};
} // namespace
