//===- DimRelation.h - Which elements a result depends on -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// How the elements of a result depend on those of an operand, dim by dim. Dims
// alone are not enough, because a reshape splits and joins them. So the
// row-major position of an element is seen as a number with digits. A dim
// consists of one or several digits. A relation consists of factors. A factor
// relates a digit of the operand to a digit of the result, or says how a digit
// without a counterpart is used:
//
//   matmul, lhs:   m Same, k Reduced, n Repeated
//   reshape:       one Same for all elements
//   group norm, x: batch and group Same, the rest of the group Reduced and
//                  Repeated
//
// A result element depends on no operand element that the relation does not
// allow. It may depend on fewer: the relation is exact unless a function below
// says otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_DIMRELATION_H
#define WEIR_ANALYSIS_DIMRELATION_H

#include "weir/Support/IndexSpec.h"

#include <cstdint>
#include <span>
#include <vector>

namespace weir::analysis {

/// The numbers `first`, `first + step`, ...: `count` of them. `step` is
/// positive.
struct Steps {
  int64_t first = 0, count = 0, step = 1;

  static Steps upTo(int64_t count) { return {0, count, 1}; }
  int64_t last() const { return first + (count - 1) * step; }
  bool contains(int64_t number) const;
  bool operator==(const Steps &) const = default;
};

/// A part of an element's position `p` in row-major order: p / stride % size.
struct Digit {
  int64_t stride = 1, size = 1;

  int64_t end() const { return stride * size; }
  int64_t of(int64_t position) const { return position / stride % size; }
  bool operator==(const Digit &) const = default;
};

struct Factor {
  enum class Kind {
    /// Result element i depends on operand element i.
    Same,
    /// Result element r depends on the operand elements o for which
    /// operandScale * o = resultScale * r + t, where t is one of `taps`.
    Windowed,
    /// The result does not have the digit: each result element depends on all
    /// elements along it.
    Reduced,
    /// Like Reduced, but values choose the elements that are read.
    Gathered,
    /// Nothing is known: a result element may depend on any elements along the
    /// operand's digit.
    Opaque,
    /// The operand does not have the digit: all result elements along it depend
    /// on the same elements.
    Repeated,
  };
  Kind kind = Kind::Same;
  /// The digits of the operand and of the result. If the kind has only one of
  /// these digits, the other digit has size 1.
  Digit operand, result;
  /// The elements along the operand's digit that some result element depends
  /// on, and the elements along the result's digit that depend on some operand
  /// element.
  Steps read = Steps::upTo(1), reached = Steps::upTo(1);
  int64_t operandScale = 1, resultScale = 1;
  Steps taps = Steps::upTo(1);

  bool isLinked() const { return kind <= Kind::Windowed; }
  bool operator==(const Factor &) const = default;
};

struct DimRelation {
  /// Whether the result depends on no element of the operand. There are then no
  /// factors.
  bool isIndependent = false;
  /// The factors. Their digits together make up the positions of the operand
  /// and of the result.
  std::vector<Factor> factors;
  /// The numbers of elements.
  int64_t operandElements = 1, resultElements = 1;

  /// Whether the result's element at `result` may depend on the operand's
  /// element at `operand`; both are row-major positions.
  bool allows(int64_t operand, int64_t result) const;
  bool operator==(const DimRelation &) const = default;
};

/// Element i of the result depends on element i of the operand, as in a
/// reshape.
DimRelation makeIdentity(int64_t elements);
/// Nothing is known.
DimRelation makeOpaque(int64_t operandElements, int64_t resultElements);
/// The result depends on no element of the operand.
DimRelation makeIndependent(int64_t operandElements, int64_t resultElements);

/// The relation of a leaf to its operand number `operand`. `shapes` are the
/// shapes of all operands. Their sizes are known. The analysis ignores which
/// operands an expression selects. If two windows in padding relate the same
/// digits, it ignores one of these windows.
DimRelation relateBound(const BoundSpec &bound, size_t operand,
                        std::span<const std::vector<int64_t>> shapes);

/// The composition of two relations: `first` relates an intermediate value to
/// an operand, and `second` relates the result to the intermediate value.
/// Windows over windows may include elements between those that are read.
DimRelation compose(const DimRelation &first, const DimRelation &second);

/// The union of two relations. A digit that they relate differently becomes
/// Reduced or Opaque.
DimRelation unite(const DimRelation &left, const DimRelation &right);

/// A factor with each digit inside of one dim.
struct DimFactor {
  Factor factor;
  /// The dims that contain the digits of the operand and of the result. -1 if
  /// the factor does not have the digit.
  int operandDim = -1, resultDim = -1;
};

/// The factors of `relation`, divided at the bounds of dims. Dims of size 1
/// have no factors.
std::vector<DimFactor> splitAtDims(const DimRelation &relation,
                                   std::span<const int64_t> operandDims,
                                   std::span<const int64_t> resultDims);

/// A range of dims that a reshape turns into another range of dims.
struct ReshapedDims {
  size_t fromBegin, fromEnd, toBegin, toEnd;
};

/// The smallest ranges of dims of `from` and of `to` that have the same numbers
/// of elements. At the end, a range may be empty if its counterpart has only
/// dims of size 1.
std::vector<ReshapedDims> matchReshapedDims(std::span<const int64_t> from,
                                            std::span<const int64_t> to);

/// The largest number of rows, which are consecutive elements, into which both
/// the operand and the result can be divided so that row i of the result
/// depends on row i of the operand alone.
int64_t countRows(const DimRelation &relation);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_DIMRELATION_H
