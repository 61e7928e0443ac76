//===- KnownIntegers.cpp - What is known of computed indices --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/KnownIntegers.h"

#include "DimSteps.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace weir;
using namespace weir::analysis;
using Growth = KnownIntegers::Growth;
using Op = ScalarExpr::Op;

namespace {
struct WideRange {
  Wide low, high;
};
} // namespace

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The range of the sums of a number in `range` and the growths.
static WideRange addGrowths(WideRange range, std::span<const Growth> growths) {
  for (const Growth &growth : growths) {
    const Wide most = Wide{growth.step} * (growth.digit.size - 1);
    (most < 0 ? range.low : range.high) += most;
  }
  return range;
}

static WideRange rangeOf(const KnownIntegers &known) {
  return addGrowths({known.low, known.high}, known.growths);
}

static bool isConstant(const KnownIntegers &known) {
  return known.growths.empty() && known.low == known.high;
}

/// Numbers with these growths and this range. Nothing is known about numbers
/// that may overflow.
static KnownIntegers make(std::vector<Growth> growths, WideRange range) {
  const KnownIntegers any;
  auto [low, high] = addGrowths(range, growths);
  if (low < any.low || high > any.high || range.low < any.low ||
      range.high > any.high)
    return any;
  return {std::move(growths), static_cast<int64_t>(range.low),
          static_cast<int64_t>(range.high)};
}

static KnownIntegers add(const KnownIntegers &left,
                         const KnownIntegers &right) {
  std::vector<Growth> growths = left.growths;
  growths.insert(growths.end(), right.growths.begin(), right.growths.end());
  return make(std::move(growths),
              {Wide{left.low} + right.low, Wide{left.high} + right.high});
}

static KnownIntegers multiply(const KnownIntegers &known, int64_t factor) {
  std::vector<Growth> growths;
  for (const auto &[digit, step] : known.growths) {
    const Wide made = Wide{step} * factor;
    if (made < KnownIntegers().low || made > KnownIntegers().high)
      return {};
    growths.push_back({digit, static_cast<int64_t>(made)});
  }
  WideRange range{Wide{known.low} * factor, Wide{known.high} * factor};
  if (factor < 0)
    std::swap(range.low, range.high);
  return make(std::move(growths), range);
}

static KnownIntegers multiply(const KnownIntegers &left,
                              const KnownIntegers &right) {
  if (isConstant(left))
    return multiply(right, left.low);
  return isConstant(right) ? multiply(left, right.low) : KnownIntegers();
}

/// What is known about a value that is either `left` or `right`.
static KnownIntegers select(const KnownIntegers &left,
                            const KnownIntegers &right) {
  if (left.growths == right.growths)
    return make(left.growths, {std::min(left.low, right.low),
                               std::max(left.high, right.high)});
  WideRange first = rangeOf(left), second = rangeOf(right);
  return make(
      {}, {std::min(first.low, second.low), std::max(first.high, second.high)});
}

template <typename PickFn>
static KnownIntegers pick(const KnownIntegers &left, const KnownIntegers &right,
                          PickFn pickOne) {
  WideRange first = rangeOf(left), second = rangeOf(right);
  return make(
      {}, {pickOne(first.low, second.low), pickOne(first.high, second.high)});
}

static KnownIntegers evaluateNode(Op op, std::span<const KnownIntegers> args) {
  switch (op) {
  case Op::Add:
    return add(args[0], args[1]);
  case Op::Sub:
    return add(args[0], multiply(args[1], -1));
  case Op::Mul:
    return multiply(args[0], args[1]);
  case Op::Max:
    return pick(args[0], args[1],
                [](Wide left, Wide right) { return std::max(left, right); });
  case Op::Min:
    return pick(args[0], args[1],
                [](Wide left, Wide right) { return std::min(left, right); });
  case Op::Select:
    return select(args[1], args[2]);
  case Op::Equal:
  case Op::NotEqual:
  case Op::Less:
  case Op::LessEqual:
    return {{}, 0, 1};
  default:
    return {};
  }
}

static KnownIntegers makeLiteral(double value) {
  constexpr double most = int64_t{1} << 53;
  if (value != std::trunc(value) || std::abs(value) > most)
    return {};
  return KnownIntegers::makeConstant(static_cast<int64_t>(value));
}

KnownIntegers analysis::evaluateKnown(
    const ScalarExpr &expression, std::span<const KnownIntegers> operands,
    const std::function<KnownIntegers(std::string_view place)> &indexAt) {
  std::vector<KnownIntegers> values;
  for (const ScalarExpr::Node &node : expression.nodes()) {
    if (node.op == Op::Operand) {
      values.push_back(operands[node.operand]);
      continue;
    }
    if (node.op == Op::Index) {
      values.push_back(indexAt(node.name));
      continue;
    }
    if (node.op == Op::Literal) {
      values.push_back(makeLiteral(node.literal));
      continue;
    }
    std::vector<KnownIntegers> args;
    for (int i = 0; i < numArgs(node.op); ++i)
      args.push_back(values[node.args[i]]);
    values.push_back(evaluateNode(node.op, args));
  }
  return values.back();
}

//===----------------------------------------------------------------------===//
// Relations
//===----------------------------------------------------------------------===//

/// Cuts `relation` where `digit` begins and ends.
static void cutAround(DimRelation &relation, Side side, Digit digit) {
  cutAt(relation, side, digit.stride);
  cutAt(relation, side, digit.end());
}

KnownIntegers analysis::carry(const KnownIntegers &known,
                              const DimRelation &relation) {
  std::vector<Growth> kept, lost;
  for (const Growth &growth : known.growths) {
    DimRelation divided = relation;
    cutAround(divided, Side::Operand, growth.digit);
    auto same = std::find_if(divided.factors.begin(), divided.factors.end(),
                             [&](const Factor &factor) {
                               return factor.kind == Factor::Kind::Same &&
                                      factor.operand == growth.digit;
                             });
    if (same == divided.factors.end())
      lost.push_back(growth);
    else
      kept.push_back({same->result, growth.step});
  }
  return make(std::move(kept), addGrowths({known.low, known.high}, lost));
}

/// The factor of `kind` that has `digit` on `side`, or null.
static Factor *findFactor(DimRelation &relation, Side side, Factor::Kind kind,
                          Digit digit) {
  for (Factor &factor : relation.factors)
    if (factor.kind == kind && digitOf(factor, side) == digit)
      return &factor;
  return nullptr;
}

DimRelation analysis::narrowGathered(const DimRelation &relation,
                                     Digit gathered,
                                     const KnownIntegers &indices) {
  using Kind = Factor::Kind;
  const WideRange all = rangeOf(indices);
  if (all.low < 0 || all.high >= gathered.size)
    return relation;
  DimRelation narrowed = relation;
  std::vector<Growth> growths = indices.growths;
  std::stable_sort(growths.begin(), growths.end(),
                   [](const Growth &left, const Growth &right) {
                     return left.step > right.step;
                   });
  Wide offset = 0;
  cutAround(narrowed, Side::Operand, gathered);
  std::span<const Growth> inner = growths;
  while (!inner.empty()) {
    auto [digit, step] = inner.front();
    inner = inner.subspan(1);
    // The sum of the offset and the inner growths must stay within one block of
    // `step` elements.
    WideRange rest =
        addGrowths({indices.low - offset, indices.high - offset}, inner);
    if (step <= 0 || gathered.size % step != 0 || rest.low < 0 ||
        rest.low / step != rest.high / step)
      break;
    cutAround(narrowed, Side::Result, digit);
    Factor *chosen =
        findFactor(narrowed, Side::Operand, Kind::Gathered, gathered);
    Factor *chooser = findFactor(narrowed, Side::Result, Kind::Repeated, digit);
    if (!chosen || !chooser)
      break;
    const auto block = static_cast<int64_t>(rest.low / step);
    Digit blocks{gathered.stride * step, gathered.size / step};
    gathered.size = step;
    *chosen = makeUnlinked(Kind::Gathered, gathered, Steps::upTo(step));
    const Steps reached = chooser->reached;
    *chooser = makeLink(blocks, digit, 1, 1, {block, 1, 1});
    chooser->reached = intersect(chooser->reached, reached);
    offset += Wide{block} * step;
  }
  settle(narrowed);
  return narrowed;
}
