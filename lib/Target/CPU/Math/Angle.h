//===- Angle.h - Reduces angles to quarter turns ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_MATH_ANGLE_H
#define WEIR_LIB_TARGET_CPU_MATH_ANGLE_H

#include "Real.h"

namespace weir {

/// An angle after multiples of pi/2 were subtracted. `rest` is the remainder.
/// Its magnitude is at most a little more than pi/4. `quarters` is the number
/// of these multiples, modulo 4.
struct Angle {
  Bits quarters;
  Real rest;
};

/// Reduces any f64. The remainder of infinity is NaN.
Angle reduceAngle(Real x);

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_MATH_ANGLE_H
