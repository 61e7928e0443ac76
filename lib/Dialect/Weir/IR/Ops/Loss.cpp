//===- Loss.cpp - The Loss family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace weir;

namespace {
/// The labels of rows, with a dim of size 1 for the classes.
struct Labels {
  /// The index of the class; 0 for a row that is ignored.
  BodyValue index;
  BodyValue isIgnored;
};
} // namespace

static Labels findLabels(BodyBuilder &b, Value input, Value labels,
                         int64_t ignored) {
  SmallVector<int64_t> shape(getTensorType(labels).getShape());
  shape.push_back(1);
  BodyValue index = b.reshape(b.cast(labels, b.indexType()), shape);
  BodyValue isIgnored = b.make<EqualOp>({index, b.integer(ignored)});
  // A negative label would count from the end.
  BodyValue isNegative = b.make<LessOp>({index, b.integer(0)});
  int64_t classes = getTensorType(input).getShape().back();
  BodyValue checked = b.make<WhereOp>({isNegative, b.integer(classes), index});
  return {b.make<WhereOp>({isIgnored, b.integer(0), checked}), isIgnored};
}

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Loss.cpp.inc"

void WeirDialect::registerLossOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Loss.cpp.inc"
      >();
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
  auto input = getTensorType(getInput()), labels = getTensorType(getLabels());
  if (failed(verifyRows(*this, input.getShape().drop_back())))
    return failure();
  if (input.getShape().back() != 0 ||
      (labels.hasStaticShape() && labels.getNumElements() == 0))
    return success();
  return emitOpError("expects at least one class, found operand 0 of ")
         << input;
}
