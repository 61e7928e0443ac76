//===- Differentiate.cpp - Builds the ops that compute gradients ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Reverse-mode differentiation: from the loss backwards, the gradients of an
// op's results are turned into those of its operands, and the contributions of
// several readers are added. The record of the op determines how:
// - The record may have code that builds the gradients.
// - The gradient of a leaf is a leaf, by the rule of its combiner.
// - A composite's body is differentiated. Values in the body that gradients
//   need are computed again, so that they take no memory in between.
//
//===----------------------------------------------------------------------===//

#include "LeafForm.h"
#include "MatchRecord.h"
#include "OpNumbers.h"

#include "weir/Dialect/Weir/IR/BuildMoves.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Training/Passes.h"

#include "llvm/ADT/MapVector.h"

namespace weir {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "weir/Dialect/Weir/Transforms/Training/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

static bool isFloat(Value value) {
  return isa<FloatType>(getTensorType(value).getElementType());
}

namespace {
/// Computes the gradients of one scalar.
class ReversePass {
public:
  /// Ops are created at the insertion point of `builder`.
  ReversePass(OpBuilder &builder, ArrayRef<LeafRecord> leaves)
      : builder(builder), leaves(leaves) {}

  /// Marks that the gradient of `value` is wanted.
  void want(Value value) { active.insert(value); }
  /// Adds `gradient` to the gradient of `value`.
  void add(Value value, Value gradient, Operation *reader);
  /// The gradient of `value`; null if it is zero.
  Value get(Value value) const { return gradients.lookup(value); }
  bool isActive(Value value) const { return active.contains(value); }

  /// Differentiates `ops`, which are in order. First finds the values that
  /// depend on a wanted value, and then goes backwards.
  LogicalResult run(ArrayRef<Operation *> ops);
  /// Notes which results of `op` depend on a wanted value.
  void propagate(Operation *op);

private:
  bool dependsOnWanted(Operation *op) const {
    return llvm::any_of(op->getOperands(),
                        [&](Value operand) { return isActive(operand); });
  }
  bool hasGradient(Operation *op) const {
    return llvm::any_of(op->getResults(), [&](Value result) {
      return isActive(result) && get(result);
    });
  }
  LogicalResult differentiate(Operation *op);
  LogicalResult differentiateOperand(WeirOpInterface op, unsigned number,
                                     Value gradient);
  LogicalResult buildOwn(WeirOpInterface op, ValueRange results, bool &isOwn);
  LogicalResult buildBody(WeirOpInterface op);
  std::optional<Value> buildExtreme(GradientBuilder &build, WeirOpInterface op,
                                    unsigned number, Value gradient);
  std::optional<Value> buildReductionByProduct(GradientBuilder &build,
                                               WeirOpInterface op,
                                               Value gradient);
  GradientBuilder at(Operation *op, StringRef part);

  OpBuilder &builder;
  ArrayRef<LeafRecord> leaves;
  /// The name of the composite whose body is differentiated; empty if there is
  /// none. All new ops are named after the composite.
  std::string composite;
  llvm::DenseSet<Value> active;
  llvm::DenseMap<Value, Value> gradients;
};
} // namespace

/// A builder of ops for the gradient of `part` of `op`, named as in
/// "conv1.grad.weight".
GradientBuilder ReversePass::at(Operation *op, StringRef part) {
  StringRef of = composite.empty() ? getOpName(op) : StringRef(composite);
  std::string name = (of + ".grad").str();
  if (!part.empty())
    name += ("." + part).str();
  return GradientBuilder(
      builder, NameLoc::get(builder.getStringAttr(name), op->getLoc()), op,
      leaves);
}

/// The tensor of which `value` is a broadcast, or `value` itself.
static Value getRepeated(Value value) {
  Value repeated = getBroadcast(value);
  return repeated ? repeated : value;
}

/// If a contribution is a broadcast, the tensor before the broadcast is added
/// instead, because an addition broadcasts its smaller operand by itself.
void ReversePass::add(Value value, Value gradient, Operation *reader) {
  Value &sum = gradients[value];
  if (!sum) {
    sum = gradient;
    return;
  }
  GradientBuilder build = at(reader, "sum");
  ArrayRef<int64_t> shape = getTensorType(sum).getShape();
  sum = build.make<AddOp>({getRepeated(sum), getRepeated(gradient)});
  if (getTensorType(sum).getShape() != shape)
    sum = build.expand(sum, shape);
}

void ReversePass::propagate(Operation *op) {
  if (isa<StopGradientOp>(op) || !dependsOnWanted(op))
    return;
  for (Value result : op->getResults())
    if (isa<RankedTensorType>(result.getType()) && isFloat(result))
      active.insert(result);
}

LogicalResult ReversePass::run(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    propagate(op);
  for (Operation *op : llvm::reverse(ops))
    if (dependsOnWanted(op) && hasGradient(op) && failed(differentiate(op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static LogicalResult refuse(Operation *op, StringRef reason) {
  return op->emitOpError("has no gradient: ")
         << reason << "; put weir.stop_gradient in front of it if none is "
         << "meant to flow through it";
}

/// Calls `build`, and then `visit` with each op that it has created.
template <typename BuildFn, typename VisitFn>
static void visitNew(OpBuilder &builder, BuildFn build, VisitFn visit) {
  Block *block = builder.getInsertionBlock();
  Block::iterator end = builder.getInsertionPoint();
  Operation *last = end == block->begin() ? nullptr : &*std::prev(end);
  build();
  Block::iterator begin =
      last ? std::next(last->getIterator()) : block->begin();
  for (Operation &made : llvm::make_range(begin, end))
    visit(&made);
}

/// Uses the gradient code of the record, if there is any.
LogicalResult ReversePass::buildOwn(WeirOpInterface op, ValueRange results,
                                    bool &isOwn) {
  std::optional<SmallVector<Value>> own;
  const Location location = at(op, "").getLocation();
  visitNew(
      builder, [&] { own = op.buildGradient(builder, results); },
      [&](Operation *made) {
        made->setLoc(location);
        annotateLike(made, op);
      });
  isOwn = own.has_value();
  if (!isOwn)
    return success();
  for (auto [operand, gradient] : llvm::zip_equal(op->getOperands(), *own))
    if (gradient && isActive(operand))
      add(operand, gradient, op);
  return success();
}

/// Differentiates the body of a composite.
LogicalResult ReversePass::buildBody(WeirOpInterface op) {
  SmallVector<Value> values;
  SmallVector<Operation *> parts;
  const Location location = at(op, "body").getLocation();
  visitNew(
      builder, [&] { values = op.expandBody(builder); },
      [&](Operation *made) {
        made->setLoc(location);
        annotateLike(made, op);
        parts.push_back(made);
      });
  for (auto [value, result] : llvm::zip_equal(values, op->getResults()))
    if (Value gradient = get(result))
      add(value, gradient, op);
  std::string outer = composite;
  if (composite.empty())
    composite = getOpName(op).str();
  LogicalResult outcome = run(parts);
  composite = outer;
  return outcome;
}

/// The gradient of a maximum or minimum. Points that share the extreme share
/// its gradient evenly.
std::optional<Value> ReversePass::buildExtreme(GradientBuilder &build,
                                               WeirOpInterface op,
                                               unsigned number,
                                               Value gradient) {
  const OpRecord &record = op.getOpRecord();
  if (op->getNumOperands() != 1 || record.getExpressionText() != "a")
    return std::nullopt;
  BoundSpec spec = getNamedSpec(op);
  LeafForm count;
  count.spec = spec;
  count.spec.operands = {spec.operands[0], spec.result};
  count.spec.result = spec.result;
  count.operands = {op->getOperand(0), op->getResult(0)};
  count.expression = "select(a == b, 1, 0)";
  count.combiner = Combiner::Sum;
  count.elementType = getTensorType(gradient).getElementType();
  Value ties = buildForm(build, count);
  if (!ties)
    return std::nullopt;
  Value share = build.make<DivOp>({gradient, ties});
  LeafForm form;
  form.spec = spec;
  form.spec.operands = {spec.result, spec.operands[0], spec.result};
  form.spec.result = spec.operands[0];
  form.spec.resultDims = toDims(getTensorType(op->getOperand(number)));
  form.spec.markReductions();
  form.operands = {share, op->getOperand(0), op->getResult(0)};
  form.expression = "select(b == c, a, 0)";
  form.combiner = Combiner::Sum;
  form.elementType = count.elementType;
  return buildForm(build, form);
}

/// The gradient of a reduction by product. The gradient for an element needs
/// the product of all other elements. This is the whole product divided by the
/// element, or the product of the nonzero elements if the element is the only
/// zero.
std::optional<Value>
ReversePass::buildReductionByProduct(GradientBuilder &build, WeirOpInterface op,
                                     Value gradient) {
  const OpRecord &record = op.getOpRecord();
  if (op->getNumOperands() != 1 || record.getExpressionText() != "a")
    return std::nullopt;
  BoundSpec spec = getNamedSpec(op);
  Type type = getTensorType(gradient).getElementType();
  // The expression and the reduction are separate ops, so that the reduction
  // can be differentiated again.
  auto reduce = [&](StringRef expression, Combiner combiner) {
    LeafForm form;
    form.spec = spec;
    form.operands = {
        buildPointwise(build, expression, op->getOperand(0), type,
                       getTensorType(op->getOperand(0)).getShape())};
    form.expression = "a";
    form.combiner = combiner;
    form.elementType = type;
    return buildForm(build, form);
  };
  Value zeros = reduce("select(a == 0, 1, 0)", Combiner::Sum);
  Value others = reduce("select(a == 0, 1, a)", Combiner::Product);
  if (!zeros || !others)
    return std::nullopt;
  // If there is one zero, only the gradient of this zero is nonzero.
  auto shape = getTensorType(gradient).getShape();
  Value scaled =
      buildPointwise(build, "a * b", {gradient, others}, type, shape);
  Value ifNone = buildPointwise(build, "select(b == 0, a, 0)", {scaled, zeros},
                                type, shape);
  Value ifOne = buildPointwise(build, "select(b == 1, a, 0)", {scaled, zeros},
                               type, shape);
  LeafForm form;
  form.spec = spec;
  form.spec.operands = {spec.result, spec.result, spec.operands[0]};
  form.spec.result = spec.operands[0];
  form.spec.resultDims = toDims(getTensorType(op->getOperand(0)));
  form.spec.markReductions();
  form.operands = {ifNone, ifOne, op->getOperand(0)};
  form.expression = "select(c == 0, b, a / c)";
  form.combiner = Combiner::Sum;
  form.elementType = type;
  return buildForm(build, form);
}

LogicalResult ReversePass::differentiateOperand(WeirOpInterface op,
                                                unsigned number,
                                                Value gradient) {
  const OpRecord &record = op.getOpRecord();
  Value operand = op->getOperand(number);
  GradientBuilder build = at(op, record.getOperandName(number));
  const bool isInit = number < record.getIndexSpec().operandTerms().size() &&
                      record.getIndexSpec().operandTerms()[number].isInit;
  std::optional<Value> made;
  BoundSpec bound = bindSpec(op);
  if (bound.runningLoop >= 0)
    return refuse(op, "running values are differentiated only as sums of an "
                      "operand itself (weir.cum_sum)");
  switch (record.getCombiner()) {
  case Combiner::None:
  case Combiner::Sum: {
    if (llvm::any_of(bound.operands[number], [](const AffineIndex &index) {
          return index.indirect >= 0;
        }))
      return refuse(op, "an operand is read at computed indices; use "
                        "weir.take, weir.take_along_axis or weir.gather_nd");
    auto derived = differentiateLeaf(op, number, gradient);
    if (failed(derived))
      return refuse(op, "its derivative is a formula of more than 2000 "
                        "operations or 100 levels; write it as several ops");
    const std::optional<LeafForm> &form = *derived;
    if (!form)
      return success();
    if (form->operands.size() > ScalarExpr::maxOperands)
      return refuse(op, "its derivative reads more than four tensors; write it "
                        "as several ops");
    made = buildForm(build, *form);
    break;
  }
  case Combiner::Maximum:
  case Combiner::Minimum:
    if (!isInit)
      made = buildExtreme(build, op, number, gradient);
    break;
  case Combiner::Product:
    if (!isInit)
      made = buildReductionByProduct(build, op, gradient);
    break;
  }
  if (!made)
    return refuse(op, "maxima, minima and products are differentiated only "
                      "where they combine the elements of one operand and do "
                      "not leave it");
  if (!*made)
    return refuse(op, "its gradient would read outside of a tensor");
  add(operand, *made, op);
  return success();
}

LogicalResult ReversePass::differentiate(Operation *op) {
  auto weirOp = dyn_cast<WeirOpInterface>(op);
  if (!weirOp)
    return refuse(op, "only ops that compute tensors have one");
  SmallVector<Value> results;
  for (Value result : op->getResults()) {
    Value gradient = get(result);
    // Results that nothing reads contribute zeros.
    if (!gradient && isFloat(result))
      gradient = at(op, "zeros").zeros(getTensorType(result));
    results.push_back(gradient);
  }
  bool isOwn = false;
  if (failed(buildOwn(weirOp, results, isOwn)))
    return failure();
  if (isOwn)
    return success();
  const OpRecord &record = weirOp.getOpRecord();
  if (record.isComposite())
    return buildBody(weirOp);
  if (!record.isLeaf())
    return refuse(op, "its record has neither an expression nor a body");
  const BoundSpec spec = bindSpec(weirOp);
  for (OpOperand &operand : op->getOpOperands())
    if (isActive(operand.get()) &&
        findFirstAlike(weirOp, operand.getOperandNumber(), spec) ==
            operand.getOperandNumber() &&
        failed(differentiateOperand(weirOp, operand.getOperandNumber(),
                                    results.front())))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Replaces a weir.gradient by ops. `numbers` has all ops before `op`.
static LogicalResult expandGradient(GradientOp op, ArrayRef<LeafRecord> leaves,
                                    const OpNumbers &numbers) {
  // In release builds, ops are not verified between passes.
  if (failed(op.verify()))
    return failure();
  Value loss = op.getLoss();
  // These lists are copies, because ops may be replaced while gradients are
  // built.
  const SmallVector<Value> of(op.getOf());
  const SmallVector<Operation *> ops = numbers.findBehind(loss);
  OpBuilder builder(op);
  ReversePass pass(builder, leaves);
  for (Value value : of)
    pass.want(value);
  for (Operation *each : ops)
    pass.propagate(each);
  // The loss must depend on each wanted value.
  llvm::DenseSet<Value> reached = {loss};
  for (Operation *each : llvm::reverse(ops))
    if (llvm::any_of(each->getResults(), [&](Value result) {
          return reached.contains(result) && pass.isActive(result);
        }))
      for (Value operand : each->getOperands())
        reached.insert(operand);
  for (auto [number, value] : llvm::enumerate(of))
    if (!reached.contains(value) || !pass.isActive(loss))
      return op.emitOpError("finds no path from '")
             << getValueName(value) << "', operand " << number
             << " after 'of', to the loss '" << getValueName(loss)
             << "'; leave the operand out, or remove the weir.stop_gradient or "
                "the op with an integer result between them";
  auto lossType = getTensorType(loss);
  auto one = DenseElementsAttr::get(
      lossType, builder.getFloatAttr(lossType.getElementType(), 1.0));
  pass.add(loss, ConstantOp::create(builder, op.getLoc(), one), op);
  if (failed(pass.run(ops)))
    return failure();
  if (op->hasAttr(attrs::trains) &&
      llvm::none_of(of, [&](Value value) { return pass.get(value); }))
    return mlir::emitError(op.getLoc())
           << "the loss '" << getValueName(loss)
           << "' trains nothing: on every path from a parameter to it, an op "
              "has the gradient 0, as a comparison, a rounding or an accuracy "
              "has; minimise a loss that changes smoothly with its input";
  SmallVector<Value> results;
  for (Value value : of) {
    Value gradient = pass.get(value);
    if (!gradient)
      gradient = GradientBuilder(builder, op.getLoc(), op, leaves)
                     .zeros(getTensorType(value));
    results.push_back(gradient);
  }
  op.replaceAllUsesWith(results);
  op.erase();
  return success();
}

bool weir::passesGradient(WeirOpInterface op, Value operand) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  ReversePass pass(builder, /*leaves=*/{});
  pass.want(operand);
  Value result = op->getResult(0);
  pass.add(result, result, op);
  return succeeded(pass.run({op.getOperation()})) && pass.get(operand);
}

/// Erases ops without readers among those that were built for gradients.
static void eraseUnused(Block &block) {
  SmallVector<Operation *> ops(
      llvm::make_pointer_range(block.without_terminator()));
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

namespace {
class Differentiate : public weir::impl::DifferentiateBase<Differentiate> {
public:
  using DifferentiateBase::DifferentiateBase;

  void runOnOperation() override {
    const std::vector<LeafRecord> leaves = listLeaves(&getContext());
    auto expand = [&](func::FuncOp entry) { return expandAll(entry, leaves); };
    if (failed(forEachEntry(getOperation(), expand)))
      signalPassFailure();
  }

private:
  static LogicalResult expandAll(func::FuncOp entry,
                                 ArrayRef<LeafRecord> leaves) {
    Block &block = entry.getBody().front();
    SmallVector<GradientOp> gradients(block.getOps<GradientOp>());
    if (!gradients.empty() && failed(checkSizesKnown(entry)))
      return failure();
    // Gradients are expanded in order, so that a gradient of a gradient finds
    // the ops of the first one.
    OpNumbers numbers(block);
    for (GradientOp op : gradients) {
      numbers.extendTo(op);
      if (failed(expandGradient(op, leaves, numbers)))
        return failure();
    }
    for (auto stop :
         llvm::make_early_inc_range(block.getOps<StopGradientOp>())) {
      stop.getResult().replaceAllUsesWith(stop.getInput());
      stop.erase();
    }
    if (!gradients.empty())
      eraseUnused(block);
    return success();
  }
};
} // namespace
