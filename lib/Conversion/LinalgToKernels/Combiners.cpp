//===- Combiners.cpp - The combining ops of reductions ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Combiners.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace weir;

Operation *kernels::findCombiner(linalg::GenericOp op) {
  Block *body = op.getBody();
  Operation *yield = body->getTerminator();
  Operation *last = yield->getNumOperands() == 1
                        ? yield->getOperand(0).getDefiningOp()
                        : nullptr;
  if (!last || last->getNumOperands() != 2 || !getIdentity(last))
    return nullptr;
  BlockArgument running = body->getArguments().back();
  bool isCombined = running.hasOneUse() && (last->getOperand(0) == running ||
                                            last->getOperand(1) == running);
  return isCombined ? last : nullptr;
}

/// The identity of a float operation; nothing for other ops.
static std::optional<APFloat> getFloatIdentity(Operation *op, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  if (isa<arith::AddFOp>(op))
    return APFloat::getZero(semantics);
  if (isa<arith::MulFOp>(op))
    return APFloat::getOne(semantics);
  if (isa<arith::MaximumFOp>(op))
    return APFloat::getInf(semantics, /*Negative=*/true);
  if (isa<arith::MinimumFOp>(op))
    return APFloat::getInf(semantics);
  return std::nullopt;
}

static std::optional<APInt> getIntIdentity(Operation *op, unsigned width) {
  if (isa<arith::AddIOp, arith::MaxUIOp, arith::OrIOp>(op))
    return APInt::getZero(width);
  if (isa<arith::MulIOp>(op))
    return APInt(width, 1);
  if (isa<arith::MinUIOp, arith::AndIOp>(op))
    return APInt::getAllOnes(width);
  if (isa<arith::MaxSIOp>(op))
    return APInt::getSignedMinValue(width);
  if (isa<arith::MinSIOp>(op))
    return APInt::getSignedMaxValue(width);
  return std::nullopt;
}

TypedAttr kernels::getIdentity(Operation *combiner) {
  Type type = getElementTypeOrSelf(combiner->getResult(0).getType());
  if (auto floatType = dyn_cast<FloatType>(type)) {
    std::optional<APFloat> identity = getFloatIdentity(combiner, floatType);
    return identity ? TypedAttr(FloatAttr::get(type, *identity)) : TypedAttr();
  }
  if (!type.isInteger())
    return {};
  std::optional<APInt> identity =
      getIntIdentity(combiner, type.getIntOrFloatBitWidth());
  return identity ? TypedAttr(IntegerAttr::get(type, *identity)) : TypedAttr();
}

Value kernels::combine(OpBuilder &builder, Operation *combiner, Value left,
                       Value right) {
  OperationState state(combiner->getLoc(), combiner->getName());
  state.addOperands({left, right});
  state.addTypes(left.getType());
  state.addAttributes(combiner->getAttrs());
  return builder.create(state)->getResult(0);
}
