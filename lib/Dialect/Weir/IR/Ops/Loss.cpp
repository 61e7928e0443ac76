//===- Loss.cpp - The Loss family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/IR/TypeUtilities.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace weir;

/// The class of each row. A row with the label `ignored` has class 0.
static BodyValue findClasses(BodyBuilder &b, Value input, Value labels,
                             int64_t ignored) {
  int64_t classes = getTensorType(input).getShape().back();
  return b.make<ClassIndexOp>(
      {labels}, {b.number("classes", classes), b.number("ignored", ignored)});
}

/// One element of each row of `x`. `indices`, of shape [..., 1], holds the
/// index of the element in its row.
static BodyValue pickOfRows(BodyBuilder &b, Value x, Value indices) {
  return b.make<TakeAlongAxisOp>({x, indices}, b.number("axis", -1));
}

/// The expression `value` for each row, or 0 if the label of the row is
/// `ignored`.
static BodyValue unlessIgnored(BodyBuilder &b, StringRef value, BodyValue x,
                               BodyValue labels, int64_t ignored) {
  return b.pointwise(
      fmt::format("select(b == {}, 0, {})", ignored, std::string_view(value)),
      {x, labels});
}

//===----------------------------------------------------------------------===//
// Targets of rows
//===----------------------------------------------------------------------===//

static std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// `shape` without its dims of size 1.
static SmallVector<int64_t> dropUnits(ArrayRef<int64_t> shape) {
  return llvm::to_vector(
      llvm::make_filter_range(shape, [](int64_t dim) { return dim != 1; }));
}

/// Whether one type can be reshaped to the other, with at most one dim to
/// infer.
static bool areReshapes(RankedTensorType left, RankedTensorType right) {
  if (left.hasStaticShape() && right.hasStaticShape())
    return left.getNumElements() == right.getNumElements();
  return left.getNumDynamicDims() == 1 &&
         dropUnits(left.getShape()) == dropUnits(right.getShape());
}

/// The repair that gives operand 1 the wanted shape.
static std::string spellReshape(RankedTensorType wanted) {
  // An unknown dim is written as -1, which the op infers.
  return fmt::format("reshape operand 1 with weir.reshape {{shape = [{}]}}",
                     fmt::join(toDims(wanted), ", "));
}

/// The error about targets of the type `found` where `expected` is wanted;
/// empty if the targets fit. Targets are not broadcast: each row has its own.
static std::string describeRows(RankedTensorType found,
                                RankedTensorType expected) {
  if (succeeded(verifyCompatibleShape(found.getShape(), expected.getShape())))
    return {};
  std::string text = fmt::format(
      "expects operand 1 of {}, a target for each row of operand 0, found '{}'",
      expected.getRank() == 0 ? std::string("no dims")
                              : shapeToString(toDims(expected)),
      spell(found));
  if (areReshapes(found, expected))
    text += "; " + spellReshape(expected);
  return text;
}

/// The type of the labels of the rows of `input`.
static RankedTensorType getLabelType(RankedTensorType input) {
  return RankedTensorType::get(input.getShape().drop_back(),
                               IntegerType::get(input.getContext(), 64));
}

/// Infers the result of a loss of rows. The index spec alone would allow
/// targets to be broadcast.
template <typename LossOp>
static StatusOr<SmallVector<Type>> inferRows(TypeRange operands,
                                             const AttrMap &attrs) {
  const OpRecord &record = LossOp::getRecord();
  std::vector<std::vector<int64_t>> shapes;
  for (Type type : operands)
    shapes.push_back(toDims(cast<RankedTensorType>(type)));
  WEIR_ASSIGN_OR_RETURN(const BoundSpec bound,
                        record.getIndexSpec().bind(shapes, attrs));
  auto input = cast<RankedTensorType>(operands[0]);
  const bool hasLabels = record.getOperandType(1).starts_with("I");
  if (std::string misfit =
          describeRows(cast<RankedTensorType>(operands[1]),
                       hasLabels ? getLabelType(input) : input);
      !misfit.empty())
    return invalidArgument(misfit);
  return SmallVector<Type>{
      makeTensorType(bound.resultDims, input.getElementType())};
}

//===----------------------------------------------------------------------===//
// Accuracy
//===----------------------------------------------------------------------===//

static StatusOr<SmallVector<Type>> inferAccuracy(TypeRange operands) {
  if (cast<RankedTensorType>(operands.front()).getRank() == 0)
    return invalidArgument("expects operand 0 with a dim of classes, found a "
                           "scalar");
  return SmallVector<Type>{RankedTensorType::get(
      {}, Float32Type::get(operands.front().getContext()))};
}

/// The share of rows whose label has less than `k` classes in front of it.
static BodyValue countRight(BodyBuilder &b, AccuracyOp op, Value input,
                            Value given) {
  BodyValue x = b.value(input);
  const auto ignored = static_cast<int64_t>(op.getIgnored());
  const int64_t classes = x.getType().getShape().back();
  const int64_t rows =
      classes == 0 ? 0 : x.getType().getNumElements() / classes;
  BodyValue labels = b.reshape(b.cast(given, b.indexType()), {rows});
  BodyValue scores = b.reshape(x, {rows, classes});
  BodyValue picked =
      b.reshape(findClasses(b, op.getInput(), given, ignored), {rows});
  BodyValue own =
      b.reshape(pickOfRows(b, scores, b.reshape(picked, {rows, 1})), {rows});
  // A score that is neither smaller nor equal is larger or NaN.
  Type f32 = Float32Type::get(op.getContext());
  BodyValue before =
      b.leaf(fmt::format("n={}, k={}: [n, k], [n], [n] -> [n]", rows, classes),
             "select(a < b, 0, select(a == b, select(index(k) < c, 1, 0), 1))",
             Combiner::Sum, {scores, own, picked}, f32);
  BodyValue isRight =
      b.leaf("...,...->...",
             fmt::format("select(b == {}, 0, select(a < {}, 1, 0))", ignored,
                         static_cast<int64_t>(op.getK())),
             Combiner::None, {before, labels});
  BodyValue isKept =
      b.leaf("...->...", fmt::format("select(a == {}, 0, 1)", ignored),
             Combiner::None, {labels}, f32);
  auto count = [&](BodyValue x) {
    return b.leaf(fmt::format("n={}: [n] -> []", rows), "a", Combiner::Sum,
                  {x});
  };
  return b.pointwise("a / max(b, 1)", {count(isRight), count(isKept)});
}

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Loss.cpp.inc"

void WeirDialect::registerLossOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Loss.cpp.inc"
      >();
}

SmallVector<IndexOperand> AccuracyOp::getIndexOperands() {
  return {{1, {getTensorType(getInput()).getShape().back()}, getIgnored()}};
}

SmallVector<IndexOperand> ClassIndexOp::getIndexOperands() {
  return {{0, {static_cast<int64_t>(getClasses())}, getIgnored()}};
}

SmallVector<IndexOperand> SparseSoftmaxCrossEntropyOp::getIndexOperands() {
  return {{1, {getTensorType(getInput()).getShape().back()}, getIgnored()}};
}

static LogicalResult verifyRows(Operation *op, RankedTensorType expected) {
  RankedTensorType found = getTensorType(op->getOperand(1));
  const std::string misfit = describeRows(found, expected);
  if (misfit.empty())
    return success();
  const bool isOneHot =
      expected.getRank() + 1 == found.getRank() &&
      found.getShape() == getTensorType(op->getOperand(0)).getShape();
  return op->emitOpError(misfit)
         << (isOneHot ? "; if these are one-hot labels, weir.arg_max {axis = "
                        "-1, keepdims = false} makes them numbers of classes"
                      : "");
}

/// Whether broadcasting with `large` repeats elements of `small`. An unknown
/// dim may be 1.
static bool isRepeated(RankedTensorType small, RankedTensorType large) {
  ArrayRef<int64_t> own = small.getShape(), other = large.getShape();
  for (size_t behind = 1; behind <= other.size(); ++behind) {
    int64_t dim = behind <= own.size() ? own[own.size() - behind] : 1;
    if (dim == 1 && other[other.size() - behind] > 1)
      return true;
  }
  return false;
}

/// Refuses a loss in which broadcasting repeats both predictions and targets.
/// For example, predictions of 10x1 and targets of 10 would become a loss of
/// 10x10, which compares each prediction with each target. Elements may share a
/// target if only the targets are repeated.
static LogicalResult verifyTargets(Operation *op) {
  RankedTensorType input = getTensorType(op->getOperand(0));
  RankedTensorType target = getTensorType(op->getOperand(1));
  if (!isRepeated(input, target) || !isRepeated(target, input))
    return success();
  std::string loss = shapeToString(toDims(getTensorType(op->getResult(0))));
  InFlightDiagnostic error = op->emitOpError("expects a target for each ");
  error << "element of operand 0 (" << shapeToString(toDims(input))
        << "), found operand 1 (" << shapeToString(toDims(target))
        << "), and broadcasting repeats both to " << loss << "; ";
  if (areReshapes(input, target))
    error << spellReshape(input) << ", or ";
  error << "make one of them " << loss
        << " with weir.expand if each is meant to meet each";
  return error;
}

/// The warning about a loss that repeats predictions or targets of more than
/// one element by broadcasting, or that applies an op twice. Empty if there is
/// nothing to warn of.
static std::string describeShared(Operation *op) {
  for (unsigned number : {0U, 1U}) {
    const RankedTensorType small = getTensorType(op->getOperand(number));
    const RankedTensorType large = getTensorType(op->getOperand(1 - number));
    if (small.getNumElements() == 1 || !isRepeated(small, large))
      continue;
    const std::vector<int64_t> loss = toDims(getTensorType(op->getResult(0)));
    return fmt::format("repeats operand {} ({}) to {}, since operand {} is "
                       "{}; give both one shape, or repeat it with "
                       "weir.expand {{shape = [{}]}} if this is meant",
                       number, shapeToString(toDims(small)),
                       shapeToString(loss), 1 - number,
                       shapeToString(toDims(large)), fmt::join(loss, ", "));
  }
  return opdetail::describeRepeated(op);
}

std::string AbsoluteErrorOp::getDoubt() { return describeShared(*this); }
std::string BinaryCrossEntropyOp::getDoubt() { return describeShared(*this); }
std::string HingeOp::getDoubt() { return describeShared(*this); }
std::string HuberOp::getDoubt() { return describeShared(*this); }
std::string SigmoidCrossEntropyOp::getDoubt() { return describeShared(*this); }
std::string SquaredErrorOp::getDoubt() { return describeShared(*this); }

LogicalResult AbsoluteErrorOp::verify() { return verifyTargets(*this); }
LogicalResult BinaryCrossEntropyOp::verify() { return verifyTargets(*this); }
LogicalResult HingeOp::verify() { return verifyTargets(*this); }
LogicalResult HuberOp::verify() { return verifyTargets(*this); }
LogicalResult SigmoidCrossEntropyOp::verify() { return verifyTargets(*this); }
LogicalResult SquaredErrorOp::verify() { return verifyTargets(*this); }

LogicalResult SoftmaxCrossEntropyOp::verify() {
  return verifyRows(*this, getTensorType(getInput()));
}

/// Checks the labels. There must be at least one class, unless there are no
/// rows.
static LogicalResult verifyLabels(Operation *op, int64_t ignored) {
  // Expressions compare labels with a double.
  constexpr int64_t most = int64_t{1} << 53;
  if (ignored < -most || ignored > most)
    return op->emitOpError("attribute 'ignored' expects a label from -2^53 to "
                           "2^53, found ")
           << ignored << "; ignore another label";
  auto input = getTensorType(op->getOperand(0));
  auto labels = getTensorType(op->getOperand(1));
  // Type inference refuses a scalar.
  if (input.getRank() == 0)
    return success();
  if (failed(verifyRows(op, getLabelType(input))))
    return failure();
  if (input.getShape().back() != 0 ||
      (labels.hasStaticShape() && labels.getNumElements() == 0))
    return success();
  return op->emitOpError("expects at least one class, found operand 0 of ")
         << input;
}

LogicalResult AccuracyOp::verify() {
  if (getK() < 1)
    return emitOpError("attribute 'k' expects a number of classes from 1 on, "
                       "found ")
           << static_cast<int64_t>(getK());
  return verifyLabels(*this, static_cast<int64_t>(getIgnored()));
}

LogicalResult SparseSoftmaxCrossEntropyOp::verify() {
  return verifyLabels(*this, static_cast<int64_t>(getIgnored()));
}
