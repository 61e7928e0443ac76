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

/// The types of three results. The index spec determines the first type. The
/// other two are like the scale, which is operand number `scale`.
static StatusOr<SmallVector<Type>> inferForChannels(const OpRecord &record,
                                                    TypeRange operands,
                                                    const AttrMap &attrs,
                                                    size_t scale) {
  std::vector<std::vector<int64_t>> shapes;
  for (Type type : operands)
    shapes.push_back(toDims(cast<RankedTensorType>(type)));
  WEIR_ASSIGN_OR_RETURN(const BoundSpec bound,
                        record.getIndexSpec().bind(shapes, attrs));
  const Type perChannel =
      makeTensorType({bound.resultDims[1]},
                     cast<RankedTensorType>(operands[scale]).getElementType());
  return SmallVector<Type>{
      makeTensorType(bound.resultDims,
                     cast<RankedTensorType>(operands.front()).getElementType()),
      perChannel, perChannel};
}

static bool isZero(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  return elements && elements.isSplat() &&
         elements.getSplatValue<APFloat>().isZero();
}

/// The weight of one element in the mean of its channel of `x`.
static double shareOfElement(Value x) {
  auto type = getTensorType(x);
  return static_cast<double>(type.getDimSize(1)) /
         static_cast<double>(type.getNumElements());
}

/// Adds the gradients for `x` through the mean and the variance to `ofX`, the
/// gradient for `x` through the normalised tensor. `grads[1]` is the gradient
/// of the mean, and `grads[2]` is the gradient of the variance. Usually the
/// loss depends on the normalised tensor alone, so there is nothing to add.
static Value addThroughStatistics(BodyBuilder &b, Value ofX, Value x,
                                  Value mean, ArrayRef<BodyValue> grads) {
  if (isZero(grads[1]) && isZero(grads[2]))
    return ofX;
  const double share = shareOfElement(x);
  BodyValue sum = b.value(b.widened(ofX)[0]);
  if (!isZero(grads[1]))
    sum = sum + b.alongChannels(grads[1] * share, x);
  if (isZero(grads[2]))
    return sum;
  BodyValue centred = b.value(x) - b.alongChannels(b.widened(mean)[0], x);
  return sum + centred * b.alongChannels(grads[2] * (2 * share), x);
}

/// Refuses a negative epsilon, because the variance plus epsilon could be
/// negative.
static LogicalResult verifyEpsilon(Operation *op, const APFloat &epsilon) {
  if (epsilon.isFinite() && !epsilon.isNegative())
    return success();
  return op->emitOpError("attribute 'epsilon' expects a finite number from 0 "
                         "on, found ")
         << epsilon.convertToDouble();
}

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Normalization.cpp.inc"

void WeirDialect::registerNormalizationOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Normalization.cpp.inc"
      >();
}

LogicalResult BatchNormOp::verify() {
  return verifyEpsilon(*this, getEpsilon());
}

LogicalResult BatchNormGradientOp::verify() {
  return verifyEpsilon(*this, getEpsilon());
}

LogicalResult BatchNormTrainingOp::verify() {
  return verifyEpsilon(*this, getEpsilon());
}

LogicalResult GroupNormOp::verify() {
  if (failed(verifyEpsilon(*this, getEpsilon())))
    return failure();
  int64_t channels = cast<RankedTensorType>(getX().getType()).getDimSize(1);
  int64_t groups = static_cast<int64_t>(getGroups());
  if (groups >= 1 &&
      (ShapedType::isDynamic(channels) || channels % groups == 0))
    return success();
  return emitOpError("attribute 'groups' expects a divisor of the ")
         << channels << " channels, found " << groups;
}

LogicalResult LayerNormOp::verify() {
  if (failed(opdetail::verifyAxis(*this, getAxis())) ||
      failed(verifyEpsilon(*this, getEpsilon())))
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
  // With more channels, the number of points of the sums would overflow.
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
