//===- FoldOp.cpp - Computes ops on constants -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Folding/FoldOp.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/ConstantData.h"
#include "weir/Dialect/Weir/Transforms/Folding/Folding.h"

using namespace mlir;
using namespace weir;

/// The most arithmetic of an op that is folded.
static constexpr int64_t maxFoldedFlops = int64_t(1) << 28;

static uint64_t getBytes(ValueRange values) {
  uint64_t bytes = 0;
  for (Value value : values)
    bytes += getSpanBytes(value);
  return bytes;
}

/// Whether folding `op` costs less than it saves.
static bool isWorthwhile(WeirOpInterface op) {
  return getBytes(op->getResults()) <=
             std::max(getBytes(op->getOperands()), maxGrownBytes) &&
         getEvaluationFlops(op) <= maxFoldedFlops;
}

bool weir::isFoldable(WeirOpInterface op) {
  return isEvaluable(op) &&
         llvm::all_of(op->getOperands(),
                      [](Value operand) {
                        return operand.getDefiningOp<ConstantOp>();
                      }) &&
         isWorthwhile(op);
}

FailureOr<SmallVector<Value>> weir::foldOp(WeirOpInterface op) {
  std::vector<std::vector<char>> values;
  SmallVector<TensorBytes> operands;
  for (Value operand : op->getOperands())
    values.push_back(
        getConstantBytes(operand.getDefiningOp<ConstantOp>().getValue()));
  llvm::append_range(operands, values);
  FailureOr<std::vector<std::vector<char>>> results = evaluate(op, operands);
  if (failed(results))
    return failure();
  OpBuilder builder(op);
  SmallVector<Value> constants;
  for (auto [result, bytes] : llvm::zip_equal(op->getResults(), *results)) {
    auto type = cast<RankedTensorType>(result.getType());
    constants.push_back(
        ConstantOp::create(builder, op->getLoc(), makeConstant(type, bytes)));
  }
  op->replaceAllUsesWith(constants);
  op->erase();
  return constants;
}
