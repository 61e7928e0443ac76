//===- Angle.h - Reduces angles to quarter turns ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_MATH_ANGLE_H
#define WEIR_LIB_TARGET_CPU_MATH_ANGLE_H

#include "Real.h"

namespace weir {

/// The remainder of an angle after subtracting multiples of pi/2, with a
/// magnitude of at most a little more than pi/4, and the number of these
/// multiples, modulo 4.
struct Angle {
  Bits quarters;
  Real rest;
};

/// Accepts any f64; the remainder of infinity is NaN.
Angle reduceAngle(Real x);

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_MATH_ANGLE_H
