//===- NormalQuantile.cpp - Normal numbers with the same bits everywhere --===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// This file is compiled without fused multiply-adds, because they would round
// differently.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/NormalQuantile.h"

#include <array>
#include <cmath>

using namespace weir;

namespace {
/// A quotient of two polynomials, given by their coefficients. The highest
/// power comes first.
struct Fraction {
  std::array<double, 8> above;
  std::array<double, 8> below;

  double at(double x) const { return at(above, x) / at(below, x); }

private:
  static double at(const std::array<double, 8> &polynomial, double x) {
    double sum = 0;
    for (double coefficient : polynomial)
      sum = sum * x + coefficient;
    return sum;
  }
};
} // namespace

// The coefficients from the paper. There is a fraction for numbers near the
// median, one for the tails, and one for numbers far out.
static constexpr Fraction central = {
    {2.5090809287301226727e+3, 3.3430575583588128105e+4,
     6.7265770927008700853e+4, 4.5921953931549871457e+4,
     1.3731693765509461125e+4, 1.9715909503065514427e+3,
     1.3314166789178437745e+2, 3.3871328727963666080e+0},
    {5.2264952788528545610e+3, 2.8729085735721942674e+4,
     3.9307895800092710610e+4, 2.1213794301586595867e+4,
     5.3941960214247511077e+3, 6.8718700749205790830e+2,
     4.2313330701600911252e+1, 1.0}};
static constexpr Fraction tail = {
    {7.74545014278341407640e-4, 2.27238449892691845833e-2,
     2.41780725177450611770e-1, 1.27045825245236838258e+0,
     3.64784832476320460504e+0, 5.76949722146069140550e+0,
     4.63033784615654529590e+0, 1.42343711074968357734e+0},
    {1.05075007164441684324e-9, 5.47593808499534494600e-4,
     1.51986665636164571966e-2, 1.48103976427480074590e-1,
     6.89767334985100004550e-1, 1.67638483018380384940e+0,
     2.05319162663775882187e+0, 1.0}};
static constexpr Fraction farTail = {
    {2.01033439929228813265e-7, 2.71155556874348757815e-5,
     1.24266094738807843860e-3, 2.65321895265761230930e-2,
     2.96560571828504891230e-1, 1.78482653991729133580e+0,
     5.46378491116411436990e+0, 6.65790464350110377720e+0},
    {2.04426310338993978564e-15, 1.42151175831644588870e-7,
     1.84631831751005468180e-5, 7.86869131145613259100e-4,
     1.48753612908506148525e-2, 1.36929880922735805310e-1,
     5.99832206555887937690e-1, 1.0}};

/// The natural logarithm of `x`, which is above 0.
static double logarithm(double x) {
  constexpr double log2 = 0x1.62e42fefa39efp-1, half = 0x1.6a09e667f3bcdp-1;
  int exponent = 0;
  double part = std::frexp(x, &exponent);
  if (part < half) {
    part *= 2;
    --exponent;
  }
  // log(part) = 2 atanh(s), with |s| below 0.18.
  const double s = (part - 1) / (part + 1), square = s * s;
  double sum = 0;
  for (int power = 25; power >= 1; power -= 2)
    sum = sum * square + 1.0 / power;
  return 2 * s * sum + exponent * log2;
}

double weir::normalAt(double bits) {
  // The distance from the median, `q`, and the distance from the nearer end,
  // `end`. Both are exact.
  const double q = (bits - 0x1p52 + 0.5) * 0x1p-53;
  if (std::abs(q) <= 0.425)
    return q * central.at(0.180625 - q * q);
  const double end = (q < 0 ? bits + 0.5 : (0x1p53 - 1 - bits) + 0.5) * 0x1p-53;
  const double r = std::sqrt(-logarithm(end));
  const double z = r <= 5 ? tail.at(r - 1.6) : farTail.at(r - 5);
  return q < 0 ? -z : z;
}
