//===- KnownIntegers.h - What is known of computed indices ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A gather reads any element along a dim, as far as its index spec says. Yet
// indices are computed: one of a batch's rows is the place of the batch plus a
// number below the count of rows. So the integers of a body are followed, as
// sums of what grows along digits of their positions and of a range.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_KNOWNINTEGERS_H
#define WEIR_ANALYSIS_KNOWNINTEGERS_H

#include "weir/Analysis/DimRelation.h"
#include "weir/Support/ScalarExpr.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace weir::analysis {

/// What is known of the elements of a tensor. The element at a position is the
/// sum of the growths there plus a number from `low` to `high`. The default
/// values say that nothing is known.
struct KnownIntegers {
  /// `step` times the digit of the position.
  struct Growth {
    Digit digit;
    int64_t step = 1;
    bool operator==(const Growth &) const = default;
  };
  std::vector<Growth> growths;
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();

  static KnownIntegers makeConstant(int64_t value) {
    return {{}, value, value};
  }
  bool operator==(const KnownIntegers &) const = default;
};

/// What is known of `expression` at a point. Its arithmetic is that of i64.
/// `operands` says what is known of the operands there, and `indexAt` what is
/// known of a position along a place.
KnownIntegers evaluateKnown(
    const ScalarExpr &expression, std::span<const KnownIntegers> operands,
    const std::function<KnownIntegers(std::string_view place)> &indexAt);

/// What is known of an element of `known` by the position of a result element
/// that depends on it.
KnownIntegers carry(const KnownIntegers &known, const DimRelation &relation);

/// `relation`, which says that elements along the operand's digit `gathered`
/// are chosen by `indices`, of which something is known by the positions of the
/// result: digits of these choose a block of elements, values one within.
DimRelation narrowGathered(const DimRelation &relation, Digit gathered,
                           const KnownIntegers &indices);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_KNOWNINTEGERS_H
