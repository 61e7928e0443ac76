//===- Trigonometric.cpp - Trigonometric and hyperbolic functions ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Angle.h"
#include "Functions.h"

#include <cmath>

using namespace weir;

static constexpr double halfPi = 1.5707963267948966;
static constexpr double ln2 = 0.6931471805599453;

/// The polynomials of x^2 for (sin(x) - x) / x^3 and for (cos(x) - 1 + x^2/2) /
/// x^4, for |x| <= pi / 4.
static constexpr double sinSeries[] = {
    -0.16666666666666667,  0.0083333333333333315,  -0.00019841269841265065,
    2.7557319219339167e-6, -2.5052106232447577e-8, 1.6058531618986147e-10,
    -7.586697117706918e-13};
static constexpr double cosSeries[] = {
    0.041666666666666667,   -0.0013888888888888888, 2.4801587301584646e-5,
    -2.7557319221402824e-7, 2.0876755791080424e-9,  -1.1470460887609959e-11,
    4.7458719020432915e-14};
/// (atan(x) - x) / x^3 as a polynomial of x^2, for |x| <= sqrt(2) - 1.
static constexpr double atanSeries[] = {
    -0.33333333333333333,  0.19999999999999805,   -0.14285714285659828,
    0.11111111105155447,   -0.090909087535008768, 0.076922963750321424,
    -0.066664248857382553, 0.058789289978347751,  -0.052304542706502445,
    0.045515932206265492,  -0.034570561981427747, 0.016285756855221028};

namespace {
/// The sine and the cosine of the remainder of an angle, and its number of
/// quarter turns.
struct Turned {
  Bits quarters;
  Real sin, cos;
};
} // namespace

static Turned turn(Real x) {
  auto [quarters, rest] = reduceAngle(x);
  Real z = rest * rest;
  Real sin = fma(rest * z, polynomial(z, sinSeries), rest);
  Real cos = fma(z * z, polynomial(z, cosSeries), 1 - z * 0.5);
  return {quarters, sin, cos};
}

/// The sine of `quarters` quarter turns plus the remainder.
static Real pick(const Turned &turned, Bits quarters) {
  Real value = select(isZero(quarters & 1), turned.sin, turned.cos);
  return select(isZero(quarters & 2), value, -value);
}

Real functions::sin(Real x) {
  Turned turned = turn(x);
  return select(x == 0, x, pick(turned, turned.quarters));
}

Real functions::cos(Real x) {
  Turned turned = turn(x);
  return pick(turned, turned.quarters + 1);
}

Real functions::tan(Real x) {
  Turned turned = turn(x);
  Real result =
      pick(turned, turned.quarters) / pick(turned, turned.quarters + 1);
  return select(x == 0, x, result);
}

Real functions::atan(Real x) {
  Real size = abs(x);
  Mask isLarge = size > 1;
  Real inverse = select(isLarge, 1 / size, size);
  Mask isMiddle = inverse > 0.41421356237309503;
  Real rest = select(isMiddle, (inverse - 1) / (inverse + 1), inverse);
  Real z = rest * rest;
  Real angle = fma(rest * z, polynomial(z, atanSeries), rest);
  angle = select(isMiddle, angle + halfPi / 2, angle);
  angle = select(isLarge, halfPi - angle, angle);
  return copySign(angle, x);
}

Real functions::asin(Real x) { return atan(x / sqrt((1 - x) * (x + 1))); }

Real functions::acos(Real x) { return atan(sqrt((1 - x) / (x + 1))) * 2; }

/// exp(x) / 2. It is right even if exp(x) itself is infinite.
static Real halfExp(Real x) {
  Real root = functions::exp(x * 0.5);
  return root * 0.5 * root;
}

Real functions::sinh(Real x) {
  Real size = abs(x);
  Real t = expm1(clamp(size, 0, 32));
  Real result = (t + t / (t + 1)) * 0.5;
  return keepNaN(x, copySign(select(size > 30, halfExp(size), result), x));
}

Real functions::cosh(Real x) {
  Real size = abs(x);
  Real e = exp(size);
  return select(size > 30, halfExp(size), (e + 1 / e) * 0.5);
}

/// If x is at least this, x^2 + 1 rounds to x^2.
static constexpr double large = 0x1p28;

Real functions::asinh(Real x) {
  Real size = abs(x);
  Real bounded = clamp(size, 0, large);
  Real squared = bounded * bounded;
  Real result = log1p(bounded + squared / (sqrt(squared + 1) + 1));
  result = select(size >= large, log(size) + ln2, result);
  return keepNaN(x, copySign(result, x));
}

Real functions::acosh(Real x) {
  Real t = clamp(x, 0, large) - 1;
  Real result = log1p(t + sqrt(t * 2 + t * t));
  result = select(x >= large, log(x) + ln2, result);
  return select(x >= 1, result, x.like(std::nan("")));
}

Real functions::atanh(Real x) {
  Real size = abs(x);
  Real result = log1p(size * 2 / (1 - size)) * 0.5;
  return copySign(result, x);
}
