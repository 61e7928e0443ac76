//===- Functions.h - Math functions as arithmetic ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// These functions are code without branches and calls. Only large angles
// (Angle.cpp) and large quotients (Remainder.cpp) use branches and tables. Each
// polynomial is a Chebyshev interpolant of the function in its comment,
// computed with 50 digits. Arguments are reduced as in W. J. Cody and W. Waite,
// Software Manual for the Elementary Functions, 1980.
// test/Unit/Target/MathTest.cpp measures the errors.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_MATH_FUNCTIONS_H
#define WEIR_LIB_TARGET_CPU_MATH_FUNCTIONS_H

#include "Real.h"

namespace weir::functions {

/// e^x. The functions from `exp` to `erf` are for f32 and f64.
Real exp(Real x);
/// exp(x) - 1.
Real expm1(Real x);
Real log(Real x);
/// log(1 + x).
Real log1p(Real x);
Real tanh(Real x);
Real erf(Real x);

/// x^y. The functions from `pow` on are for f64 alone, and f32 arguments are
/// widened.
Real pow(Real x, Real y);
Real sin(Real x);
Real cos(Real x);
Real tan(Real x);
Real asin(Real x);
Real acos(Real x);
Real atan(Real x);
Real sinh(Real x);
Real cosh(Real x);
Real asinh(Real x);
Real acosh(Real x);
Real atanh(Real x);
/// An integer power, modulo 2^width. If the exponent is negative, the exact
/// power is rounded towards zero, and a power of zero is 0.
Bits pow(Bits base, Bits exponent);
/// The exact remainder of x divided by y, with the sign of x.
Real remainder(Real x, Real y);

} // namespace weir::functions

#endif // WEIR_LIB_TARGET_CPU_MATH_FUNCTIONS_H
