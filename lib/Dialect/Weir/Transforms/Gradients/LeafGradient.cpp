//===- LeafGradient.cpp - The gradient of a leaf is a leaf ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A leaf computes r[i(p)] = combine over p of e(a[j(p)], ...), with one point p
// of the iteration space for each term. So its gradient for `a` is a leaf over
// the same space: da[j(p)] = sum over p of dr[i(p)] * de/da(p). The indices of
// the operand and of the result change roles, and the expression is
// differentiated symbolically.
//
//===----------------------------------------------------------------------===//

#include "LeafForm.h"

#include "weir/Dialect/Weir/IR/BuildMoves.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "llvm/ADT/SmallSet.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

BoundSpec weir::getNamedSpec(WeirOpInterface op) {
  BoundSpec spec = bindSpec(op);
  // Dims of the ellipsis are called ".0" and so on. An unused letter replaces
  // the dot.
  llvm::SmallSet<char, 8> taken;
  for (const Loop &loop : spec.loops)
    taken.insert(loop.name.front());
  char letter = 'a';
  while (taken.contains(letter))
    ++letter;
  for (Loop &loop : spec.loops)
    if (loop.name.front() == '.')
      loop.name.front() = letter;
  return spec;
}

/// The name of a loop in `named`. Expressions refer to this loop by the text
/// `place`.
static std::string renameIndices(std::string_view place, const BoundSpec &bound,
                                 const BoundSpec &named, const AttrMap &attrs) {
  int loop = findLoop(bound, place, attrs);
  return named.loops[static_cast<size_t>(loop)].name;
}

/// The gradient of the initial values: for each value, the sum of the gradients
/// of the result elements that begin with this value.
static LeafForm differentiateInit(WeirOpInterface op, unsigned number,
                                  const BoundSpec &spec, Value gradient) {
  auto isSame = [](const AffineIndex &a, const AffineIndex &b) {
    return a.terms == b.terms;
  };
  LeafForm form;
  form.operands = {gradient};
  form.expression = "a";
  form.combiner = Combiner::Sum;
  form.elementType = getTensorType(op->getOperand(number)).getElementType();
  form.spec.resultDims = toDims(getTensorType(op->getOperand(number)));
  form.spec.operands.emplace_back();
  for (auto [dim, size] : llvm::enumerate(spec.resultDims)) {
    form.spec.loops.push_back({fmt::format("x{}", dim), size, false});
    form.spec.operands[0].push_back({{{static_cast<int>(dim), 1}}, 0});
  }
  // A dim of the initial value that no loop indexes has size 1 and is
  // broadcast.
  for (const AffineIndex &index : spec.operands[number]) {
    auto at = llvm::find_if(spec.result, [&](const AffineIndex &other) {
      return isSame(index, other);
    });
    AffineIndex place;
    if (!index.terms.empty() && at != spec.result.end())
      place.terms.push_back({static_cast<int>(at - spec.result.begin()), 1});
    form.spec.result.push_back(place);
  }
  form.spec.markReductions();
  return form;
}

unsigned weir::findFirstAlike(WeirOpInterface op, unsigned number,
                              const BoundSpec &spec) {
  auto isSameIndex = [](const AffineIndex &a, const AffineIndex &b) {
    return a.offset == b.offset && a.indirect == b.indirect &&
           a.terms == b.terms;
  };
  for (unsigned i = 0; i < number; ++i)
    if (op->getOperand(i) == op->getOperand(number) &&
        static_cast<int>(i) != spec.initOperand &&
        static_cast<int>(number) != spec.initOperand &&
        llvm::equal(spec.operands[i], spec.operands[number], isSameIndex))
      return i;
  return number;
}

/// Chooses the form of the derivative that reads fewer tensors: `derivative`
/// itself, or `derivative` with the result in place of `expression`.
static int chooseForm(ScalarAlgebra &algebra, int derivative, int expression,
                      int result) {
  int other = algebra.replace(derivative, expression, result);
  size_t with = algebra.operandsOf(other).size();
  size_t without = algebra.operandsOf(derivative).size();
  return with <= without ? other : derivative;
}

namespace {
/// The derivative of a leaf as a formula. Operand i of the formula is operand i
/// of the leaf. The last two operands are the result of the leaf and the
/// gradient of the result.
class LeafDerivative {
public:
  LeafDerivative(WeirOpInterface op, unsigned number);

  bool isZero() const { return algebra.isLiteral(term, 0); }
  int64_t countSteps() const { return algebra.countSteps(term); }
  LeafForm toForm(Value gradient);

private:
  int addOperand(int position, Value gradient);

  WeirOpInterface op;
  unsigned number;
  BoundSpec named;
  int result, seed;
  ScalarAlgebra algebra;
  int term = -1;
  LeafForm form;
  /// The number of the form's operand for each operand of the algebra; -1 if
  /// the form has none yet.
  std::vector<int> positions;
};
} // namespace

LeafDerivative::LeafDerivative(WeirOpInterface op, unsigned number)
    : op(op), number(number), named(getNamedSpec(op)),
      result(static_cast<int>(op->getNumOperands())), seed(result + 1),
      positions(static_cast<size_t>(result) + 2, -1) {
  const OpRecord &record = op.getOpRecord();
  AttrMap attrs = toAttrMap(op->getAttrDictionary());
  BoundSpec bound = bindSpec(op);
  std::vector<int> operands;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    operands.push_back(
        algebra.operand(static_cast<int>(findFirstAlike(op, i, bound))));
  auto rename = [&](std::string_view place) {
    return renameIndices(place, bound, named, attrs);
  };
  int expression =
      algebra.include(*record.getExpression(), operands, attrs, rename);
  term = algebra.differentiate(expression, static_cast<int>(number),
                               algebra.operand(seed));
  // If several points share a result element, the value of a point is not the
  // result.
  if (record.getCombiner() == Combiner::None)
    term = chooseForm(algebra, term, expression, algebra.operand(result));
}

/// The number of the form's operand for operand `position` of the algebra. Adds
/// the operand if the form does not have it yet.
int LeafDerivative::addOperand(int position, Value gradient) {
  if (positions[position] >= 0)
    return positions[position];
  const bool isOperand = position < result;
  form.operands.push_back(isOperand            ? op->getOperand(position)
                          : position == result ? op->getResult(0)
                                               : gradient);
  form.spec.operands.push_back(isOperand ? named.operands[position]
                                         : named.result);
  return positions[position] = static_cast<int>(form.operands.size()) - 1;
}

/// The loop that counts a dim of `size` elements from first to last; -1 if
/// there is none.
static int getCountingLoop(const AffineIndex &index, int64_t size,
                           const BoundSpec &spec) {
  const bool isLoop = index.indirect < 0 && index.offset == 0 &&
                      index.terms.size() == 1 &&
                      index.terms.front().coefficient == 1 &&
                      spec.loops[index.terms.front().loop].size == size;
  return isLoop ? index.terms.front().loop : -1;
}

/// Whether the indices of an operand other than `number` have `loop`.
static bool isElsewhere(const BoundSpec &spec, size_t number, int loop) {
  for (auto [other, indices] : llvm::enumerate(spec.operands))
    if (other != number)
      for (const AffineIndex &index : indices)
        if (llvm::any_of(index.terms, [&](const AffineIndex::Term &term) {
              return term.loop == loop;
            }))
          return true;
  return false;
}

/// The indices at which `form` can read `repeated` in place of operand
/// `number`, which is a broadcast of `repeated`. Nothing if a loop of a
/// broadcast dim is in no other operand, or if such a loop is summed. A summed
/// loop must stay, because a matrix product sums only loops that both operands
/// have.
static std::optional<std::vector<AffineIndex>>
readRepeated(Value repeated, const LeafForm &form, size_t number) {
  ArrayRef<int64_t> from = getTensorType(repeated).getShape();
  ArrayRef<int64_t> to = getTensorType(form.operands[number]).getShape();
  const std::vector<AffineIndex> &indices = form.spec.operands[number];
  const size_t numNew = to.size() - from.size();
  std::vector<AffineIndex> kept;
  for (size_t dim = 0; dim < to.size(); ++dim) {
    const bool isNew = dim < numNew;
    if (!isNew && from[dim - numNew] == to[dim]) {
      kept.push_back(indices[dim]);
      continue;
    }
    const int loop = getCountingLoop(indices[dim], to[dim], form.spec);
    if (loop < 0 || form.spec.loops[loop].isReduction ||
        !isElsewhere(form.spec, number, loop))
      return std::nullopt;
    if (!isNew)
      kept.emplace_back();
  }
  return kept;
}

/// Reads tensors instead of their broadcasts, because an index spec can
/// broadcast by itself.
static void readRepeatedTensors(LeafForm &form) {
  for (size_t number = 0; number < form.operands.size(); ++number)
    if (Value repeated = getBroadcast(form.operands[number]))
      if (auto indices = readRepeated(repeated, form, number)) {
        form.operands[number] = repeated;
        form.spec.operands[number] = *std::move(indices);
      }
}

LeafForm LeafDerivative::toForm(Value gradient) {
  form.spec.loops = named.loops;
  form.combiner = Combiner::Sum;
  form.elementType = getTensorType(op->getOperand(number)).getElementType();
  // The incoming gradient is the first operand, because the first operand
  // determines the type of the arithmetic.
  addOperand(seed, gradient);
  for (int position : algebra.operandsOf(term))
    addOperand(position, gradient);
  // Operands that hold indices are operands of the form, too.
  for (size_t i = 0; i < form.spec.operands.size(); ++i)
    for (size_t d = 0; d < form.spec.operands[i].size(); ++d)
      if (int source = form.spec.operands[i][d].indirect; source >= 0) {
        int position = addOperand(source, gradient);
        form.spec.operands[i][d].indirect = position;
      }
  form.spec.result = named.operands[number];
  form.spec.resultDims = toDims(getTensorType(op->getOperand(number)));
  form.expression = algebra.toText(algebra.renumber(term, positions));
  form.spec.markReductions();
  readRepeatedTensors(form);
  return form;
}

FailureOr<std::optional<LeafForm>>
weir::differentiateLeaf(WeirOpInterface op, unsigned number, Value gradient) {
  BoundSpec bound = bindSpec(op);
  if (static_cast<int>(number) == bound.initOperand)
    return std::optional(differentiateInit(op, number, bound, gradient));
  LeafDerivative derivative(op, number);
  if (derivative.isZero())
    return std::optional<LeafForm>();
  constexpr int64_t mostSteps = 2000;
  if (derivative.countSteps() > mostSteps)
    return failure();
  LeafForm form = derivative.toForm(gradient);
  // An expression can fail to parse, because its nesting is bounded.
  if (!ScalarExpr::parse(form.expression))
    return failure();
  return std::optional(std::move(form));
}
