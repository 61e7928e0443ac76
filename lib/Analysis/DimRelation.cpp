//===- DimRelation.cpp - Which elements a result depends on ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/DimRelation.h"

#include "DimSteps.h"

#include <algorithm>
#include <numeric>
#include <utility>

using namespace weir;
using namespace weir::analysis;

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

Factor analysis::makeLink(Digit operand, Digit result, int64_t operandScale,
                          int64_t resultScale, const WideSteps &taps) {
  Factor factor{Factor::Kind::Windowed, operand, result};
  factor.read = Steps::upTo(operand.size);
  factor.reached = Steps::upTo(result.size);
  int64_t common = std::gcd(operandScale, resultScale);
  factor.operandScale = operandScale / common;
  factor.resultScale = resultScale / common;
  Wide reach = Wide{factor.resultScale} * (result.size - 1);
  factor.taps = clip(divide(taps, common), -std::max<Wide>(reach, 0),
                     Wide{factor.operandScale} * (operand.size - 1) -
                         std::min<Wide>(reach, 0));
  return factor;
}

Factor analysis::makeUnlinked(Factor::Kind kind, Digit operand, Steps read) {
  Factor factor{kind, operand, {}};
  factor.read = read;
  return factor;
}

Factor analysis::makeRepeated(Digit result, Steps reached) {
  Factor factor{Factor::Kind::Repeated, {}, result};
  factor.reached = reached;
  return factor;
}

static bool isFull(const Factor &factor) {
  return factor.read == Steps::upTo(factor.operand.size) &&
         factor.reached == Steps::upTo(factor.result.size);
}

/// Removes elements from `read` that reach no element of the result, and
/// elements from `reached` that depend on no element that is read.
static void limit(Factor &factor) {
  auto [p, q] = std::pair(factor.operandScale, factor.resultScale);
  // Element r of the result depends on element o of the operand if q * r = p *
  // o - t for a tap t.
  WideSteps reached = add(scale(factor.read, q < 0 ? -p : p),
                          scale(factor.taps, q < 0 ? 1 : -1));
  factor.reached =
      intersect(factor.reached, clip(divide(reached, q < 0 ? -q : q), 0,
                                     factor.result.size - 1));
  WideSteps read = add(scale(factor.reached, q), widen(factor.taps));
  factor.read =
      intersect(factor.read, clip(divide(read, p), 0, factor.operand.size - 1));
}

/// Whether two factors can be joined into one. `outer` has the digits with the
/// larger strides.
static bool areOne(const Factor &outer, const Factor &inner) {
  auto continues = [](const Digit &left, const Digit &right) {
    bool areNone = left.size == 1 && right.size == 1;
    return areNone || left.stride == right.end();
  };
  return outer.kind == inner.kind && outer.kind != Factor::Kind::Windowed &&
         isFull(outer) && isFull(inner) &&
         continues(outer.operand, inner.operand) &&
         continues(outer.result, inner.result);
}

static Digit join(const Digit &outer, const Digit &inner) {
  if (outer.size == 1)
    return inner;
  return {inner.stride, outer.size * inner.size};
}

/// Determines the ranges and the kind of `factor`. Returns whether the result
/// depends on the operand at all.
static bool settleFactor(Factor &factor) {
  if (factor.isLinked()) {
    limit(factor);
    if (factor.result.size == 1)
      factor = makeUnlinked(Factor::Kind::Reduced, factor.operand, factor.read);
    else if (factor.operand.size == 1)
      factor = makeRepeated(factor.result, factor.reached);
    else
      factor.kind = factor.operandScale == 1 && factor.resultScale == 1 &&
                            factor.taps == Steps::upTo(1) &&
                            factor.operand.size == factor.result.size &&
                            isFull(factor)
                        ? Factor::Kind::Same
                        : Factor::Kind::Windowed;
  }
  return factor.read.count > 0 && factor.reached.count > 0;
}

void analysis::settle(DimRelation &relation) {
  std::vector<Factor> &factors = relation.factors;
  for (Factor &factor : factors)
    relation.isIndependent |= !settleFactor(factor);
  if (relation.operandElements == 0 || relation.resultElements == 0)
    relation.isIndependent = true;
  if (relation.isIndependent) {
    factors.clear();
    return;
  }
  std::erase_if(factors, [](const Factor &factor) {
    return factor.operand.size == 1 && factor.result.size == 1;
  });
  // Factors are sorted by the digits of the operand. Factors without such a
  // digit come last.
  std::sort(factors.begin(), factors.end(),
            [](const Factor &left, const Factor &right) {
              auto key = [](const Factor &factor) {
                bool isRead = factor.operand.size > 1;
                return std::pair(!isRead, isRead ? -factor.operand.end()
                                                 : -factor.result.end());
              };
              return key(left) < key(right);
            });
  std::vector<Factor> joined;
  for (const Factor &factor : factors) {
    if (joined.empty() || !areOne(joined.back(), factor)) {
      joined.push_back(factor);
      continue;
    }
    Factor &outer = joined.back();
    outer.operand = join(outer.operand, factor.operand);
    outer.result = join(outer.result, factor.result);
    outer.read = Steps::upTo(outer.operand.size);
    outer.reached = Steps::upTo(outer.result.size);
  }
  factors = std::move(joined);
}

/// Whether the factor relates element i of a block of `size` elements only to
/// element i of other blocks.
static bool relatesBlocks(const Factor &factor, int64_t size) {
  auto areBlocks = [&](const Digit &digit, const Steps &range) {
    return digit.size % size == 0 && range.step == 1 &&
           range.first % size == 0 && range.count % size == 0;
  };
  return !factor.isLinked() ||
         (factor.operandScale == 1 && factor.resultScale == 1 &&
          factor.taps.first % size == 0 &&
          (factor.taps.count == 1 || factor.taps.step % size == 0) &&
          areBlocks(factor.operand, factor.read) &&
          areBlocks(factor.result, factor.reached));
}

/// Splits `outer`, which relates blocks of `size` elements. `outer` then
/// relates the blocks, and the returned factor the elements within them.
static Factor takeInner(Factor &outer, int64_t size) {
  Factor inner = outer;
  auto divide = [size](Digit &outside, Digit &inside, Steps &blocks,
                       Steps &elements) {
    if (outside.size == 1)
      return;
    inside.size = size;
    outside = {outside.stride * size, outside.size / size};
    // A range within one block stays as it is. A range over several blocks
    // grows to whole blocks.
    const int64_t first = blocks.first / size;
    const int64_t count = blocks.last() / size - first + 1;
    elements = count == 1
                   ? Steps{blocks.first % size, blocks.count, blocks.step}
                   : Steps::upTo(size);
    blocks = {first, count, 1};
  };
  divide(outer.operand, inner.operand, outer.read, inner.read);
  divide(outer.result, inner.result, outer.reached, inner.reached);
  if (outer.isLinked()) {
    inner.kind = Factor::Kind::Same;
    inner.taps = Steps::upTo(1);
    outer.taps.first /= size;
    if (outer.taps.count > 1)
      outer.taps.step /= size;
  }
  return inner;
}

void analysis::cutAt(DimRelation &relation, Side side, int64_t stride) {
  auto isCut = [&](const Factor &factor) {
    const Digit &digit = digitOf(factor, side);
    return stride > digit.stride && stride < digit.end();
  };
  auto outer =
      std::find_if(relation.factors.begin(), relation.factors.end(), isCut);
  if (outer == relation.factors.end())
    return;
  const Digit &digit = digitOf(*outer, side);
  const int64_t size = stride / digit.stride;
  if (stride % digit.stride != 0 || digit.end() % stride != 0 ||
      !relatesBlocks(*outer, size))
    return;
  Factor inner = takeInner(*outer, size);
  relation.factors.insert(outer + 1, inner);
}

//===----------------------------------------------------------------------===//
// Relations
//===----------------------------------------------------------------------===//

static bool allowsAlong(const Factor &factor, int64_t operand, int64_t result) {
  int64_t o = factor.operand.of(operand), r = factor.result.of(result);
  if (!factor.read.contains(o) || !factor.reached.contains(r))
    return false;
  return !factor.isLinked() ||
         factor.taps.contains(factor.operandScale * o - factor.resultScale * r);
}

bool DimRelation::allows(int64_t operand, int64_t result) const {
  return !isIndependent &&
         std::all_of(factors.begin(), factors.end(), [&](const Factor &factor) {
           return allowsAlong(factor, operand, result);
         });
}

DimRelation analysis::makeIdentity(int64_t elements) {
  Factor all{Factor::Kind::Same, {1, elements}, {1, elements}};
  all.read = all.reached = Steps::upTo(elements);
  DimRelation relation{elements == 0, {all}, elements, elements};
  settle(relation);
  return relation;
}

DimRelation analysis::makeOpaque(int64_t operandElements,
                                 int64_t resultElements) {
  DimRelation relation{
      false,
      {makeUnlinked(Factor::Kind::Opaque, {1, operandElements},
                    Steps::upTo(operandElements)),
       makeRepeated({1, resultElements}, Steps::upTo(resultElements))},
      operandElements,
      resultElements};
  settle(relation);
  return relation;
}

DimRelation analysis::makeIndependent(int64_t operandElements,
                                      int64_t resultElements) {
  return {true, {}, operandElements, resultElements};
}

int64_t analysis::countRows(const DimRelation &relation) {
  if (relation.isIndependent)
    return relation.operandElements;
  int64_t rows = 1;
  int64_t operandEnd = relation.operandElements;
  int64_t resultEnd = relation.resultElements;
  for (const Factor &factor : relation.factors) {
    bool isRow = factor.kind == Factor::Kind::Same &&
                 factor.operand.end() == operandEnd &&
                 factor.result.end() == resultEnd;
    if (!isRow)
      break;
    rows *= factor.operand.size;
    operandEnd = factor.operand.stride;
    resultEnd = factor.result.stride;
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// Dims
//===----------------------------------------------------------------------===//

/// The distance between neighbouring elements along each dim.
static std::vector<int64_t> stridesOf(std::span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= dims[d];
  }
  return strides;
}

/// The dim that contains `digit`; -1 if the digit has size 1 or extends over
/// several dims.
static int findDim(const Digit &digit, std::span<const int64_t> dims) {
  std::vector<int64_t> strides = stridesOf(dims);
  for (size_t d = 0; d < dims.size(); ++d)
    if (digit.size > 1 && digit.stride >= strides[d] &&
        digit.end() <= strides[d] * dims[d])
      return static_cast<int>(d);
  return -1;
}

namespace {
/// The crossed dims of one side. A dim is crossed if a digit is partly in it
/// and partly in another dim.
class CrossedDims {
public:
  CrossedDims(Side side, std::span<const int64_t> sizes)
      : side(side), sizes(sizes) {
    for (size_t d = 0; int64_t stride : stridesOf(sizes))
      dims.push_back({{stride, sizes[d++]}});
  }

  void cut(DimRelation &relation) const {
    for (const Dim &dim : dims)
      cutAt(relation, side, dim.digit.stride);
  }
  bool overlaps(const Factor &factor) const {
    return std::ranges::any_of(dims, [&](const Dim &dim) {
      return dim.isCrossed && meets(factor, dim);
    });
  }
  /// Marks the dims of the digit of `factor` as crossed if the digit extends
  /// over several dims, or if one of its dims is already crossed. Returns
  /// whether this crosses another dim.
  bool add(const Factor &factor) {
    const Digit &digit = digitOf(factor, side);
    if (digit.size == 1 || (findDim(digit, sizes) >= 0 && !overlaps(factor)))
      return false;
    bool isNew = false;
    for (Dim &dim : dims)
      if (meets(factor, dim))
        isNew |= !std::exchange(dim.isCrossed, true);
    return isNew;
  }
  /// Calls `visit` with the digit of each crossed dim.
  template <typename Visit> void forEach(Visit visit) const {
    for (const Dim &dim : dims)
      if (dim.isCrossed)
        visit(dim.digit);
  }

private:
  struct Dim {
    Digit digit;
    bool isCrossed = false;
  };
  /// Whether the digit of `factor` has a part in `dim`.
  bool meets(const Factor &factor, const Dim &dim) const {
    const Digit &digit = digitOf(factor, side);
    return digit.size > 1 && dim.digit.size > 1 &&
           digit.stride < dim.digit.end() && dim.digit.stride < digit.end();
  }

  Side side;
  std::span<const int64_t> sizes;
  std::vector<Dim> dims;
};
} // namespace

/// The factors of `relation`, without anything about crossed dims.
static std::vector<Factor> unlinkCrossed(const DimRelation &relation,
                                         const CrossedDims &operand,
                                         const CrossedDims &result) {
  std::vector<Factor> factors;
  for (const Factor &factor : relation.factors) {
    bool isOperandCrossed = operand.overlaps(factor);
    bool isResultCrossed = result.overlaps(factor);
    if (!isOperandCrossed && !isResultCrossed)
      factors.push_back(factor);
    else if (!isOperandCrossed && factor.operand.size > 1)
      factors.push_back(makeUnlinked(Factor::Kind::Opaque, factor.operand,
                                     Steps::upTo(factor.operand.size)));
    else if (!isResultCrossed && factor.result.size > 1)
      factors.push_back(
          makeRepeated(factor.result, Steps::upTo(factor.result.size)));
  }
  operand.forEach([&](Digit digit) {
    factors.push_back(
        makeUnlinked(Factor::Kind::Opaque, digit, Steps::upTo(digit.size)));
  });
  result.forEach([&](Digit digit) {
    factors.push_back(makeRepeated(digit, Steps::upTo(digit.size)));
  });
  return factors;
}

std::vector<DimFactor>
analysis::splitAtDims(const DimRelation &relation,
                      std::span<const int64_t> operandDims,
                      std::span<const int64_t> resultDims) {
  DimRelation divided = relation;
  CrossedDims operand(Side::Operand, operandDims);
  CrossedDims result(Side::Result, resultDims);
  operand.cut(divided);
  result.cut(divided);
  bool isNew = true;
  while (std::exchange(isNew, false))
    for (const Factor &factor : divided.factors)
      for (auto *cuts : {&operand, &result})
        isNew |= cuts->add(factor);
  std::vector<DimFactor> placed;
  for (const Factor &factor : unlinkCrossed(divided, operand, result))
    placed.push_back({factor, findDim(factor.operand, operandDims),
                      findDim(factor.result, resultDims)});
  return placed;
}

std::vector<ReshapedDims>
analysis::matchReshapedDims(std::span<const int64_t> from,
                            std::span<const int64_t> to) {
  std::vector<ReshapedDims> matched;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    size_t fromBegin = i, toBegin = j;
    int64_t left = i < from.size() ? from[i++] : 1;
    int64_t right = j < to.size() ? to[j++] : 1;
    while (left != right) {
      if (left < right && i < from.size())
        left *= from[i++];
      else if (j < to.size())
        right *= to[j++];
      else
        break;
    }
    matched.push_back({fromBegin, i, toBegin, j});
  }
  return matched;
}
