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
/// The kind of numbers with which a leaf computes. This is the kind of its
/// first operand that has no truth values.
enum class Work { Float, Signed, Unsigned };

/// How an operand is read if none of its indices is an element of another
/// operand.
struct DirectRead {
  /// The offset at the point whose loops are all 0. `strides` has the stride of
  /// each loop.
  int64_t begin = 0;
  std::vector<int64_t> strides;
  /// The dims in which a point may be outside of the operand.
  std::vector<size_t> edges;
  /// The offset at the point whose free loops are 0.
  int64_t start = 0;
  /// Whether each element of the result reads the element with the same offset.
  bool isInPlace = false;
};

class LeafPoints final : public PointOp {
public:
  LeafPoints(PointEvaluator &evaluator, WeirOpInterface op);

  Status prepare();
  StatusOr<Bounded> at(unsigned, int64_t offset) override;

private:
  bool setLoops(int64_t offset);
  StatusOr<Bounded> combinePoints(bool hasPoints);
  StatusOr<bool> readOperands();
  Status readElement(size_t operand, int64_t offset);
  StatusOr<Bounded> computeInPlace(int64_t offset);
  std::optional<DirectRead> findDirectRead(size_t operand) const;
  bool leavesAt(size_t operand, const std::vector<size_t> &edges) const;
  StatusOr<std::optional<int64_t>> findElement(size_t operand);
  StatusOr<std::optional<int64_t>> findIndirectly(size_t operand);
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
  std::vector<PointTensor *> tensors;
  std::vector<std::optional<DirectRead>> reads;
  TensorDesc result;
  ElementIndices resultIndices;
  Work work = Work::Float;
  Unit unit;
  /// Whether an operand has more digits than an f32.
  bool readsWide = false;
  std::optional<BoundedExpression> expression;
  std::vector<double> attributes;
  std::vector<int64_t> integers, integerSteps;
  /// Whether each element of the result reads the elements with the same
  /// offset, in all operands.
  bool isInPlace = false;
  /// Whether the element of the result determines each loop.
  std::vector<bool> isFixed;
  /// The loops that the element of the result does not determine. `ends` has
  /// their ends.
  std::vector<size_t> freeLoops;
  std::vector<int64_t> ends, point, indices;
  /// Whether, at some point outside of one operand, another operand is infinite
  /// or unsure.
  bool isPaddedUnsure = false;
  /// The operands at a point, followed by the indices of the point.
  std::vector<Bounded> values;
  /// The loop of each index of the expression.
  std::vector<std::pair<size_t, size_t>> indexLoops;
};
} // namespace

LeafPoints::LeafPoints(PointEvaluator &evaluator, WeirOpInterface op)
    : evaluator(evaluator), op(op), record(op.getOpRecord()),
      bound(bindSpec(op)), attrs(toAttrMap(op->getAttrDictionary())),
      result(toTensorDesc(getTensorType(op->getResult(0)))),
      resultIndices(result) {
  for (Value operand : op->getOperands()) {
    operands.push_back(toTensorDesc(getTensorType(operand)));
    tensors.push_back(&evaluator.find(operand));
  }
}

/// Whether the loops of `index` count the elements of a dim in order.
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
  for (size_t i = 0; i < operands.size(); ++i)
    reads.push_back(findDirectRead(i));
  isInPlace = !bound.combinesPoints() &&
              record.getCombiner() == Combiner::None && indexLoops.empty() &&
              llvm::all_of(reads, [](const std::optional<DirectRead> &read) {
                return read && read->isInPlace;
              });
  return Status::ok();
}

/// Whether `index` is the position of one loop, or is always 0.
static bool isLoop(const AffineIndex &index) {
  return index.indirect < 0 && index.offset == 0 &&
         (index.terms.empty() ||
          (index.terms.size() == 1 && index.terms.front().coefficient == 1));
}

/// Whether `operand` has the same indices as the result. The layouts of both
/// must be the same.
static bool hasIndicesOf(ArrayRef<AffineIndex> result,
                         ArrayRef<AffineIndex> operand) {
  return llvm::all_of(llvm::zip_equal(result, operand), [](auto pair) {
    auto [written, read] = pair;
    return isLoop(written) && isLoop(read) &&
           written.terms.size() == read.terms.size() &&
           (written.terms.empty() ||
            written.terms.front().loop == read.terms.front().loop);
  });
}

std::optional<DirectRead> LeafPoints::findDirectRead(size_t operand) const {
  const TensorDesc &desc = operands[operand];
  DirectRead read;
  read.strides.resize(bound.loops.size());
  for (size_t d = 0; d < desc.dims.size(); ++d) {
    const AffineIndex &index = bound.operands[operand][d];
    if (index.indirect >= 0)
      return std::nullopt;
    int64_t least = index.offset, most = index.offset;
    for (const AffineIndex::Term &term : index.terms) {
      const auto loop = static_cast<size_t>(term.loop);
      const int64_t reach = term.coefficient * (bound.loops[loop].size - 1);
      least += std::min<int64_t>(reach, 0);
      most += std::max<int64_t>(reach, 0);
      read.strides[loop] += term.coefficient * desc.strides[d];
    }
    read.begin += index.offset * desc.strides[d];
    if (least < 0 || most >= desc.dims[d])
      read.edges.push_back(d);
  }
  read.isInPlace = desc.dims == result.dims && desc.strides == result.strides &&
                   hasIndicesOf(bound.result, bound.operands[operand]);
  return read;
}

/// Sets the loops that the element of the result determines, and lists the
/// others. Returns false if no point contributes to the element.
bool LeafPoints::setLoops(int64_t offset) {
  isFixed.assign(point.size(), false);
  resultIndices.find(offset, indices);
  // The loops are set even if no point contributes. An initial value is read at
  // the point that they make up.
  bool contributes = true;
  auto fix = [&](int loop, int64_t value) {
    const auto number = static_cast<size_t>(loop);
    contributes &= value >= 0 && value < bound.loops[number].size &&
                   (!isFixed[number] || point[number] == value);
    point[number] = value;
    isFixed[number] = true;
  };
  for (size_t d = 0; d < indices.size(); ++d) {
    const AffineIndex &index = bound.result[d];
    int64_t rest = indices[d] - index.offset;
    for (const AffineIndex::Term &term : index.terms) {
      // A negative coefficient is a loop that runs backwards.
      const int64_t value = rest / term.coefficient;
      fix(term.loop, value);
      rest -= value * term.coefficient;
    }
    contributes &= rest == 0;
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
  for (std::optional<DirectRead> &read : reads) {
    if (!read)
      continue;
    read->start = read->begin;
    // The free loops are still 0.
    for (size_t i = 0; i < point.size(); ++i)
      read->start += read->strides[i] * point[i];
  }
  return contributes && llvm::all_of(ends, [](int64_t end) { return end > 0; });
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

bool LeafPoints::leavesAt(size_t operand,
                          const std::vector<size_t> &edges) const {
  for (size_t d : edges) {
    const int64_t position = positionOf(bound.operands[operand][d]);
    if (position < 0 || position >= operands[operand].dims[d])
      return true;
  }
  return false;
}

/// The offset of the operand's element at the current point. Nothing if the
/// point is outside of the operand.
StatusOr<std::optional<int64_t>> LeafPoints::findElement(size_t operand) {
  const std::optional<DirectRead> &read = reads[operand];
  if (!read)
    return findIndirectly(operand);
  if (leavesAt(operand, read->edges))
    return std::optional<int64_t>();
  int64_t offset = read->start;
  for (size_t loop : freeLoops)
    offset += read->strides[loop] * point[loop];
  return std::optional<int64_t>(offset);
}

/// Implements `findElement` if an index is an element of another operand.
StatusOr<std::optional<int64_t>> LeafPoints::findIndirectly(size_t operand) {
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
      WEIR_ASSIGN_OR_RETURN(Bounded value, evaluator.at(*tensors[holder], *at));
      position = value.integer;
      // A negative index counts from the end. Each index is limited to the dim.
      if (position < 0)
        position += desc.dims[d];
      position = std::clamp<int64_t>(position, 0, desc.dims[d] - 1);
    }
    offset += position * desc.strides[d];
  }
  return std::optional<int64_t>(offset);
}

static Status tooManyPoints() {
  return Status(StatusCode::Cancelled, "there are too many points");
}

Status LeafPoints::readElement(size_t operand, int64_t offset) {
  PointTensor &tensor = *tensors[operand];
  if (tensor.data) {
    values[operand] = loadElement(tensor.desc.type, tensor.data, offset);
    return Status::ok();
  }
  WEIR_ASSIGN_OR_RETURN(values[operand], evaluator.at(tensor, offset));
  return Status::ok();
}

/// Reads the operands of the expression. Returns false if the point is outside
/// of an operand, because it then contributes nothing.
StatusOr<bool> LeafPoints::readOperands() {
  if (!evaluator.takePoint())
    return tooManyPoints();
  bool leaves = false;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (static_cast<int>(i) == bound.initOperand)
      continue;
    WEIR_ASSIGN_OR_RETURN(std::optional<int64_t> offset, findElement(i));
    leaves |= !offset;
    values[i] = Bounded();
    if (!offset)
      continue;
    WEIR_RETURN_IF_ERROR(readElement(i, *offset));
  }
  // A kernel may pad the operand with zeros, and 0 * infinity is a NaN.
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
  return evaluator.at(*tensors[operand], *offset);
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

/// Combines `one` with `total`. Floats are combined with `sum` instead.
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

/// `value` as an integer. It is limited to the range of `type`.
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

/// The least or the largest integer of `type`. A minimum or maximum begins with
/// it, so it is the result if there are no elements.
static int64_t edgeOf(DType type, bool isLeast) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (type == DType::I1)
    return isLeast ? 0 : 1;
  return toInteger(type, isLeast ? -infinity : infinity);
}

StatusOr<Bounded> LeafPoints::combinePoints(bool hasPoints) {
  const Combination::Kind kind = toKind(record.getCombiner());
  std::optional<Combination> sum;
  if (work == Work::Float)
    sum.emplace(kind, unit);
  Bounded total;
  total.integer =
      kind == Combination::Kind::Product   ? 1
      : kind == Combination::Kind::Maximum ? edgeOf(result.type, true)
      : kind == Combination::Kind::Minimum ? edgeOf(result.type, false)
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

/// Converts the result to the element type of the tensor. A float that becomes
/// an integer is limited to the range of its type. Integers wrap.
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

StatusOr<Bounded> LeafPoints::computeInPlace(int64_t offset) {
  if (!evaluator.takePoint())
    return tooManyPoints();
  for (size_t i = 0; i < operands.size(); ++i)
    WEIR_RETURN_IF_ERROR(readElement(i, offset));
  return store(evaluateHere());
}

StatusOr<Bounded> LeafPoints::at(unsigned, int64_t offset) {
  if (isInPlace)
    return computeInPlace(offset);
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
