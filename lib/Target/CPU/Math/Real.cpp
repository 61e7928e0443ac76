//===- Real.cpp - Arithmetic on f32 and f64 values ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Real.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace weir;

Type weir::withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

static Value makeConstant(ImplicitLocOpBuilder &builder, Type type,
                          TypedAttr number) {
  if (auto vector = dyn_cast<VectorType>(type))
    number = cast<TypedAttr>(
        Attribute(DenseElementsAttr::get(vector, Attribute(number))));
  return arith::ConstantOp::create(builder, number);
}

Bits Bits::like(int64_t number) const {
  Type type = value.getType();
  return {builder, makeConstant(*builder, type,
                                builder->getIntegerAttr(
                                    getElementTypeOrSelf(type), number))};
}

Real Real::like(double number) const {
  Type type = value.getType();
  return {builder, makeConstant(*builder, type,
                                builder->getFloatAttr(
                                    getElementTypeOrSelf(type), number))};
}

bool Real::isDouble() const {
  return getElementTypeOrSelf(value.getType()).isF64();
}

Mask weir::operator!(Mask mask) {
  Type type = mask.value.getType();
  Value one =
      makeConstant(*mask.builder, type, mask.builder->getBoolAttr(true));
  return {mask.builder, arith::XOrIOp::create(*mask.builder, mask.value, one)};
}

Mask weir::operator&(Mask a, Mask b) {
  return {a.builder, arith::AndIOp::create(*a.builder, a.value, b.value)};
}

Mask weir::isZero(Bits bits) {
  return {bits.builder,
          arith::CmpIOp::create(*bits.builder, arith::CmpIPredicate::eq,
                                bits.value, bits.like(0).value)};
}

Mask weir::isNegative(Bits bits) {
  return {bits.builder,
          arith::CmpIOp::create(*bits.builder, arith::CmpIPredicate::slt,
                                bits.value, bits.like(0).value)};
}

Real weir::fma(Real a, Real b, Real c) {
  return {a.builder,
          math::FmaOp::create(*a.builder, a.value, b.value, c.value)};
}

Real weir::select(Mask mask, Real yes, Real no) {
  return {yes.builder, arith::SelectOp::create(*yes.builder, mask.value,
                                               yes.value, no.value)};
}

Bits weir::select(Mask mask, Bits yes, Bits no) {
  return {yes.builder, arith::SelectOp::create(*yes.builder, mask.value,
                                               yes.value, no.value)};
}

Real weir::abs(Real x) {
  return {x.builder, math::AbsFOp::create(*x.builder, x.value)};
}

Real weir::sqrt(Real x) {
  return {x.builder, math::SqrtOp::create(*x.builder, x.value)};
}

Real weir::floor(Real x) {
  return {x.builder, math::FloorOp::create(*x.builder, x.value)};
}

Real weir::truncate(Real x) {
  return {x.builder, math::TruncOp::create(*x.builder, x.value)};
}

Real weir::copySign(Real x, Real sign) {
  return {x.builder, math::CopySignOp::create(*x.builder, x.value, sign.value)};
}

Real weir::clamp(Real x, double low, double high) {
  x = select(x > low, x, x.like(low));
  return select(x < high, x, x.like(high));
}

Bits weir::toBits(Real x) {
  Type integer = x.builder->getIntegerType(x.isDouble() ? 64 : 32);
  Type type = withElement(x.value.getType(), integer);
  return {x.builder, arith::BitcastOp::create(*x.builder, type, x.value)};
}

Real weir::fromBits(Bits bits, Real like) {
  return {bits.builder, arith::BitcastOp::create(
                            *bits.builder, like.value.getType(), bits.value)};
}

Real weir::keepNaN(Real original, Real result) {
  return select(original == original, result, original);
}

Real weir::polynomial(Real x, ArrayRef<double> coefficients) {
  Real sum = x.like(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, x.like(coefficient));
  return sum;
}
