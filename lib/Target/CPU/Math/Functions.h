//===- Functions.h - Functions of the reals as arithmetic -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Straight code without calls, and without branches and tables but for large
// angles (Angle.cpp) and large quotients (Remainder.cpp). Polynomials are
// Chebyshev interpolants of the functions named beside them, computed with 50
// digits; the reductions of arguments are those of W. J. Cody and W. Waite,
// Software Manual for the Elementary Functions, 1980. The errors are measured
// by test/Unit/Target/MathTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_MATH_FUNCTIONS_H
#define WEIR_LIB_TARGET_CPU_MATH_FUNCTIONS_H

#include "Real.h"

namespace weir::functions {

/// For f32 and f64.
Real exp(Real x);
/// exp(x) - 1.
Real expm1(Real x);
Real log(Real x);
Real tanh(Real x);
Real erf(Real x);

/// For f64 alone; good for f32 by way of it.
Real log1p(Real x);
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
/// A power of an integer, modulo 2^width. To a negative exponent, what is
/// nearest to zero of the power; 0 for zero.
Bits pow(Bits base, Bits exponent);
/// What is left of x divided by y, with the sign of x: exact.
Real remainder(Real x, Real y);

} // namespace weir::functions

#endif // WEIR_LIB_TARGET_CPU_MATH_FUNCTIONS_H
