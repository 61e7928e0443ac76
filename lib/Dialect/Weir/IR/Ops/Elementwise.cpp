//===- Elementwise.cpp - The Elementwise family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <cmath>

using namespace mlir;
using namespace weir;

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Elementwise.cpp.inc"

void WeirDialect::registerElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Elementwise.cpp.inc"
      >();
}

LogicalResult ClipOp::verify() {
  if (failed(opdetail::verifyExact(*this, getMinAttrName(), getMin(),
                                   "a weir.constant and the larger of both")))
    return failure();
  return opdetail::verifyExact(*this, getMaxAttrName(), getMax(),
                               "a weir.constant and the smaller of both");
}
