//===- Real.h - Arithmetic on f32 and f64 as in C++ -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A Real is an SSA value of type f32 or f64, scalar or vector. Its operators
// create arith and math ops. Operations are contracted only by an explicit fma.
// So scalars and vectors of any width get the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_MATH_REAL_H
#define WEIR_LIB_TARGET_CPU_MATH_REAL_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace weir {

/// The boolean result of a comparison.
struct Mask {
  mlir::ImplicitLocOpBuilder *builder;
  mlir::Value value;
};

/// The bits of a Real as a signless integer.
struct Bits {
  mlir::ImplicitLocOpBuilder *builder;
  mlir::Value value;

  Bits like(int64_t number) const;
};

struct Real {
  mlir::ImplicitLocOpBuilder *builder;
  mlir::Value value;

  /// The constant `number`, with the type of this value.
  Real like(double number) const;
  /// Whether elements are f64.
  bool isDouble() const;
};

namespace realops {
template <typename Op> Real make(Real a, Real b) {
  return {a.builder, Op::create(*a.builder, a.value, b.value)};
}
template <typename Op> Bits make(Bits a, int64_t b) {
  return {a.builder, Op::create(*a.builder, a.value, a.like(b).value)};
}
template <typename Op> Bits make(Bits a, Bits b) {
  return {a.builder, Op::create(*a.builder, a.value, b.value)};
}
inline Mask compare(mlir::arith::CmpFPredicate predicate, Real a, Real b) {
  return {a.builder,
          mlir::arith::CmpFOp::create(*a.builder, predicate, a.value, b.value)};
}
} // namespace realops

inline Real operator+(Real a, Real b) {
  return realops::make<mlir::arith::AddFOp>(a, b);
}
inline Real operator-(Real a, Real b) {
  return realops::make<mlir::arith::SubFOp>(a, b);
}
inline Real operator*(Real a, Real b) {
  return realops::make<mlir::arith::MulFOp>(a, b);
}
inline Real operator/(Real a, Real b) {
  return realops::make<mlir::arith::DivFOp>(a, b);
}
inline Real operator+(Real a, double b) { return a + a.like(b); }
inline Real operator-(Real a, double b) { return a - a.like(b); }
inline Real operator*(Real a, double b) { return a * a.like(b); }
inline Real operator-(double a, Real b) { return b.like(a) - b; }
inline Real operator/(double a, Real b) { return b.like(a) / b; }
inline Real operator-(Real a) {
  return {a.builder, mlir::arith::NegFOp::create(*a.builder, a.value)};
}

/// Comparisons with NaN are false.
inline Mask operator<(Real a, Real b) {
  return realops::compare(mlir::arith::CmpFPredicate::OLT, a, b);
}
inline Mask operator>(Real a, Real b) { return b < a; }
inline Mask operator>=(Real a, Real b) {
  return realops::compare(mlir::arith::CmpFPredicate::OGE, a, b);
}
inline Mask operator==(Real a, Real b) {
  return realops::compare(mlir::arith::CmpFPredicate::OEQ, a, b);
}
inline Mask operator<(Real a, double b) { return a < a.like(b); }
inline Mask operator>(Real a, double b) { return a > a.like(b); }
inline Mask operator>=(Real a, double b) { return a >= a.like(b); }
inline Mask operator==(Real a, double b) { return a == a.like(b); }
Mask operator!(Mask mask);
Mask operator&(Mask a, Mask b);

inline Bits operator+(Bits a, Bits b) {
  return realops::make<mlir::arith::AddIOp>(a, b);
}
inline Bits operator+(Bits a, int64_t b) {
  return realops::make<mlir::arith::AddIOp>(a, b);
}
inline Bits operator-(Bits a, Bits b) {
  return realops::make<mlir::arith::SubIOp>(a, b);
}
inline Bits operator-(Bits a, int64_t b) {
  return realops::make<mlir::arith::SubIOp>(a, b);
}
inline Bits operator*(Bits a, Bits b) {
  return realops::make<mlir::arith::MulIOp>(a, b);
}
inline Bits operator&(Bits a, int64_t b) {
  return realops::make<mlir::arith::AndIOp>(a, b);
}
inline Bits operator|(Bits a, int64_t b) {
  return realops::make<mlir::arith::OrIOp>(a, b);
}
inline Bits operator<<(Bits a, int64_t b) {
  return realops::make<mlir::arith::ShLIOp>(a, b);
}
/// An arithmetic shift: it keeps the sign.
inline Bits operator>>(Bits a, int64_t b) {
  return realops::make<mlir::arith::ShRSIOp>(a, b);
}
Mask isZero(Bits bits);
Mask isNegative(Bits bits);

/// a * b + c, rounded only once.
Real fma(Real a, Real b, Real c);
inline Real fma(Real a, double b, Real c) { return fma(a, a.like(b), c); }
Real select(Mask mask, Real yes, Real no);
Bits select(Mask mask, Bits yes, Bits no);
Real abs(Real x);
Real sqrt(Real x);
Real floor(Real x);
Real truncate(Real x);
/// The magnitude of `x` with the sign of `sign`.
Real copySign(Real x, Real sign);
/// `x` limited to [low, high]. The result for NaN is `low`.
Real clamp(Real x, double low, double high);
Bits toBits(Real x);
/// The number with the bits `bits`. It has the type of `like`.
Real fromBits(Bits bits, Real like);
/// The result is `x` itself where `original` is NaN, and otherwise `result`.
Real keepNaN(Real original, Real result);

/// The sum of coefficients[i] * x^i.
Real polynomial(Real x, llvm::ArrayRef<double> coefficients);

/// `type` with elements of type `element`. `type` is a scalar or a vector.
mlir::Type withElement(mlir::Type type, mlir::Type element);

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_MATH_REAL_H
