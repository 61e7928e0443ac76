//===- Angle.h - Angles as quarter turns and a rest -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_MATH_ANGLE_H
#define WEIR_LIB_TARGET_CPU_MATH_ANGLE_H

#include "Real.h"

namespace weir {

/// What is left of an angle behind multiples of pi/2, at most a little more
/// than pi/4, and how many there were, modulo 4.
struct Angle {
  Bits quarters;
  Real rest;
};

/// For any f64; the rest of infinity is NaN.
Angle reduceAngle(Real x);

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_MATH_ANGLE_H
