//===- Exponential.cpp - exp, log and powers ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace weir;

namespace {
/// The constants of the algorithms for f32 and for f64.
struct Format {
  int mantissa;
  int64_t bias;
  /// The number 1.5 * 2^mantissa. If it is added to a number, the low bits of
  /// the sum are the nearest integer.
  double magic;
  double ln2High, ln2Low;
  /// Below `lowest`, exp is 0. Above `highest`, it is infinite.
  double lowest, highest;
  /// If the argument is at least this, tanh of half the argument is 1.
  double flat;
  double minNormal;
  /// The bits of sqrt(1/2).
  int64_t sqrtHalf;
  /// (exp(x) - 1 - x) / x^2 for |x| <= ln(2) / 2.
  llvm::ArrayRef<double> exp;
};
} // namespace

static constexpr double expSingle[] = {0.5, 0.16666577, 0.0416665547,
                                       0.00836317307, 0.00139261761};
static constexpr double expDouble[] = {
    0.5000000000000001,    0.16666666666666667,   0.041666666666624162,
    0.0083333333333300644, 0.0013888888917196719, 0.00019841269863040545,
    2.4801521322368693e-5, 2.7557268480310026e-6, 2.7620075879983367e-7,
    2.5100375832561234e-8};
/// (log(1 + f) - f + f^2/2) / f^3 for 1 + f from sqrt(1/2) to sqrt(2).
static constexpr double logSingle[] = {
    0.333333312,  -0.24999997, 0.200007157,  -0.166678023, 0.142490576,
    -0.124256873, 0.116854199, -0.114797338, 0.0697161147};
/// (log(1 + f) - 2 s) / s^3 as a polynomial of s^2, where s = f / (2 + f).
static constexpr double logDouble[] = {
    0.66666666666666666, 0.40000000000000877, 0.28571428570803612,
    0.22222222391713917, 0.18181795640132906, 0.15386239702814658,
    0.13268773138656885, 0.13086626147840102};

static const Format &formatOf(Real x) {
  static const Format single = {23,
                                127,
                                12582912.0,
                                0.693147182464599609375,
                                -1.904654323148236e-09,
                                -104.0,
                                89.0,
                                20.0,
                                0x1p-126,
                                0x3f3504f3,
                                expSingle};
  static const Format wide = {52,
                              1023,
                              6755399441055744.0,
                              0.693147180559945286,
                              2.319046813846299558e-17,
                              -746.0,
                              710.0,
                              44.0,
                              0x1p-1022,
                              0x3fe6a09e667f3bcd,
                              expDouble};
  return x.isDouble() ? wide : single;
}

namespace {
/// An x as power * ln(2) + rest. `expm1` is exp(rest) - 1.
struct Reduced {
  Bits power;
  Real expm1;
};
} // namespace

/// Splits `x` into a power and a rest. `x` must be between `lowest` and
/// `highest`.
static Reduced reduce(Real x) {
  const Format &format = formatOf(x);
  Real magic = x.like(format.magic);
  Real shifted = fma(x, 1.4426950408889634, magic);
  Real count = shifted - magic;
  Real rest = fma(count, -format.ln2High, x);
  rest = fma(count, -format.ln2Low, rest);
  Real expm1 = fma(rest * rest, polynomial(rest, format.exp), rest);
  return {toBits(shifted) - toBits(magic), expm1};
}

/// 2^power. The result must be a normal number.
static Real raiseTwo(Bits power, Real like) {
  const Format &format = formatOf(like);
  return fromBits((power + format.bias) << format.mantissa, like);
}

/// The exponential of the number that was reduced. It is computed in two steps,
/// because 2^power itself may be out of range.
static Real restore(Reduced reduced) {
  Bits half = reduced.power >> 1;
  return (reduced.expm1 + 1) * raiseTwo(half, reduced.expm1) *
         raiseTwo(reduced.power - half, reduced.expm1);
}

Real functions::exp(Real x) {
  const Format &format = formatOf(x);
  return keepNaN(x, restore(reduce(clamp(x, format.lowest, format.highest))));
}

/// exp(x) - 1. The 2^power of the reduced x must be a normal number.
static Real expMinusOne(Real x) {
  Reduced reduced = reduce(x);
  Real scale = raiseTwo(reduced.power, x);
  return fma(scale, reduced.expm1, scale - 1);
}

Real functions::expm1(Real x) {
  const Format &format = formatOf(x);
  Real result = expMinusOne(clamp(x, -format.flat, format.highest - 2));
  result = select(x > format.highest - 2, exp(x), result);
  return keepNaN(x, result);
}

Real functions::tanh(Real x) {
  Real twice = clamp(abs(x) * 2, 0, formatOf(x).flat);
  Real t = expMinusOne(twice);
  return keepNaN(x, copySign(t / (t + 2), x));
}

/// log(1 + f) + e * ln(2).
static Real addLog(Real f, Real e) {
  const Format &format = formatOf(f);
  Real half = f * f * 0.5;
  if (!f.isDouble()) {
    Real cubed = f * (f * f);
    Real rest = fma(e, format.ln2Low, -half);
    rest = fma(cubed, polynomial(f, logSingle), rest);
    return fma(e, format.ln2High, f + rest);
  }
  Real s = f / (f + 2);
  Real z = s * s;
  Real series = z * polynomial(z, logDouble);
  Real rest = fma(s, half + series, e * format.ln2Low);
  return fma(e, format.ln2High, f - (half - rest));
}

namespace {
/// An x as (1 + fraction) * 2^power. 1 + fraction is from sqrt(1/2) to sqrt(2).
struct Scaled {
  Real fraction, power;
};

/// A number as the sum of two numbers. The second one is below the rounding
/// error of the first.
struct Sum {
  Real high, low;
};
} // namespace

/// Splits `x` into a fraction and a power. `x` must be positive and finite.
static Scaled scale(Real x) {
  const Format &format = formatOf(x);
  Mask isSmall = x < format.minNormal;
  Real scaled = select(isSmall, x * std::ldexp(1.0, format.mantissa), x);
  Bits bits = toBits(scaled) - format.sqrtHalf;
  Bits power = bits >> format.mantissa;
  power = select(isSmall, power - format.mantissa, power);
  int64_t fraction = (int64_t(1) << format.mantissa) - 1;
  Real f = fromBits((bits & fraction) + format.sqrtHalf, x) - 1;
  Real magic = x.like(format.magic);
  Real e = fromBits(toBits(magic) + power, x) - magic;
  return {f, e};
}

/// Corrects `result`, which is the logarithm of x only if x is positive and
/// finite.
static Real boundLog(Real x, Real result) {
  const double infinity = std::numeric_limits<double>::infinity();
  result = select(x == infinity, x, result);
  result = select(x == 0, x.like(-infinity), result);
  return select(x >= 0, result, x.like(std::nan("")));
}

Real functions::log(Real x) {
  auto [f, e] = scale(x);
  return boundLog(x, addLog(f, e));
}

/// The logarithm of an f64, to about 60 bits. It is computed like `addLog`, but
/// keeps the rounding errors. The sums and products without errors are those of
/// Dekker (1971).
static Sum logOfDouble(Real x) {
  const Format &format = formatOf(x);
  auto [f, e] = scale(x);
  Real count = e * format.ln2High;
  Real low = fma(e, e.like(format.ln2High), -count) + e * format.ln2Low;
  Real sum = count + f;
  low = low + (f - (sum - count));
  Real square = f * f, half = square * 0.5;
  low = low - fma(f, f, -square) * 0.5;
  Real high = sum - half;
  low = low + ((sum - high) - half);
  Real s = f / (f + 2);
  Real z = s * s;
  low = fma(s, half + z * polynomial(z, logDouble), low);
  Real total = high + low;
  return {boundLog(x, total), low - (total - high)};
}

Real functions::log1p(Real x) {
  Real u = x + 1;
  Real result = log(u) + (x - (u - 1)) / u;
  // For x = -1 and for infinite x, the correction would be NaN.
  const double infinity = std::numeric_limits<double>::infinity();
  result = select(x == infinity, x, result);
  return select(u == 0, x.like(-infinity), result);
}

Real functions::pow(Real x, Real y) {
  assert(x.isDouble() && "powers are computed in f64");
  const double infinity = std::numeric_limits<double>::infinity();
  Real size = abs(x);
  // The logarithm is exact to about 60 bits, because its error grows with the
  // exponent. With a larger error, integer powers of integers would not be
  // integers.
  Sum log = logOfDouble(size);
  Real product = y * log.high;
  Real rest = fma(y, log.high, -product) + y * log.low;
  const Format &format = formatOf(x);
  Mask isFinite = abs(product) < -format.lowest;
  rest = select(isFinite, rest, x.like(0));
  Reduced reduced = reduce(clamp(product, format.lowest, format.highest));
  reduced.expm1 = fma(rest, reduced.expm1 + 1, reduced.expm1);
  Real result = keepNaN(product, restore(reduced));
  result = select(size == 1, x.like(1), result);
  Real half = y * 0.5;
  Mask isWhole = floor(y) == y;
  Mask isOdd = isWhole & !(floor(half) == half);
  result = select(isOdd, copySign(result, x), result);
  Mask isRoot = (x < 0) & !isWhole & (size < infinity);
  result = select(isRoot, x.like(std::nan("")), result);
  return select(y == 0, x.like(1), result);
}

Bits functions::pow(Bits base, Bits exponent) {
  unsigned width =
      mlir::getElementTypeOrSelf(base.value.getType()).getIntOrFloatBitWidth();
  Bits one = base.like(1), zero = base.like(0);
  Bits result = one, square = base, rest = exponent;
  for (unsigned bit = 0; bit < width; ++bit) {
    result = select(isZero(rest & 1), result, result * square);
    square = square * square;
    rest = rest >> 1;
  }
  // Only 1 and -1 have integer inverses.
  Bits inverse = select(isZero(base - 1), one, zero);
  Bits sign = select(isZero(exponent & 1), one, base);
  inverse = select(isZero(base + 1), sign, inverse);
  return select(isNegative(exponent), inverse, result);
}
