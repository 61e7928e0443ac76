//===- Elementwise.cpp - The Elementwise family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pooling.h"

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <fmt/format.h>

#include <cmath>

using namespace mlir;
using namespace weir;

/// Whether the elements of `tensor` hold `number` without rounding.
static bool isExactIn(APFloat number, Value tensor) {
  bool isRounded = false;
  number.convert(cast<FloatType>(getTensorType(tensor).getElementType())
                     .getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &isRounded);
  return !isRounded;
}

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Elementwise.cpp.inc"

void WeirDialect::registerElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Elementwise.cpp.inc"
      >();
}

LogicalResult ClipOp::verify() {
  // Users often write the first number beyond the range of the type to say that
  // there is no limit.
  auto isLimit = [&](const APFloat &value) {
    Type type = getTensorType(getResult()).getElementType();
    return std::abs(value.convertToDouble()) <
           std::ldexp(1.0,
                      type.getIntOrFloatBitWidth() - !type.isUnsignedInteger());
  };
  if (isLimit(getMin()) &&
      failed(opdetail::verifyExact(*this, getMinAttrName(), getMin(),
                                   "a weir.constant and the larger of both")))
    return failure();
  if (isLimit(getMax()) &&
      failed(opdetail::verifyExact(*this, getMaxAttrName(), getMax(),
                                   "a weir.constant and the smaller of both")))
    return failure();
  return success();
}

std::string ClipOp::getDoubt() {
  const double min = getMin().convertToDouble();
  const double max = getMax().convertToDouble();
  if (!(min > max))
    return {};
  return fmt::format("attribute 'min' ({}) is more than 'max' ({}), so every "
                     "element becomes {}; exchange the two",
                     min, max, max);
}
