//===- FoldConstants.cpp - Computes what depends on constants alone -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/ConstantData.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Runtime/Reference.h"

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

static KernelSpec makeReferenceSpec(WeirOpInterface op) {
  KernelSpec spec;
  spec.name = referenceKernel.str();
  spec.attrs = toAttrMap(makeReferenceConfig(op));
  for (Value operand : op->getOperands())
    spec.operands.push_back(
        toTensorDesc(cast<RankedTensorType>(operand.getType())));
  spec.results.push_back(
      toTensorDesc(cast<RankedTensorType>(op->getResult(0).getType())));
  return spec;
}

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
    // Expanding a composite puts new ops in front of the one it replaces; the
    // walk meets them because it starts over from them.
    for (Operation *op = &entry.getBody().front().front(); op;) {
      auto weirOp = dyn_cast<WeirOpInterface>(op);
      Operation *next = op->getNextNode();
      if (weirOp && isIdentity(weirOp)) {
        op->getResult(0).replaceAllUsesWith(op->getOperand(0));
        op->erase();
      } else if (weirOp && isFoldable(weirOp)) {
        FailureOr<Operation *> again = fold(weirOp);
        if (failed(again))
          return signalPassFailure();
        next = *again ? *again : next;
      }
      op = next;
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
    return op->getNumResults() == 1 &&
           (op.getOpRecord().isLeaf() || op.getOpRecord().isComposite() ||
            op.isReinterpretation()) &&
           llvm::all_of(op->getOperands(),
                        [](Value operand) {
                          return operand.getDefiningOp<ConstantOp>();
                        }) &&
           isWorthwhile(op);
  }

  /// Replaces `op` by a constant, or by its body: then returns the body's first
  /// op, where folding goes on.
  FailureOr<Operation *> fold(WeirOpInterface op) {
    OpBuilder builder(op);
    if (op.getOpRecord().isComposite()) {
      Operation *before = op->getPrevNode();
      op->replaceAllUsesWith(op.expandBody(builder));
      Operation *first =
          before ? before->getNextNode() : &op->getBlock()->front();
      op->erase();
      return first;
    }
    FailureOr<DenseElementsAttr> value = evaluate(op);
    if (failed(value))
      return failure();
    auto constant = ConstantOp::create(builder, op->getLoc(), *value);
    op->replaceAllUsesWith(constant);
    op->erase();
    return nullptr;
  }

  FailureOr<DenseElementsAttr> evaluate(WeirOpInterface op) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    std::vector<std::vector<char>> operands;
    for (Value operand : op->getOperands())
      operands.push_back(
          getConstantBytes(operand.getDefiningOp<ConstantOp>().getValue()));
    if (op.isReinterpretation())
      return makeConstant(type, operands.front());
    std::vector<const void *> pointers;
    for (const std::vector<char> &bytes : operands)
      pointers.push_back(bytes.data());
    std::vector<char> result(toTensorDesc(type).spanBytes());
    Status status =
        evaluateReference(makeReferenceSpec(op), pointers, result.data());
    if (!status.isOk())
      return op.emitOpError("'")
             << weir::getOpName(op)
             << "' cannot be folded: " << StringRef(status.message());
    return makeConstant(type, result);
  }
};
} // namespace
