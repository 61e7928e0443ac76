//===- LeafPoints.cpp - Single elements of leaf ops -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LeafPoints.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace weir;
using namespace weir::kernelcheck;

namespace {
/// How a leaf computes: as its first operand that is no truth value.
enum class Work { Float, Signed, Unsigned };

class LeafPoints final : public PointOp {
public:
  LeafPoints(PointEvaluator &evaluator, WeirOpInterface op);

  Status prepare();
  StatusOr<Bounded> at(unsigned, int64_t offset) override;

private:
  bool setLoops(int64_t offset);
  StatusOr<Bounded> combinePoints(bool hasPoints);
  StatusOr<bool> readOperands();
  StatusOr<std::optional<int64_t>> findElement(size_t operand);
  StatusOr<Bounded> readInit();
  int64_t positionOf(const AffineIndex &index) const;
  Bounded evaluateHere();
  Bounded evaluateIntegers();
  void combine(Bounded &total, const Bounded &one, Combination *sum) const;
  Bounded store(Bounded result) const;
  bool nextPoint();

  PointEvaluator &evaluator;
  WeirOpInterface op;
  const OpRecord &record;
  BoundSpec bound;
  AttrMap attrs;
  std::vector<TensorDesc> operands;
  TensorDesc result;
  Work work = Work::Float;
  Unit unit;
  /// Whether an operand has more digits than an f32.
  bool readsWide = false;
  std::optional<BoundedExpression> expression;
  std::vector<double> attributes;
  std::vector<int64_t> integers, integerSteps;
  /// Loops that the element of the result does not fix, and how far they go.
  std::vector<size_t> freeLoops;
  std::vector<int64_t> ends, point, indices;
  /// Whether a point outside of an operand has another operand that is infinite
  /// or unsure.
  bool isPaddedUnsure = false;
  /// The operands at a point, then its indices.
  std::vector<Bounded> values;
  /// The loop of each index of the expression.
  std::vector<std::pair<size_t, size_t>> indexLoops;
};
} // namespace

LeafPoints::LeafPoints(PointEvaluator &evaluator, WeirOpInterface op)
    : evaluator(evaluator), op(op), record(op.getOpRecord()),
      bound(bindSpec(op)), attrs(toAttrMap(op->getAttrDictionary())),
      result(toTensorDesc(getTensorType(op->getResult(0)))) {
  for (Value operand : op->getOperands())
    operands.push_back(toTensorDesc(getTensorType(operand)));
}

/// Whether the loops of `index` count the elements of its dim in order.
static bool countsElements(const AffineIndex &index, const BoundSpec &bound) {
  int64_t count = 1;
  for (size_t t = index.terms.size(); t-- > 0;) {
    if (index.terms[t].coefficient != count)
      return false;
    count *= bound.loops[static_cast<size_t>(index.terms[t].loop)].size;
  }
  return index.offset == 0;
}

Status LeafPoints::prepare() {
  for (const AffineIndex &index : bound.result)
    if (index.indirect >= 0 ||
        (index.terms.size() > 1 && !countsElements(index, bound)))
      return unimplemented("several points of its windows write an element");
  auto first = llvm::find_if(
      operands, [](const TensorDesc &desc) { return desc.type != DType::I1; });
  work = first == operands.end()     ? Work::Signed
         : isFloat(first->type)      ? Work::Float
         : first->type == DType::U64 ? Work::Unsigned
                                     : Work::Signed;
  if (work == Work::Unsigned)
    return unimplemented("it computes with u64");
  readsWide = llvm::any_of(
      operands, [](const TensorDesc &desc) { return desc.type == DType::F64; });
  bool isWide = result.type == DType::F64 || !isFloat(result.type);
  for (const TensorDesc &operand : operands)
    isWide &= operand.type == DType::F64 || !isFloat(operand.type);
  unit = Unit::of(isWide ? DType::F64 : DType::F32);
  const ScalarExpr &scalar = *record.getExpression();
  attributes = bindAttributes(scalar, attrs);
  expression.emplace(scalar, attrs, unit);
  integerSteps.resize(scalar.nodes().size());
  values.resize(std::max<size_t>(scalar.numOperands(), operands.size()));
  integers.resize(values.size());
  for (const ScalarExpr::Node &node : scalar.nodes())
    if (node.op == ScalarExpr::Op::Index)
      indexLoops.push_back(
          {static_cast<size_t>(node.operand),
           static_cast<size_t>(findLoop(bound, node.name, attrs))});
  point.resize(bound.loops.size());
  return Status::ok();
}

/// Sets the loops that the element of the result fixes, and lists the others.
/// Returns false if no point contributes to it.
bool LeafPoints::setLoops(int64_t offset) {
  std::vector<bool> isFixed(point.size(), false);
  findIndices(result, offset, indices);
  auto fix = [&](int loop, int64_t value) {
    const auto number = static_cast<size_t>(loop);
    const bool fits = value >= 0 && value < bound.loops[number].size &&
                      (!isFixed[number] || point[number] == value);
    point[number] = value;
    isFixed[number] = true;
    return fits;
  };
  for (size_t d = 0; d < indices.size(); ++d) {
    const AffineIndex &index = bound.result[d];
    int64_t rest = indices[d] - index.offset;
    for (const AffineIndex::Term &term : index.terms) {
      // A loop that goes backwards counts from the end.
      const int64_t value = rest / term.coefficient;
      if (!fix(term.loop, value))
        return false;
      rest -= value * term.coefficient;
    }
    if (rest != 0)
      return false;
  }
  freeLoops.clear();
  ends.clear();
  for (size_t i = 0; i < point.size(); ++i) {
    int64_t end = bound.loops[i].size;
    if (static_cast<int>(i) == bound.runningLoop)
      end = isFixed[i] ? point[i] + (bound.isExclusive ? 0 : 1) : end;
    else if (isFixed[i])
      continue;
    point[i] = 0;
    freeLoops.push_back(i);
    ends.push_back(end);
  }
  return llvm::all_of(ends, [](int64_t end) { return end > 0; });
}

bool LeafPoints::nextPoint() {
  for (size_t i = freeLoops.size(); i-- > 0;) {
    if (++point[freeLoops[i]] < ends[i])
      return true;
    point[freeLoops[i]] = 0;
  }
  return false;
}

int64_t LeafPoints::positionOf(const AffineIndex &index) const {
  int64_t position = index.offset;
  for (const AffineIndex::Term &term : index.terms)
    position += term.coefficient * point[static_cast<size_t>(term.loop)];
  return position;
}

/// The place of the operand's element, or nothing if the point leaves it.
StatusOr<std::optional<int64_t>> LeafPoints::findElement(size_t operand) {
  const TensorDesc &desc = operands[operand];
  int64_t offset = 0;
  for (size_t d = 0; d < desc.dims.size(); ++d) {
    const AffineIndex &index = bound.operands[operand][d];
    int64_t position = 0;
    if (index.indirect < 0) {
      position = positionOf(index);
      if (position < 0 || position >= desc.dims[d])
        return std::optional<int64_t>();
    } else {
      const auto holder = static_cast<size_t>(index.indirect);
      WEIR_ASSIGN_OR_RETURN(std::optional<int64_t> at, findElement(holder));
      if (!at)
        return std::optional<int64_t>();
      WEIR_ASSIGN_OR_RETURN(Bounded value,
                            evaluator.at(op->getOperand(holder), *at));
      position = value.integer;
      // Negative indices count from the end, and all are limited to the dim.
      if (position < 0)
        position += desc.dims[d];
      position = std::clamp<int64_t>(position, 0, desc.dims[d] - 1);
    }
    offset += position * desc.strides[d];
  }
  return std::optional<int64_t>(offset);
}

/// Reads what the expression may read. Returns false if the point leaves an
/// operand, and so contributes nothing.
StatusOr<bool> LeafPoints::readOperands() {
  bool leaves = false;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (static_cast<int>(i) == bound.initOperand)
      continue;
    WEIR_ASSIGN_OR_RETURN(std::optional<int64_t> offset, findElement(i));
    leaves |= !offset;
    values[i] = Bounded();
    if (!offset)
      continue;
    WEIR_ASSIGN_OR_RETURN(values[i], evaluator.at(op->getOperand(i), *offset));
  }
  // Code may pad the operand with zeros, and 0 * infinity is a NaN.
  if (leaves)
    isPaddedUnsure |= !llvm::all_of(values, [](const Bounded &value) {
      return std::isfinite(value.value) && std::isfinite(value.error);
    });
  for (auto [place, loop] : indexLoops)
    values[place] = {static_cast<double>(point[loop]), 0, point[loop]};
  return !leaves;
}

StatusOr<Bounded> LeafPoints::readInit() {
  const auto operand = static_cast<size_t>(bound.initOperand);
  WEIR_ASSIGN_OR_RETURN(std::optional<int64_t> offset, findElement(operand));
  if (!offset)
    return internalError("an initial value lies outside of its tensor");
  return evaluator.at(op->getOperand(operand), *offset);
}

Bounded LeafPoints::evaluateIntegers() {
  for (size_t i = 0; i < values.size(); ++i)
    integers[i] = values[i].integer;
  const int64_t integer = evaluate<int64_t>(*record.getExpression(), integers,
                                            attributes, integerSteps);
  double error = 0;
  for (const Bounded &value : values)
    error = std::max(error, value.error);
  return {static_cast<double>(integer), error, integer};
}

Bounded LeafPoints::evaluateHere() {
  return work == Work::Float ? expression->evaluate(values)
                             : evaluateIntegers();
}

static Combination::Kind toKind(Combiner combiner) {
  switch (combiner) {
  case Combiner::Product:
    return Combination::Kind::Product;
  case Combiner::Maximum:
    return Combination::Kind::Maximum;
  case Combiner::Minimum:
    return Combination::Kind::Minimum;
  default:
    return Combination::Kind::Sum;
  }
}

/// Adds `one` to the integers in `total`, or to `sum` if they are floats.
void LeafPoints::combine(Bounded &total, const Bounded &one,
                         Combination *sum) const {
  if (sum)
    return sum->add(one);
  int64_t &integer = total.integer;
  switch (record.getCombiner()) {
  case Combiner::Product:
    integer = wrappingMul(integer, one.integer);
    break;
  case Combiner::Maximum:
    integer = std::max(integer, one.integer);
    break;
  case Combiner::Minimum:
    integer = std::min(integer, one.integer);
    break;
  default:
    integer = wrappingAdd(integer, one.integer);
  }
  total.error = std::max(total.error, one.error);
  total.value = static_cast<double>(integer);
}

StatusOr<Bounded> LeafPoints::combinePoints(bool hasPoints) {
  const Combination::Kind kind = toKind(record.getCombiner());
  std::optional<Combination> sum;
  if (work == Work::Float)
    sum.emplace(kind, unit);
  using Limits = std::numeric_limits<int64_t>;
  Bounded total;
  total.integer = kind == Combination::Kind::Product   ? 1
                  : kind == Combination::Kind::Maximum ? Limits::min()
                  : kind == Combination::Kind::Minimum ? Limits::max()
                                                       : 0;
  if (bound.initOperand >= 0) {
    WEIR_ASSIGN_OR_RETURN(Bounded init, readInit());
    combine(total, init, sum ? &*sum : nullptr);
  }
  isPaddedUnsure = false;
  for (bool hasMore = hasPoints; hasMore; hasMore = nextPoint()) {
    WEIR_ASSIGN_OR_RETURN(bool contributes, readOperands());
    if (contributes)
      combine(total, evaluateHere(), sum ? &*sum : nullptr);
  }
  if (sum)
    total = sum->get();
  if (isPaddedUnsure)
    total.error = std::numeric_limits<double>::infinity();
  return total;
}

/// `value` as an integer of `type`, to which it is limited.
static int64_t toInteger(DType type, double value) {
  if (type == DType::I1)
    return value != 0;
  if (type == DType::U64)
    return static_cast<int64_t>(fromDouble<uint64_t>(value));
  const auto integer = fromDouble<int64_t>(value);
  const int bits = static_cast<int>(byteSize(type)) * 8;
  if (bits == 64)
    return integer;
  const int64_t low = isUnsigned(type) ? 0 : -(int64_t{1} << (bits - 1));
  const int64_t high = (int64_t{1} << (isUnsigned(type) ? bits : bits - 1)) - 1;
  return std::clamp(integer, low, high);
}

/// The result as an element of the tensor's type. Floats are limited to the
/// numbers of an integer type, and integers wrap.
Bounded LeafPoints::store(Bounded element) const {
  if (isFloat(result.type)) {
    if (work != Work::Float)
      element.error += unit.step * std::abs(element.value);
    element.error += Unit::ofStoring(result.type, element.value, readsWide);
    return element;
  }
  int64_t integer = element.integer;
  if (work == Work::Float) {
    integer = toInteger(result.type, element.value);
    if (element.error > 0) {
      double change = 0;
      for (double other :
           {element.value - element.error, element.value + element.error})
        change =
            std::max(change, std::abs(static_cast<double>(
                                 integer - toInteger(result.type, other))));
      element.error = change;
    }
  } else if (result.type == DType::I1) {
    integer = integer != 0;
  } else {
    std::byte stored[8] = {};
    storeInt(result.type, stored, 0, integer);
    integer = loadInt(result.type, stored, 0);
  }
  return {static_cast<double>(integer), element.error, integer};
}

StatusOr<Bounded> LeafPoints::at(unsigned, int64_t offset) {
  const bool hasPoints = setLoops(offset);
  if (!bound.combinesPoints() && record.getCombiner() == Combiner::None) {
    WEIR_ASSIGN_OR_RETURN(bool contributes,
                          hasPoints ? readOperands() : StatusOr<bool>(false));
    if (contributes)
      return store(evaluateHere());
    const double fill =
        record.getFill().empty() ? 0 : attrs.floatOr(record.getFill().str(), 0);
    return store({fill, 0, fromDouble<int64_t>(fill)});
  }
  if (!hasPoints && record.getCombiner() != Combiner::Sum)
    return unimplemented("no point contributes to an element");
  WEIR_ASSIGN_OR_RETURN(Bounded element, combinePoints(hasPoints));
  return store(element);
}

StatusOr<std::unique_ptr<PointOp>>
kernelcheck::makeLeafPoints(PointEvaluator &evaluator, WeirOpInterface op) {
  auto leaf = std::make_unique<LeafPoints>(evaluator, op);
  WEIR_RETURN_IF_ERROR(leaf->prepare());
  return std::unique_ptr<PointOp>(std::move(leaf));
}
