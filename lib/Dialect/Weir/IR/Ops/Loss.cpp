//===- Loss.cpp - The Loss family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/IR/TypeUtilities.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

/// The class of each row, 0 for a row with the label `ignored`.
static BodyValue findClasses(BodyBuilder &b, Value input, Value labels,
                             int64_t ignored) {
  int64_t classes = getTensorType(input).getShape().back();
  return b.make<ClassIndexOp>(
      {labels}, {b.number("classes", classes), b.number("ignored", ignored)});
}

/// `value` of each row, or 0 if its label is `ignored`.
static BodyValue unlessIgnored(BodyBuilder &b, StringRef value, BodyValue x,
                               BodyValue labels, int64_t ignored) {
  return b.pointwise(
      fmt::format("select(b == {}, 0, {})", ignored, std::string_view(value)),
      {x, labels});
}

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Loss.cpp.inc"

void WeirDialect::registerLossOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Loss.cpp.inc"
      >();
}

SmallVector<IndexOperand> ClassIndexOp::getIndexOperands() {
  return {{0, {static_cast<int64_t>(getClasses())}, getIgnored()}};
}

SmallVector<IndexOperand> SparseSoftmaxCrossEntropyOp::getIndexOperands() {
  return {{1, {getTensorType(getInput()).getShape().back()}, getIgnored()}};
}

/// Targets are not broadcast: each row has its own.
static LogicalResult verifyRows(Operation *op, ArrayRef<int64_t> expected) {
  ArrayRef<int64_t> found = getTensorType(op->getOperand(1)).getShape();
  if (succeeded(verifyCompatibleShape(found, expected)))
    return success();
  return op->emitOpError("expects operand 1 of ")
         << (expected.empty() ? std::string("no dims")
                              : shapeToString(expected))
         << ", a target for each row of operand 0, found "
         << getTensorType(op->getOperand(1));
}

LogicalResult SoftmaxCrossEntropyOp::verify() {
  return verifyRows(*this, getTensorType(getInput()).getShape());
}

/// Without classes, a row has no label.
LogicalResult SparseSoftmaxCrossEntropyOp::verify() {
  // Expressions compare labels with a double.
  constexpr int64_t most = int64_t{1} << 53;
  const auto ignored = static_cast<int64_t>(getIgnored());
  if (ignored < -most || ignored > most)
    return emitOpError("attribute 'ignored' expects a label from -2^53 to "
                       "2^53, found ")
           << ignored << "; ignore another label";
  auto input = getTensorType(getInput()), labels = getTensorType(getLabels());
  if (failed(verifyRows(*this, input.getShape().drop_back())))
    return failure();
  if (input.getShape().back() != 0 ||
      (labels.hasStaticShape() && labels.getNumElements() == 0))
    return success();
  return emitOpError("expects at least one class, found operand 0 of ")
         << input;
}
