//===- Pooling.cpp - The Pooling family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir;

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Pooling.cpp.inc"

void WeirDialect::registerPoolingOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Pooling.cpp.inc"
      >();
}

/// A window with nothing but padding under it has no maximum and no mean.
template <typename OpTy> static LogicalResult verifyPads(OpTy op) {
  auto at = [](ArrayAttr numbers, size_t i, int64_t otherwise) {
    return numbers.empty() ? otherwise : cast<IntegerAttr>(numbers[i]).getInt();
  };
  size_t rank = op.getKernelShape().size();
  for (size_t i = 0; i < 2 * rank; ++i) {
    int64_t cells = at(op.getKernelShape(), i % rank, 1);
    int64_t pad = at(op.getPads(), i, 0), last;
    // Where no number counts so far, no padding reaches the last cell.
    if (!llvm::MulOverflow(cells - 1, at(op.getDilations(), i % rank, 1),
                           last) &&
        pad > last)
      return op.emitOpError("attribute 'pads' expects less than the ")
             << last + 1 << " elements that a window spans in spatial dim "
             << i % rank << ", found " << pad;
  }
  return success();
}

LogicalResult AveragePoolOp::verify() { return verifyPads(*this); }
LogicalResult MaxPoolOp::verify() { return verifyPads(*this); }
LogicalResult SumPoolOp::verify() { return verifyPads(*this); }
