//===- LaneEmitter.cpp - Emits values of the lanes of a vector --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LaneEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

bool kernels::isWide(Value value) { return isa<VectorType>(value.getType()); }

VectorType LaneEmitter::toVector(Type type) const {
  return VectorType::get({getCount()}, type);
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

int64_t LaneEmitter::getStep(const LinearIndex &index) {
  if (!lanes)
    return 0;
  if (code.symbols.isBent(index, lanes->loop))
    code.note(code.location,
              "a vector needs indices that are not in equal steps");
  return index.getCoefficient(lanes->loop);
}

bool LaneEmitter::isLaneIn(ArrayRef<LinearIndex> at) const {
  return lanes && llvm::any_of(at, [&](const LinearIndex &index) {
           return code.symbols.dependsOn(index, lanes->loop);
         });
}

Value LaneEmitter::emitSteps(int64_t step) {
  SmallVector<Attribute> steps;
  for (int64_t lane = 0; lane < getCount(); ++lane)
    steps.push_back(code.builder.getIndexAttr(lane * step));
  VectorType type = toVector(code.builder.getIndexType());
  return code.make<arith::ConstantOp>(
      type, cast<TypedAttr>(DenseElementsAttr::get(type, steps)));
}

Value LaneEmitter::emitIndex(const LinearIndex &index) {
  Value scalar = code.emitIndex(index);
  const int64_t step = getStep(index);
  if (step == 0)
    return scalar;
  Value steps = emitSteps(step);
  return code.make<arith::AddIOp>(splat(scalar), steps);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value LaneEmitter::splat(Value value) {
  if (isWide(value))
    return value;
  return code.make<vector::BroadcastOp>(toVector(value.getType()), value);
}

Value LaneEmitter::select(Value condition, Value yes, Value no) {
  if (isWide(condition) || isWide(yes) || isWide(no)) {
    yes = splat(yes);
    no = splat(no);
  }
  return code.make<arith::SelectOp>(condition, yes, no);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Mask LaneEmitter::maskLast(Value count) {
  used = count;
  last = code.make<vector::CreateMaskOp>(toVector(code.builder.getI1Type()),
                                         ValueRange(used));
  return {last, code.getDepth()};
}

bool LaneEmitter::areFirst(const Mask &mask) const {
  return !mask.value || mask.value == last;
}

Value LaneEmitter::maskFrom(int64_t first, int64_t step) {
  Value all = code.make<arith::MulIOp>(used, code.constantIndex(step));
  Value rest = code.make<arith::SubIOp>(all, code.constantIndex(first));
  return code.make<vector::CreateMaskOp>(toVector(code.builder.getI1Type()),
                                         ValueRange(rest));
}

Value LaneEmitter::toValue(const Mask &mask) {
  if (mask.value)
    return mask.value;
  return code.make<vector::ConstantMaskOp>(toVector(code.builder.getI1Type()),
                                           ArrayRef<int64_t>{getCount()});
}
