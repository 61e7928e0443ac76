//===- DimSteps.h - Arithmetic on steps and digits of dims ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_DIMSTEPS_H
#define WEIR_LIB_ANALYSIS_DIMSTEPS_H

#include "weir/Analysis/DimRelation.h"

namespace weir::analysis {

/// Holds products and sums of all sizes that a bound spec can have.
using Wide = __int128;

/// Steps before it is known that they are few.
struct WideSteps {
  Wide first = 0, count = 0, step = 1;
};

WideSteps widen(const Steps &steps);
/// Each number times `factor`.
WideSteps scale(const Steps &steps, int64_t factor);
/// All sums of two numbers, and those between if the sums have gaps.
WideSteps add(const WideSteps &left, const WideSteps &right);
/// The quotients of the numbers that `divisor`, which is positive, divides.
WideSteps divide(const WideSteps &steps, int64_t divisor);
/// The numbers from `low` to `high`.
Steps clip(const WideSteps &steps, Wide low, Wide high);
/// At least all numbers that are in both.
Steps intersect(const Steps &left, const Steps &right);
/// At least all numbers that are in one.
Steps unite(const Steps &left, const Steps &right);

enum class Side { Operand, Result };

inline Digit &digitOf(Factor &factor, Side side) {
  return side == Side::Operand ? factor.operand : factor.result;
}
inline const Digit &digitOf(const Factor &factor, Side side) {
  return side == Side::Operand ? factor.operand : factor.result;
}

/// Scales beyond this are not followed, so that nothing overflows.
inline constexpr int64_t mostScale = int64_t(1) << 14;

/// A factor of kind Windowed, or Same.
Factor makeLink(Digit operand, Digit result, int64_t operandScale,
                int64_t resultScale, const WideSteps &taps);
/// A factor of `kind` that relates an operand's digit only.
Factor makeUnlinked(Factor::Kind kind, Digit operand, Steps read);
/// Makes the result independent of the operand along `result`.
Factor makeRepeated(Digit result, Steps reached);

/// Divides the factor with the digit around `stride`, if it relates whole
/// blocks of the elements within.
void cutAt(DimRelation &relation, Side side, int64_t stride);
/// Brings the factors into their one form: kinds, ranges and order follow from
/// what is related. Joins factors that are one.
void settle(DimRelation &relation);

} // namespace weir::analysis

#endif // WEIR_LIB_ANALYSIS_DIMSTEPS_H
