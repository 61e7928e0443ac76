//===- DimCompose.cpp - Relations of dims, one after the other ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Two relations meet at one tensor, and each of them divides the tensor into
// its own digits. Both relations are cut until they divide the tensor in the
// same way. Some digits cannot be cut alike: a cut would divide a window, or
// neither of two sizes divides the other. Nothing is then known about these
// digits.
//
//===----------------------------------------------------------------------===//

#include "DimSteps.h"

#include <algorithm>
#include <cassert>

using namespace weir::analysis;
using Kind = Factor::Kind;

namespace {
/// Digits of two relations that cover the same part of a position. If each
/// relation has a single digit there, these two digits are equal.
struct Meeting {
  Digit digit;
  std::vector<const Factor *> left, right;

  bool isOne() const { return left.size() == 1 && right.size() == 1; }
};
} // namespace

/// The factors with a digit on `side`, from the innermost on.
static std::vector<const Factor *> factorsOn(const DimRelation &relation,
                                             Side side) {
  std::vector<const Factor *> factors;
  for (const Factor &factor : relation.factors)
    if (digitOf(factor, side).size > 1)
      factors.push_back(&factor);
  std::sort(factors.begin(), factors.end(),
            [side](const Factor *left, const Factor *right) {
              return digitOf(*left, side).stride < digitOf(*right, side).stride;
            });
  return factors;
}

/// Cuts `relation` where `other` has digits.
static void cutLike(DimRelation &relation, Side side, const DimRelation &other,
                    Side otherSide) {
  for (const Factor *factor : factorsOn(other, otherSide))
    cutAt(relation, side, digitOf(*factor, otherSide).stride);
}

static std::vector<Meeting> meet(const DimRelation &left, Side leftSide,
                                 const DimRelation &right, Side rightSide) {
  std::vector<const Factor *> lefts = factorsOn(left, leftSide);
  std::vector<const Factor *> rights = factorsOn(right, rightSide);
  std::vector<Meeting> meetings;
  size_t i = 0, j = 0;
  int64_t leftEnd = 1, rightEnd = 1;
  while (i < lefts.size() || j < rights.size()) {
    if (leftEnd == rightEnd)
      meetings.push_back({{leftEnd, 1}, {}, {}});
    Meeting &meeting = meetings.back();
    bool takesLeft = leftEnd <= rightEnd && i < lefts.size();
    const Factor *next = takesLeft ? lefts[i++] : rights[j++];
    (takesLeft ? meeting.left : meeting.right).push_back(next);
    int64_t &end = takesLeft ? leftEnd : rightEnd;
    end = digitOf(*next, takesLeft ? leftSide : rightSide).end();
    meeting.digit.size = end / meeting.digit.stride;
  }
  return meetings;
}

//===----------------------------------------------------------------------===//
// One after the other
//===----------------------------------------------------------------------===//

/// Composes two factors that meet at one digit, and adds the result to `made`.
/// Returns false if the composed relation relates no elements.
static bool composeFactors(const Factor &first, const Factor &second,
                           std::vector<Factor> &made) {
  Steps shared = intersect(first.reached, second.read);
  if (shared.count == 0)
    return false;
  // The elements of the operand and of the result that are connected through
  // `shared`.
  Steps read = first.read, reached = second.reached;
  if (first.isLinked())
    read = intersect(read, clip(divide(add(scale(shared, first.resultScale),
                                           widen(first.taps)),
                                       first.operandScale),
                                0, first.operand.size - 1));
  if (second.isLinked()) {
    int64_t sign = second.resultScale < 0 ? -1 : 1;
    reached = intersect(
        reached, clip(divide(add(scale(shared, sign * second.operandScale),
                                 scale(second.taps, -sign)),
                             sign * second.resultScale),
                      0, second.result.size - 1));
  }
  Wide operandScale = Wide{first.operandScale} * second.operandScale;
  Wide resultScale = Wide{first.resultScale} * second.resultScale;
  bool isFollowed = operandScale <= mostScale && resultScale <= mostScale &&
                    resultScale >= -mostScale;
  if (first.isLinked() && second.isLinked() && isFollowed) {
    Factor link = makeLink(first.operand, second.result,
                           static_cast<int64_t>(operandScale),
                           static_cast<int64_t>(resultScale),
                           add(scale(first.taps, second.operandScale),
                               scale(second.taps, first.resultScale)));
    link.read = read;
    link.reached = reached;
    made.push_back(link);
    return true;
  }
  Kind kind = second.isLinked() ? Kind::Opaque : second.kind;
  if (first.isLinked())
    made.push_back(makeUnlinked(kind, first.operand, read));
  if (second.isLinked())
    made.push_back(makeRepeated(second.result, reached));
  return read.count > 0 && reached.count > 0;
}

/// Adds factors without a link for the outer digits of `meeting`, because the
/// digits of `meeting` at the shared tensor do not match.
static void composeApart(const Meeting &meeting, std::vector<Factor> &made) {
  for (const Factor *factor : meeting.left)
    if (factor->operand.size > 1)
      made.push_back(makeUnlinked(Kind::Opaque, factor->operand, factor->read));
  for (const Factor *factor : meeting.right)
    if (factor->result.size > 1)
      made.push_back(makeRepeated(factor->result, factor->reached));
}

DimRelation weir::analysis::compose(const DimRelation &first,
                                    const DimRelation &second) {
  assert(first.resultElements == second.operandElements &&
         "the relations meet at one tensor");
  DimRelation made{first.isIndependent || second.isIndependent,
                   {},
                   first.operandElements,
                   second.resultElements};
  if (made.isIndependent)
    return made;
  DimRelation left = first, right = second;
  cutLike(left, Side::Result, right, Side::Operand);
  cutLike(right, Side::Operand, left, Side::Result);
  for (const Factor &factor : left.factors)
    if (factor.result.size == 1)
      made.factors.push_back(factor);
  for (const Factor &factor : right.factors)
    if (factor.operand.size == 1)
      made.factors.push_back(factor);
  for (const Meeting &meeting : meet(left, Side::Result, right, Side::Operand))
    if (!meeting.isOne())
      composeApart(meeting, made.factors);
    else if (!composeFactors(*meeting.left.front(), *meeting.right.front(),
                             made.factors))
      made.isIndependent = true;
  settle(made);
  return made;
}

//===----------------------------------------------------------------------===//
// Union
//===----------------------------------------------------------------------===//

/// Whether the factors relate the same digits with the same scales.
static bool areAlike(const Meeting &meeting) {
  if (!meeting.isOne())
    return false;
  const Factor &left = *meeting.left.front(), &right = *meeting.right.front();
  return left.isLinked() && right.isLinked() && left.result == right.result &&
         left.operandScale == right.operandScale &&
         left.resultScale == right.resultScale;
}

static Factor uniteAlike(const Meeting &meeting) {
  const Factor &left = *meeting.left.front(), &right = *meeting.right.front();
  Factor factor =
      makeLink(left.operand, left.result, left.operandScale, left.resultScale,
               widen(unite(left.taps, right.taps)));
  factor.read = unite(left.read, right.read);
  factor.reached = unite(left.reached, right.reached);
  return factor;
}

/// What is known about a digit of the operand that the relations treat
/// differently.
static Factor uniteUnlinked(const Meeting &meeting) {
  if (!meeting.isOne())
    return makeUnlinked(Kind::Opaque, meeting.digit,
                        Steps::upTo(meeting.digit.size));
  const Factor &left = *meeting.left.front(), &right = *meeting.right.front();
  Kind kind = Kind::Opaque;
  if (!left.isLinked() || !right.isLinked())
    kind = std::max({Kind::Reduced, left.kind, right.kind});
  return makeUnlinked(kind, meeting.digit, unite(left.read, right.read));
}

static Factor uniteRepeated(const Meeting &meeting) {
  Steps reached = Steps::upTo(meeting.digit.size);
  if (meeting.isOne())
    reached =
        unite(meeting.left.front()->reached, meeting.right.front()->reached);
  return makeRepeated(meeting.digit, reached);
}

/// Cuts both relations until they divide the operand and the result in the same
/// way, as far as that is possible.
static void cutAlike(DimRelation &left, DimRelation &right) {
  size_t before = 0, after = 0;
  do {
    before = after;
    for (Side side : {Side::Operand, Side::Result}) {
      cutLike(left, side, right, side);
      cutLike(right, side, left, side);
    }
    after = left.factors.size() + right.factors.size();
  } while (before != after);
}

DimRelation weir::analysis::unite(const DimRelation &first,
                                  const DimRelation &second) {
  if (first.isIndependent || first == second)
    return second;
  if (second.isIndependent)
    return first;
  DimRelation left = first, right = second;
  cutAlike(left, right);
  DimRelation made{false, {}, first.operandElements, first.resultElements};
  std::vector<Digit> linked;
  for (const Meeting &meeting : meet(left, Side::Operand, right, Side::Operand))
    if (areAlike(meeting)) {
      made.factors.push_back(uniteAlike(meeting));
      linked.push_back(made.factors.back().result);
    } else {
      made.factors.push_back(uniteUnlinked(meeting));
    }
  for (const Meeting &meeting : meet(left, Side::Result, right, Side::Result))
    if (std::find(linked.begin(), linked.end(), meeting.digit) == linked.end())
      made.factors.push_back(uniteRepeated(meeting));
  settle(made);
  return made;
}
