//===- Normalization.cpp - The Normalization family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/Axis.h"
#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace weir;

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Normalization.cpp.inc"

void WeirDialect::registerNormalizationOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Normalization.cpp.inc"
      >();
}

LogicalResult GroupNormOp::verify() {
  int64_t channels = cast<RankedTensorType>(getX().getType()).getDimSize(1);
  int64_t groups = static_cast<int64_t>(getGroups());
  if (groups >= 1 &&
      (ShapedType::isDynamic(channels) || channels % groups == 0))
    return success();
  return emitOpError("attribute 'groups' expects a divisor of the ")
         << channels << " channels, found " << groups;
}

LogicalResult LayerNormOp::verify() {
  if (failed(opdetail::verifyAxis(*this, getAxis())))
    return failure();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(getX().getType()).getShape();
  ArrayRef<int64_t> expected =
      shape.drop_front(fromStart(getAxis(), shape.size()));
  for (Value affine : getOperands().drop_front()) {
    ArrayRef<int64_t> found =
        cast<RankedTensorType>(affine.getType()).getShape();
    if (failed(verifyCompatibleShape(found, expected)))
      return emitOpError("scale and bias expect shape ")
             << shapeToString(expected) << " of the dims from 'axis' on, found "
             << shapeToString(found);
  }
  return success();
}

LogicalResult LogSoftmaxOp::verify() {
  return opdetail::verifyAxis(*this, getAxis());
}

LogicalResult LrnOp::verify() {
  // The number of points of sums over more channels would overflow.
  constexpr int64_t most = int64_t{1} << 30;
  auto size = static_cast<int64_t>(getSize());
  if (size >= 1 && size <= most)
    return success();
  return emitOpError("attribute 'size' expects 1 to ")
         << most << ", found " << size;
}

LogicalResult SoftmaxOp::verify() {
  return opdetail::verifyAxis(*this, getAxis());
}
