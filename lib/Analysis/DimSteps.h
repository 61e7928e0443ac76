//===- DimSteps.h - Arithmetic on steps and digits of dims ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_DIMSTEPS_H
#define WEIR_LIB_ANALYSIS_DIMSTEPS_H

#include "weir/Analysis/DimRelation.h"

namespace weir::analysis {

/// An integer type that holds all products and sums of sizes in a bound spec.
using Wide = __int128;

/// Steps whose numbers may exceed an int64_t.
struct WideSteps {
  Wide first = 0, count = 0, step = 1;
};

WideSteps widen(const Steps &steps);
/// Each number times `factor`.
WideSteps scale(const Steps &steps, int64_t factor);
/// All sums of a number of `left` and a number of `right`. If the sums have
/// irregular gaps, the numbers in the gaps are included.
WideSteps add(const WideSteps &left, const WideSteps &right);
/// The quotients by `divisor`, which is positive. Numbers that are no multiples
/// of `divisor` are left out.
WideSteps divide(const WideSteps &steps, int64_t divisor);
/// The numbers from `low` to `high`.
Steps clip(const WideSteps &steps, Wide low, Wide high);
/// A superset of the numbers that are in both `left` and `right`.
Steps intersect(const Steps &left, const Steps &right);
/// A superset of the numbers that are in `left` or `right`.
Steps unite(const Steps &left, const Steps &right);

enum class Side { Operand, Result };

inline Digit &digitOf(Factor &factor, Side side) {
  return side == Side::Operand ? factor.operand : factor.result;
}
inline const Digit &digitOf(const Factor &factor, Side side) {
  return side == Side::Operand ? factor.operand : factor.result;
}

/// The largest scale of a factor. No factor is made with a larger scale, so
/// that nothing overflows.
inline constexpr int64_t mostScale = int64_t(1) << 14;

/// A factor of kind Windowed, or Same.
Factor makeLink(Digit operand, Digit result, int64_t operandScale,
                int64_t resultScale, const WideSteps &taps);
/// A factor of `kind` that has a digit of the operand only.
Factor makeUnlinked(Factor::Kind kind, Digit operand, Steps read);
/// A factor of kind Repeated, which has a digit of the result only.
Factor makeRepeated(Digit result, Steps reached);

/// Cuts the factor whose digit on `side` contains `stride` into two factors at
/// that stride. A factor stays whole unless it relates element i of a block of
/// `stride` elements only to element i of other blocks.
void cutAt(DimRelation &relation, Side side, int64_t stride);
/// Brings the kinds, ranges and order of the factors into canonical form. Joins
/// adjacent factors where possible.
void settle(DimRelation &relation);

} // namespace weir::analysis

#endif // WEIR_LIB_ANALYSIS_DIMSTEPS_H
