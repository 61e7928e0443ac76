//===- DimsOfSpec.cpp - Relations of dims from an index spec --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Each dim of a tensor is divided into pieces: its loops if its index counts
// them in row-major order, otherwise the whole dim. A piece of the operand and
// one of the result are related if they have a loop in common.
//
//===----------------------------------------------------------------------===//

#include "DimSteps.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>

using namespace weir;
using namespace weir::analysis;

namespace {
using Term = AffineIndex::Term;

/// A digit of a tensor with the index of points along it.
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

class SpecRelation {
public:
  SpecRelation(const BoundSpec &bound, size_t operand,
               std::span<const int64_t> dims)
      : bound(bound), isInit(static_cast<int>(operand) == bound.initOperand),
        operandPieces(divide(bound.operands[operand], dims)),
        resultPieces(divide(bound.result, bound.resultDims)) {}

  std::vector<Factor> relate();

private:
  std::vector<Piece> divide(const std::vector<AffineIndex> &indices,
                            std::span<const int64_t> dims) const;
  void divideDim(const AffineIndex &index, Digit dim,
                 std::vector<Piece> &pieces) const;
  WideSteps indicesOf(const Piece &piece, int without = -1) const;
  std::optional<int> findCommonLoop(const Piece &from, const Piece &to) const;
  Factor link(const Piece &from, const Piece &to, int loop) const;
  Factor unlink(const Piece &from, Factor::Kind kind) const;
  Factor repeat(const Piece &to) const;

  const BoundSpec &bound;
  bool isInit;
  std::vector<Piece> operandPieces, resultPieces;
};
} // namespace

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// Appends the pieces of `dim`, the digit of a whole dim.
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

/// The indices along `piece`, without what loop `without` adds.
WideSteps SpecRelation::indicesOf(const Piece &piece, int without) const {
  WideSteps indices{piece.offset, 1, 1};
  for (const Term &term : piece.terms)
    if (term.loop != without)
      indices = add(indices, scale(Steps::upTo(bound.loops[term.loop].size),
                                   term.coefficient));
  return indices;
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// The only loop of both pieces; nothing if there is none, or if there are
/// several.
std::optional<int> SpecRelation::findCommonLoop(const Piece &from,
                                                const Piece &to) const {
  std::optional<int> found;
  for (const Term &term : from.terms)
    if (to.find(term.loop)) {
      if (found)
        return std::nullopt;
      found = term.loop;
    }
  return found;
}

/// With a the coefficient of the loop in `from`, b that in `to`, and v its
/// value: o = a * v + s and r = b * v + t, so b * o = a * r + b * s - a * t.
Factor SpecRelation::link(const Piece &from, const Piece &to, int loop) const {
  int64_t a = from.find(loop)->coefficient, b = to.find(loop)->coefficient;
  int64_t sign = b < 0 ? -1 : 1, size = bound.loops[loop].size;
  Wide high = Wide{1} << 62;
  auto narrow = [&](const WideSteps &steps) {
    return clip(steps, -high, high);
  };
  Steps s = narrow(indicesOf(from, loop)), t = narrow(indicesOf(to, loop));
  if (loop == bound.runningLoop) {
    // Each point is combined with all points before it.
    Steps before =
        bound.isExclusive ? Steps{1, size - 1, 1} : Steps::upTo(size);
    s = narrow(add(widen(s), scale(before, -a)));
  }
  Factor factor = makeLink(from.digit, to.digit, sign * b, sign * a,
                           add(scale(s, sign * b), scale(t, -sign * a)));
  factor.read =
      intersect(factor.read, clip(indicesOf(from), 0, from.digit.size - 1));
  factor.reached =
      intersect(factor.reached, clip(indicesOf(to), 0, to.digit.size - 1));
  return factor;
}

Factor SpecRelation::unlink(const Piece &from, Factor::Kind kind) const {
  Steps read = Steps::upTo(from.digit.size);
  if (!from.isIndirect)
    read = clip(indicesOf(from), 0, from.digit.size - 1);
  return makeUnlinked(from.isIndirect ? Factor::Kind::Gathered : kind,
                      from.digit, read);
}

/// Results that no point reaches have the initial value too.
Factor SpecRelation::repeat(const Piece &to) const {
  return makeRepeated(to.digit,
                      isInit ? Steps::upTo(to.digit.size)
                             : clip(indicesOf(to), 0, to.digit.size - 1));
}

std::vector<Factor> SpecRelation::relate() {
  std::vector<Factor> factors;
  std::vector<bool> isLinked(resultPieces.size());
  for (const Piece &from : operandPieces) {
    // The places in `resultPieces` of those with loops in common.
    std::vector<size_t> related;
    for (size_t i = 0; i < resultPieces.size(); ++i)
      if (std::any_of(from.terms.begin(), from.terms.end(),
                      [&](const Term &term) {
                        return resultPieces[i].find(term.loop);
                      }))
        related.push_back(i);
    std::optional<int> loop;
    if (related.size() == 1 && !isLinked[related.front()])
      loop = findCommonLoop(from, resultPieces[related.front()]);
    if (loop) {
      const Piece &to = resultPieces[related.front()];
      isLinked[related.front()] =
          std::abs(from.find(*loop)->coefficient) <= mostScale &&
          std::abs(to.find(*loop)->coefficient) <= mostScale;
      if (isLinked[related.front()]) {
        factors.push_back(link(from, to, *loop));
        continue;
      }
    }
    factors.push_back(unlink(from, related.empty() ? Factor::Kind::Reduced
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

DimRelation analysis::relateBound(const BoundSpec &bound, size_t operand,
                                  std::span<const int64_t> dims) {
  DimRelation relation{
      false, {}, countElements(dims), countElements(bound.resultDims)};
  bool hasPoints =
      bound.numPoints() != 0 || static_cast<int>(operand) == bound.initOperand;
  // The only point along the loop has none before it.
  bool isAlone = bound.isExclusive && bound.runningLoop >= 0 &&
                 bound.loops[bound.runningLoop].size == 1;
  if (!hasPoints || isAlone || relation.operandElements == 0 ||
      relation.resultElements == 0)
    return makeIndependent(relation.operandElements, relation.resultElements);
  relation.factors = SpecRelation(bound, operand, dims).relate();
  settle(relation);
  return relation;
}
