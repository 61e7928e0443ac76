//===- Remainder.cpp - The remainder of a division --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Branches.h"
#include "Functions.h"

#include <cmath>
#include <limits>

using namespace weir;

/// All integers up to this are exact in f64.
static constexpr double large = 0x1p53;

/// 2^(e - 52) for an x from 2^e to 2^(e + 1). The result for infinity is 2^972.
static Real powerOf(Real x) {
  Bits exponent = toBits(x) >> 52;
  return fromBits((exponent - 52) << 52, x);
}

/// One step on `rest`, the remainder so far, and `divisor`, the divisor `size`
/// times a power of two. Reduces the remainder. If the quotient of both is too
/// large, enlarges `divisor` instead.
static Reals step(Real size, Real rest, Real divisor) {
  Real ratio = rest / divisor;
  Mask isLarge = ratio >= large;
  // The quotient may have been rounded up. But the remainder is exact in any
  // case. It is smaller than the divisor, and it is a multiple of the divisor's
  // last digit.
  Real next = fma(-truncate(ratio), divisor, rest);
  next = select(next < 0, next + divisor, next);
  next = select(isLarge, rest, next);
  Real larger = select(isLarge, divisor * powerOf(ratio), size);
  Mask isUnfinished = rest >= size;
  return {select(isUnfinished, next, rest), larger};
}

Real functions::remainder(Real x, Real y) {
  const double infinity = std::numeric_limits<double>::infinity();
  Real size = abs(y), whole = abs(x);
  // Comparisons with NaN are false, so there are no steps for NaN.
  Mask hasRemainder = (size > 0) & (whole < infinity);
  Real start = select(hasRemainder, whole, x.like(std::nan("")));
  Reals left = whileAny(
      {start, size}, [&](const Reals &state) { return state[0] >= size; },
      [&](const Reals &state) { return step(size, state[0], state[1]); });
  return copySign(left[0], x);
}
