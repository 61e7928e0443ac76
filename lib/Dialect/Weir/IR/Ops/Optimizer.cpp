//===- Optimizer.cpp - The Optimizer family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/Training.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// The types of the updated parameter and of `numStates` tensors like it.
static StatusOr<SmallVector<Type>> inferForUpdate(TypeRange operands,
                                                  size_t numStates) {
  auto type = withoutLayout(cast<RankedTensorType>(operands.front()));
  return SmallVector<Type>(numStates + 1, type);
}

/// The gradient of the loss plus the gradient of the weight penalty.
static BodyValue addDecay(BodyBuilder &b, Value parameter, Value gradient) {
  const bool isApart = b.attr("decoupled_decay") != 0;
  const double decay = isApart ? 0 : b.attr("weight_decay");
  const double l1 = b.attr("l1_decay");
  if (decay == 0 && l1 == 0)
    return b.value(gradient);
  std::string expression = "a";
  if (decay != 0)
    expression += fmt::format(" + {} * b", decay);
  if (l1 != 0)
    expression +=
        fmt::format(" + select(0 < b, {0}, select(b < 0, -{0}, 0))", l1);
  return b.pointwise(expression, {gradient, parameter});
}

/// The parameter after decoupled weight decay.
static BodyValue decayApart(BodyBuilder &b, Value parameter, Value rate) {
  const double decay = b.attr("weight_decay");
  if (decay == 0 || b.attr("decoupled_decay") == 0)
    return b.value(parameter);
  return b.pointwise(fmt::format("a * (1 - {} * b)", decay), {parameter, rate});
}

/// A moving average: rest * average + (1 - rest) * expression. In `expression`,
/// `b` is the gradient `g`.
static BodyValue moveAverage(BodyBuilder &b, StringRef expression, double rest,
                             Value average, Value g) {
  return b.pointwise(fmt::format("{} * a + {} * {}", rest, 1 - rest,
                                 std::string_view(expression)),
                     {average, g});
}

/// Computes `expression` with the op's epsilon in place of {}.
static BodyValue withEpsilon(BodyBuilder &b, const char *expression,
                             ArrayRef<Value> operands) {
  return b.pointwise(fmt::format(fmt::runtime(expression), b.attr("epsilon")),
                     operands);
}

static BodyValue divideByRoot(BodyBuilder &b, Value g, Value squares,
                              bool isInside) {
  return withEpsilon(b, isInside ? "a / sqrt(b + {})" : "a / (sqrt(b) + {})",
                     {g, squares});
}

/// The next value of the momentum `buffer` after `step` is added.
static BodyValue addMomentum(BodyBuilder &b, bool isRateInside, Value buffer,
                             Value step, Value rate) {
  const double momentum = b.attr("momentum");
  if (isRateInside)
    return b.pointwise(fmt::format("{} * a + c * b", momentum),
                       {buffer, step, rate});
  return b.pointwise(fmt::format("{} * a + b", momentum), {buffer, step});
}

/// Subtracts `step` from `parameter`. `isRateInside` says whether `step`
/// already contains the rate.
static BodyValue moveBy(BodyBuilder &b, bool isRateInside, Value parameter,
                        Value step, Value rate) {
  if (isRateInside)
    return b.pointwise("a - b", {parameter, step});
  return b.pointwise("a - c * b", {parameter, step, rate});
}

static SmallVector<Value> updateByRmsprop(BodyBuilder &b, RmspropUpdateOp op,
                                          ArrayRef<Value> operands) {
  Value rate = operands[2];
  ArrayRef<Value> state = operands.drop_front(3);
  BodyValue g = addDecay(b, operands[0], operands[1]);
  BodyValue w = decayApart(b, operands[0], rate);
  const double rho = b.attr("rho");
  BodyValue squares = moveAverage(b, "b * b", rho, state[0], g);
  SmallVector<Value> next = {squares};
  BodyValue spread = squares;
  if (op.getCentered()) {
    BodyValue average = moveAverage(b, "b", rho, state[1], g);
    next.push_back(average);
    // Rounding must not make the variance negative.
    spread = b.pointwise("max(a - b * b, 0)", {squares, average});
  }
  BodyValue step = divideByRoot(b, g, spread, op.getEpsilonInside());
  bool isRateInside = false;
  if (state.size() > next.size()) {
    isRateInside = op.getRateInside();
    step = addMomentum(b, isRateInside, state.back(), step, rate);
    next.push_back(step);
  }
  next.insert(next.begin(), moveBy(b, isRateInside, w, step, rate));
  return next;
}

static SmallVector<Value> updateBySgd(BodyBuilder &b, SgdUpdateOp op,
                                      ArrayRef<Value> operands) {
  Value rate = operands[2];
  BodyValue g = addDecay(b, operands[0], operands[1]);
  BodyValue w = decayApart(b, operands[0], rate);
  if (operands.size() == 3)
    return {moveBy(b, /*isRateInside=*/false, w, g, rate)};
  const bool isRateInside = op.getRateInside();
  BodyValue buffer = addMomentum(b, isRateInside, operands[3], g, rate);
  BodyValue step = buffer;
  // Nesterov's look-ahead: the momentum is applied once more.
  if (op.getNesterov())
    step = addMomentum(b, isRateInside, buffer, g, rate);
  return {moveBy(b, isRateInside, w, step, rate), buffer};
}

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Optimizer.cpp.inc"

void WeirDialect::registerOptimizerOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Optimizer.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// State and scalars
//===----------------------------------------------------------------------===//

using States = SmallVector<UpdateState>;

States AdadeltaUpdateOp::listState(const AttrMap &) {
  return {{"square_avg"}, {"acc_delta"}};
}

States AdagradUpdateOp::listState(const AttrMap &attrs) {
  return {{"sum", attrs.floatOr("initial", 0)}};
}

static States listAdamState() { return {{"exp_avg"}, {"exp_avg_sq"}}; }
States AdamUpdateOp::listState(const AttrMap &) { return listAdamState(); }
States AdamWUpdateOp::listState(const AttrMap &) { return listAdamState(); }

States RmspropUpdateOp::listState(const AttrMap &attrs) {
  States states = {{"square_avg"}};
  if (attrs.intOr("centered", 0))
    states.push_back({"grad_avg"});
  if (attrs.floatOr("momentum", 0) != 0)
    states.push_back({"momentum_buffer"});
  return states;
}

States SgdUpdateOp::listState(const AttrMap &attrs) {
  if (attrs.floatOr("momentum", 0) == 0)
    return {};
  return {{"momentum_buffer"}};
}

/// The rate, and the corrections for averages that start from 0.
static SmallVector<Value> correctAdam(BodyBuilder &b, const AttrMap &attrs,
                                      Value rate, Value count) {
  auto correct = [&](const char *form, const char *beta) {
    return b.pointwise(fmt::format(fmt::runtime(form), attrs.floatOr(beta, 0)),
                       {count});
  };
  return {rate, correct("1 / (1 - pow({}, a + 1))", "beta1"),
          correct("1 / sqrt(1 - pow({}, a + 1))", "beta2")};
}

SmallVector<Value> AdamUpdateOp::buildScalars(BodyBuilder &b,
                                              const AttrMap &attrs, Value rate,
                                              Value count) {
  return correctAdam(b, attrs, rate, count);
}

SmallVector<Value> AdamWUpdateOp::buildScalars(BodyBuilder &b,
                                               const AttrMap &attrs, Value rate,
                                               Value count) {
  return correctAdam(b, attrs, rate, count);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Checks the numbers of an update, and the types of its operands. The
/// parameter, the gradient and the state have one type. The operands between
/// the gradient and the state are scalars, which may have other types.
static LogicalResult verifyUpdate(Operation *op, OperandRange state,
                                  ArrayRef<UpdateState> expected) {
  if (Status status = checkUpdateNumbers(toAttrMap(op->getAttrDictionary()));
      !status.isOk())
    return op->emitOpError() << status.message();
  if (state.size() != expected.size()) {
    auto error = op->emitOpError("expects ");
    error << expected.size() << " tensors behind the scalars";
    for (auto [number, each] : llvm::enumerate(expected))
      error << (number == 0 ? ": " : ", ") << each.name;
    return error << ", found " << state.size();
  }
  auto type = withoutLayout(getTensorType(op->getOperand(0)));
  const size_t firstState = op->getNumOperands() - state.size();
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    auto found = withoutLayout(getTensorType(operand));
    const bool isScalar = number >= 2 && number < firstState;
    if (isScalar && found.getRank() != 0)
      return op->emitOpError("expects a scalar as operand ")
             << number << ", found " << found;
    if (!isScalar && found != type)
      return op->emitOpError("expects operand ")
             << number << " of the parameter's type " << type << ", found "
             << found;
  }
  return success();
}

template <typename Op> static LogicalResult verifyOne(Op op) {
  return verifyUpdate(op, op.getState(),
                      Op::listState(toAttrMap(op->getAttrDictionary())));
}

LogicalResult AdadeltaUpdateOp::verify() { return verifyOne(*this); }
LogicalResult AdagradUpdateOp::verify() { return verifyOne(*this); }
LogicalResult AdamUpdateOp::verify() { return verifyOne(*this); }
LogicalResult AdamWUpdateOp::verify() { return verifyOne(*this); }
LogicalResult RmspropUpdateOp::verify() { return verifyOne(*this); }
LogicalResult SgdUpdateOp::verify() { return verifyOne(*this); }

LogicalResult MinimizeOp::verify() {
  return success(succeeded(readTraining(*this)));
}
