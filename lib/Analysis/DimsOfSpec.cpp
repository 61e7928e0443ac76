//===- DimsOfSpec.cpp - Relations of dims from an index spec --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Each dim of a tensor is divided into pieces. If the index of a dim counts its
// loops in row-major order, each loop is a piece. Otherwise the whole dim is a
// piece. A piece of the operand and a piece of the result are related if they
// have a loop in common. They are also related if a guard has a loop of each. A
// guard is the index of a dim that is outside of the dim at some points. Such
// points do not count. For example, a tap of a weight counts only where it
// meets the image.
//
//===----------------------------------------------------------------------===//

#include "DimSteps.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <optional>

using namespace weir;
using namespace weir::analysis;

namespace {
using Term = AffineIndex::Term;

/// A digit of a tensor, and the index along it as a sum of loops.
struct Piece {
  Digit digit;
  std::vector<Term> terms;
  int64_t offset = 0;
  bool isIndirect = false;

  const Term *find(int loop) const {
    for (const Term &term : terms)
      if (term.loop == loop)
        return &term;
    return nullptr;
  }
};

/// An index that is outside of its dim at some points. Such points do not
/// count. At all other points, the sum of the terms is one of `sums`.
struct Guard {
  std::vector<Term> terms;
  WideSteps sums;
};

/// An equation that relates two loops: at all points that count, `from` is `to`
/// plus one of `sums`.
struct Tie {
  Term from, to;
  WideSteps sums;
};

class SpecRelation {
public:
  SpecRelation(const BoundSpec &bound, size_t operand,
               std::span<const std::vector<int64_t>> shapes)
      : bound(bound), isInit(static_cast<int>(operand) == bound.initOperand),
        operandPieces(divide(bound.operands[operand], shapes[operand])),
        resultPieces(divide(bound.result, bound.resultDims)),
        isLinked(resultPieces.size()) {
    findGuards(shapes);
  }

  /// Whether the spec may have points at which no index is outside of its dim.
  bool hasPoints() const;
  std::vector<Factor> relate();

private:
  std::vector<Piece> divide(const std::vector<AffineIndex> &indices,
                            std::span<const int64_t> dims) const;
  void divideDim(const AffineIndex &index, Digit dim,
                 std::vector<Piece> &pieces) const;
  void findGuards(std::span<const std::vector<int64_t>> shapes);
  void addGuards(const std::vector<AffineIndex> &indices,
                 std::span<const int64_t> dims);
  WideSteps sumOf(std::span<const Term> terms,
                  std::initializer_list<int> without) const;
  WideSteps indicesOf(const Piece &piece, int without) const;
  Steps findReached(const Piece &piece) const;
  std::optional<Tie> tie(const Piece &from, const Piece &to) const;
  std::optional<Tie> tieByGuard(const Piece &from, const Piece &to) const;
  std::optional<Factor> link(const Piece &from, const Piece &to,
                             const Tie &tie) const;
  bool isShared(const Piece &to) const;
  std::optional<Factor> linkByLoop(const Piece &from,
                                   std::span<const size_t> related);
  std::optional<Factor> linkByGuard(const Piece &from);
  Factor unlink(const Piece &from, Factor::Kind kind) const;
  Factor repeat(const Piece &to) const;

  const BoundSpec &bound;
  bool isInit;
  std::vector<Piece> operandPieces, resultPieces;
  /// Whether each piece of the result is linked.
  std::vector<bool> isLinked;
  std::vector<Guard> guards;
};
} // namespace

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// Appends the pieces of `dim`, which is the digit of a whole dim.
void SpecRelation::divideDim(const AffineIndex &index, Digit dim,
                             std::vector<Piece> &pieces) const {
  Piece whole{dim, {}, index.offset, index.indirect >= 0};
  int64_t count = 1;
  bool counts = index.offset == 0 && !whole.isIndirect;
  for (const Term &term : index.terms)
    if (bound.loops[term.loop].size != 1)
      whole.terms.push_back(term);
  std::vector<Piece> loops;
  for (size_t i = whole.terms.size(); i-- > 0 && counts;) {
    const Term &term = whole.terms[i];
    int64_t size = bound.loops[term.loop].size;
    counts = term.coefficient == count && size <= dim.size / count;
    loops.push_back({{dim.stride * count, size}, {{term.loop, 1}}});
    count *= counts ? size : 1;
  }
  if (counts && count == dim.size)
    pieces.insert(pieces.end(), loops.begin(), loops.end());
  else
    pieces.push_back(std::move(whole));
}

std::vector<Piece> SpecRelation::divide(const std::vector<AffineIndex> &indices,
                                        std::span<const int64_t> dims) const {
  std::vector<Piece> pieces;
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    divideDim(indices[d], {stride, dims[d]}, pieces);
    stride *= dims[d];
  }
  return pieces;
}

/// All values of the sum of `terms`, leaving out the loops in `without`.
WideSteps SpecRelation::sumOf(std::span<const Term> terms,
                              std::initializer_list<int> without) const {
  WideSteps sums{0, 1, 1};
  for (const Term &term : terms)
    if (std::find(without.begin(), without.end(), term.loop) == without.end())
      sums = add(sums, scale(Steps::upTo(bound.loops[term.loop].size),
                             term.coefficient));
  return sums;
}

/// All indices along `piece`, leaving out the term of loop `without`.
WideSteps SpecRelation::indicesOf(const Piece &piece, int without) const {
  return add({piece.offset, 1, 1}, sumOf(piece.terms, {without}));
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

static constexpr Wide mostSum = Wide{1} << 62;

static Steps narrow(const WideSteps &steps) {
  return clip(steps, -mostSum, mostSum);
}

static WideSteps subtract(const WideSteps &left, const WideSteps &right) {
  return add(left, scale(narrow(right), -1));
}

void SpecRelation::addGuards(const std::vector<AffineIndex> &indices,
                             std::span<const int64_t> dims) {
  for (size_t d = 0; d < dims.size(); ++d) {
    if (!indices[d].mayLeave || indices[d].indirect >= 0)
      continue;
    Guard &guard = guards.emplace_back();
    guard.sums = {-Wide{indices[d].offset}, dims[d], 1};
    for (const Term &term : indices[d].terms)
      if (bound.loops[term.loop].size != 1)
        guard.terms.push_back(term);
  }
}

/// An initial value belongs to no point, so it always counts. A running value
/// is passed on over points that do not count. So there are no guards in either
/// case.
void SpecRelation::findGuards(std::span<const std::vector<int64_t>> shapes) {
  if (isInit || bound.runningLoop >= 0)
    return;
  for (size_t i = 0; i < bound.operands.size(); ++i)
    if (static_cast<int>(i) != bound.initOperand)
      addGuards(bound.operands[i], shapes[i]);
  addGuards(bound.result, bound.resultDims);
}

bool SpecRelation::hasPoints() const {
  return std::all_of(guards.begin(), guards.end(), [&](const Guard &guard) {
    return clip(sumOf(guard.terms, {}), guard.sums.first,
                guard.sums.first + guard.sums.count - 1)
               .count > 0;
  });
}

/// The numbers n in [0, `size`) for which `coefficient` * n is one of
/// `products`.
static Steps findMultiplied(WideSteps products, int64_t coefficient,
                            int64_t size) {
  if (coefficient < 0)
    products = scale(narrow(products), -1);
  return clip(divide(products, std::abs(coefficient)), 0, size - 1);
}

/// The indices along `piece` at points that count.
Steps SpecRelation::findReached(const Piece &piece) const {
  const int64_t last = piece.digit.size - 1;
  Steps reached = clip(indicesOf(piece, -1), 0, last);
  for (const Guard &guard : guards)
    for (const auto &[loop, coefficient] : guard.terms) {
      const Term *term = piece.find(loop);
      // It is always safe to ignore a guard, because a guard only removes
      // indices. Guards with large coefficients are ignored, because division
      // takes as many steps as the size of the coefficient.
      if (!term || std::abs(coefficient) > mostScale)
        continue;
      Steps values =
          findMultiplied(subtract(guard.sums, sumOf(guard.terms, {loop})),
                         coefficient, bound.loops[loop].size);
      reached = intersect(reached, clip(add(indicesOf(piece, loop),
                                            scale(values, term->coefficient)),
                                        0, last));
    }
  return reached;
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// The tie by the loop that both pieces have; nothing unless they have exactly
/// one loop in common.
std::optional<Tie> SpecRelation::tie(const Piece &from, const Piece &to) const {
  std::optional<Tie> found;
  for (const Term &term : from.terms)
    if (to.find(term.loop)) {
      if (found)
        return std::nullopt;
      found = Tie{{term.loop, 1}, {term.loop, 1}, {0, 1, 1}};
    }
  if (found && found->from.loop == bound.runningLoop) {
    // A running value combines a point with all points before it.
    const int64_t size = bound.loops[bound.runningLoop].size;
    found->sums = scale(
        bound.isExclusive ? Steps{1, size - 1, 1} : Steps::upTo(size), -1);
  }
  return found;
}

/// The tie by a guard that has a loop of each piece.
std::optional<Tie> SpecRelation::tieByGuard(const Piece &from,
                                            const Piece &to) const {
  for (const Guard &guard : guards)
    for (const Term &left : guard.terms)
      for (const Term &right : guard.terms)
        if (from.find(left.loop) && to.find(right.loop))
          return Tie{left,
                     {right.loop, -right.coefficient},
                     subtract(guard.sums,
                              sumOf(guard.terms, {left.loop, right.loop}))};
  return std::nullopt;
}

/// Derives a factor from a tie; nothing if the scales are too large. The tie
/// says a * v = b * w + u: v and w are the values of its loops, a and b their
/// coefficients, and u is one of its sums. The indices along the pieces are o =
/// p * v + s and r = q * w + t, where s and t are the sums of the other terms.
/// So a * q * o = b * p * r + a * q * s - b * p * t + p * q * u.
std::optional<Factor> SpecRelation::link(const Piece &from, const Piece &to,
                                         const Tie &tie) const {
  const int64_t p = from.find(tie.from.loop)->coefficient;
  const int64_t q = to.find(tie.to.loop)->coefficient;
  Wide operandScale = Wide{tie.from.coefficient} * q;
  Wide resultScale = Wide{tie.to.coefficient} * p;
  const int64_t sign = operandScale < 0 ? -1 : 1;
  operandScale *= sign;
  resultScale *= sign;
  if (operandScale > mostScale || resultScale > mostScale ||
      resultScale < -mostScale)
    return std::nullopt;
  const auto aq = static_cast<int64_t>(operandScale);
  const auto bp = static_cast<int64_t>(resultScale);
  WideSteps taps = scale(narrow(indicesOf(from, tie.from.loop)), aq);
  taps = add(taps, scale(narrow(indicesOf(to, tie.to.loop)), -bp));
  taps = add(taps, scale(narrow(tie.sums), sign * p * q));
  Factor factor = makeLink(from.digit, to.digit, aq, bp, taps);
  factor.read = intersect(factor.read, findReached(from));
  factor.reached = intersect(factor.reached, findReached(to));
  return factor;
}

Factor SpecRelation::unlink(const Piece &from, Factor::Kind kind) const {
  if (from.isIndirect)
    return makeUnlinked(Factor::Kind::Gathered, from.digit,
                        Steps::upTo(from.digit.size));
  return makeUnlinked(kind, from.digit, findReached(from));
}

/// An initial value reaches every element of the result, even elements that no
/// point reaches.
Factor SpecRelation::repeat(const Piece &to) const {
  return makeRepeated(to.digit,
                      isInit ? Steps::upTo(to.digit.size) : findReached(to));
}

static bool haveCommonLoop(const Piece &from, const Piece &to) {
  return std::any_of(from.terms.begin(), from.terms.end(),
                     [&](const Term &term) { return to.find(term.loop); });
}

/// Whether a piece of the operand has a loop of `to`.
bool SpecRelation::isShared(const Piece &to) const {
  return std::any_of(
      operandPieces.begin(), operandPieces.end(),
      [&](const Piece &from) { return haveCommonLoop(from, to); });
}

/// Links `from` to the piece of the result that has a loop in common with it,
/// if there is exactly one such piece. `related` lists the numbers of all such
/// pieces.
std::optional<Factor>
SpecRelation::linkByLoop(const Piece &from, std::span<const size_t> related) {
  if (related.size() != 1 || isLinked[related.front()])
    return std::nullopt;
  const Piece &to = resultPieces[related.front()];
  std::optional<Tie> tied = tie(from, to);
  std::optional<Factor> linked = tied ? link(from, to, *tied) : std::nullopt;
  isLinked[related.front()] = linked.has_value();
  return linked;
}

/// Whether each element that is read is related to each element that is
/// reached.
static bool isComplete(const Factor &factor) {
  const Wide p = factor.operandScale, q = factor.resultScale;
  const Wide ends[] = {q * factor.reached.first, q * factor.reached.last()};
  return factor.taps.step == 1 &&
         factor.taps.first <=
             p * factor.read.first - std::max(ends[0], ends[1]) &&
         factor.taps.last() >=
             p * factor.read.last() - std::min(ends[0], ends[1]);
}

std::optional<Factor> SpecRelation::linkByGuard(const Piece &from) {
  for (size_t i = 0; i < resultPieces.size(); ++i) {
    if (isLinked[i] || isShared(resultPieces[i]))
      continue;
    std::optional<Tie> tied = tieByGuard(from, resultPieces[i]);
    std::optional<Factor> linked =
        tied ? link(from, resultPieces[i], *tied) : std::nullopt;
    if (!linked || isComplete(*linked))
      continue;
    isLinked[i] = true;
    return linked;
  }
  return std::nullopt;
}

std::vector<Factor> SpecRelation::relate() {
  std::vector<Factor> factors;
  for (const Piece &from : operandPieces) {
    std::vector<size_t> related;
    for (size_t i = 0; i < resultPieces.size(); ++i)
      if (haveCommonLoop(from, resultPieces[i]))
        related.push_back(i);
    std::optional<Factor> linked =
        related.empty() ? linkByGuard(from) : linkByLoop(from, related);
    factors.push_back(linked ? *linked
                             : unlink(from, related.empty()
                                                ? Factor::Kind::Reduced
                                                : Factor::Kind::Opaque));
  }
  for (size_t i = 0; i < resultPieces.size(); ++i)
    if (!isLinked[i])
      factors.push_back(repeat(resultPieces[i]));
  return factors;
}

static int64_t countElements(std::span<const int64_t> dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t(1),
                         std::multiplies<>());
}

DimRelation
analysis::relateBound(const BoundSpec &bound, size_t operand,
                      std::span<const std::vector<int64_t>> shapes) {
  DimRelation relation{false,
                       {},
                       countElements(shapes[operand]),
                       countElements(bound.resultDims)};
  bool hasPoints =
      bound.numPoints() != 0 || static_cast<int>(operand) == bound.initOperand;
  // An exclusive running value over a single point combines no elements.
  bool isAlone = bound.isExclusive && bound.runningLoop >= 0 &&
                 bound.loops[bound.runningLoop].size == 1;
  if (!hasPoints || isAlone || relation.operandElements == 0 ||
      relation.resultElements == 0)
    return makeIndependent(relation.operandElements, relation.resultElements);
  SpecRelation spec(bound, operand, shapes);
  relation.isIndependent = !spec.hasPoints();
  if (!relation.isIndependent)
    relation.factors = spec.relate();
  settle(relation);
  return relation;
}
