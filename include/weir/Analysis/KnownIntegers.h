//===- KnownIntegers.h - What is known of computed indices ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// According to its index spec, a gather may read any element along a dim. But
// many indices are computed: the index of a row in a batch is the offset of the
// batch plus a number below the count of rows. So this analysis bounds the
// integers of a body. It describes an integer as a sum of terms that grow along
// digits of its position, plus a number in a range.
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

/// What is known about the elements of a tensor. An element is a sum of the
/// terms `growths`, each of which depends on the position of the element, and
/// of a number from `low` to `high`. The default values say that nothing is
/// known.
struct KnownIntegers {
  /// A term of the sum: `step` times the value that `digit` has in the
  /// position.
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

/// What is known about the value of `expression`, which computes in i64.
/// `operands` says what is known about the operands, and `indexAt` what is
/// known about the position along a named loop.
KnownIntegers evaluateKnown(
    const ScalarExpr &expression, std::span<const KnownIntegers> operands,
    const std::function<KnownIntegers(std::string_view place)> &indexAt);

/// Restates `known`, which describes an operand's element by the position of
/// that element. The result describes the same element by the position of a
/// result element that depends on it.
KnownIntegers carry(const KnownIntegers &known, const DimRelation &relation);

/// Makes `relation` more exact. According to `relation`, `indices` choose
/// elements along the operand's digit `gathered`. The growths of `indices` say
/// which digits of the result choose a block of elements. In the new relation,
/// values only choose the element within this block.
DimRelation narrowGathered(const DimRelation &relation, Digit gathered,
                           const KnownIntegers &indices);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_KNOWNINTEGERS_H
