//===- BuildSteps.cpp - Writes the updates of a training step ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StepMetadata.h"
#include "StepScalars.h"
#include "StepState.h"
#include "TrainedParameters.h"

#include "weir/Dialect/Weir/IR/Annotation.h"
#include "weir/Dialect/Weir/IR/Buckets.h"
#include "weir/Dialect/Weir/IR/BuildMoves.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Training/Passes.h"

#include "llvm/ADT/MapVector.h"

#include <fmt/format.h>

#include <vector>

namespace weir {
#define GEN_PASS_DEF_BUILDSTEPS
#include "weir/Dialect/Weir/Transforms/Training/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
/// The parameters that one op updates: one, or several in a bucket.
struct Unit {
  SmallVector<TrainedParameter> parameters;
  /// The symbol of the parameter or of the bucket.
  std::string name;
  Value value;
  Value gradient;

  size_t group() const { return parameters.front().group; }
  Operation *like() const { return parameters.front().firstReader; }
  SmallVector<StringRef> names() const {
    return llvm::map_to_vector(
        parameters, [](const TrainedParameter &each) { return each.name; });
  }
};

/// Builds the step of one `weir.minimize`.
class StepBuilder {
public:
  StepBuilder(MinimizeOp op, TrainingPlan plan, StepState &states)
      : op(op), plan(std::move(plan)), states(states), builder(op) {}

  /// Decides which parameters are updated together.
  LogicalResult choose(llvm::StringSet<> &taken);
  /// Checks that one counter can count the runs of this step and of `other`,
  /// which may be in another entry.
  LogicalResult checkCount(const StepBuilder &other);
  LogicalResult build();

private:
  SmallVector<StringRef> sortedNames() const;
  FailureOr<Value> readStep();
  void readUnits();
  Optimizer getOptimizer(const Unit &unit) const;
  void makeScalars(const Unit &unit);
  LogicalResult accumulate();
  void clip();
  LogicalResult update(const Unit &unit);
  void assign(StringRef parameter, Value value);
  Value keepUnlessUpdated(Value old, Value next, const Unit &unit);
  FailureOr<Value> readState(const Unit &unit, const UpdateState &state);
  Value leaf(StringRef expression, ValueRange operands, const Unit &unit,
             StringRef part);

  MinimizeOp op;
  TrainingPlan plan;
  StepState &states;
  OpBuilder builder;
  SmallVector<Unit> units;
  std::optional<StepScalars> scalars;
};
} // namespace

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

/// Divides `parameters` into at most four units of about equal size, in the
/// order of the backward part. So the first units can be updated during the
/// backward part, which frees the memory of their gradients. Small parameters
/// stay together, because a launch for each of them would cost more than it
/// saves.
static SmallVector<Unit> divide(ArrayRef<TrainedParameter> parameters) {
  constexpr uint64_t most = 4, leastBytes = uint64_t{4} << 20;
  auto bytesOf = [](TrainedParameter each) -> uint64_t {
    auto type = getTensorType(each.read.getResult());
    return type.getNumElements() * (type.getElementTypeBitWidth() / 8);
  };
  uint64_t left = 0;
  for (const TrainedParameter &each : parameters)
    left += bytesOf(each);
  const uint64_t part = std::max(llvm::divideCeil(left, most), leastBytes);
  SmallVector<Unit> units(1);
  uint64_t taken = 0;
  for (const TrainedParameter &each : parameters) {
    // A rest that is too small for a unit of its own becomes part of the last
    // unit.
    if (taken >= part && left >= leastBytes) {
      units.emplace_back();
      taken = 0;
    }
    units.back().parameters.push_back(each);
    taken += bytesOf(each);
    left -= bytesOf(each);
  }
  return units;
}

/// Chooses the parameters that are updated together. One op can update several
/// parameters if they have one element type, one group, one device and one
/// stage. The parameters are in the order of the backward part.
LogicalResult StepBuilder::choose(llvm::StringSet<> &taken) {
  FailureOr<SmallVector<TrainedParameter>> trained =
      chooseTrained(op, plan, taken);
  if (failed(trained))
    return failure();
  using Key = std::tuple<Type, size_t, Attribute, Attribute>;
  llvm::MapVector<Key, SmallVector<TrainedParameter>> byKey;
  for (TrainedParameter &each : *trained) {
    const Annotation asked = Annotation::of(each.firstReader);
    Type type = getTensorType(each.read.getResult()).getElementType();
    byKey[{type, each.group, asked.device, asked.stage}].push_back(each);
  }
  for (auto &[key, parameters] : byKey)
    for (Unit &unit : divide(parameters)) {
      states.noteTogether(unit.names());
      units.push_back(std::move(unit));
    }
  return success();
}

/// Divides units whose parameters cannot be in a bucket. Then reads the
/// parameters and asks for their gradients.
void StepBuilder::readUnits() {
  SmallVector<Unit> wanted;
  for (Unit &unit : units)
    if (unit.parameters.size() > 1 && states.areAlwaysTogether(unit.names()))
      wanted.push_back(std::move(unit));
    else
      for (TrainedParameter &each : unit.parameters)
        wanted.push_back({{each}, each.name.str(), {}, {}});
  units = std::move(wanted);
  SmallVector<Value> of;
  for (Unit &unit : units)
    for (TrainedParameter &each : unit.parameters)
      of.push_back(each.read.getResult());
  auto gradient = GradientOp::create(builder, op.getLoc(), op.getLoss(), of);
  gradient->setAttr(attrs::trains, builder.getUnitAttr());
  ValueRange gradients = gradient.getResults();
  for (Unit &unit : units) {
    const size_t count = unit.parameters.size();
    unit.value = unit.parameters.front().read.getResult();
    unit.gradient = gradients.front();
    if (count > 1) {
      BucketOp bucket = states.getBucket(unit.names(), "", op.getLoc());
      unit.name = bucket.getSymName().str();
      auto location = NameLoc::get(
          builder.getStringAttr(unit.name + ".gradient"), op.getLoc());
      unit.gradient = makePack(builder, location, gradients.take_front(count));
      annotateLike(unit.gradient.getDefiningOp(), unit.like());
      unit.value = ReadOp::create(builder, bucket.getLoc(), bucket.getType(),
                                  bucket.getSymName());
    }
    gradients = gradients.drop_front(count);
  }
}

Value StepBuilder::leaf(StringRef expression, ValueRange operands,
                        const Unit &unit, StringRef part) {
  const std::string name = (unit.name + "." + part).str();
  Value made = makeScalarLeaf(
      builder, NameLoc::get(builder.getStringAttr(name), op.getLoc()),
      expression, operands, getTensorType(operands.front()).getElementType());
  annotateLike(made.getDefiningOp(), unit.like());
  return made;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

/// The number of runs before this one. Each entry increments the counter once.
FailureOr<Value> StepBuilder::readStep() {
  FailureOr<ParameterOp> step = states.getStep(op);
  if (failed(step))
    return failure();
  auto name = FlatSymbolRefAttr::get(step->getSymNameAttr());
  Block &block = *op->getBlock();
  OpBuilder atStart = OpBuilder::atBlockBegin(&block);
  Value count = ReadOp::create(atStart, step->getLoc(), step->getType(), name);
  for (auto assign : block.getOps<AssignOp>())
    if (assign.getParameterAttr() == name) {
      if (assign->hasAttr(StepScalars::counts))
        return count;
      return assign.emitOpError("assigns 'step', which weir.minimize counts; "
                                "leave the assignment out");
    }
  Value next = makeScalarLeaf(
      builder, NameLoc::get(builder.getStringAttr("step.next"), op.getLoc()),
      "a + 1", count, builder.getI64Type());
  auto assign = AssignOp::create(builder, op.getLoc(), name, next);
  assign->setAttr(StepScalars::counts, builder.getUnitAttr());
  return count;
}

/// Reads `state` of the parameters of `unit`. If the parameters are in a
/// bucket, the state is in a bucket too.
FailureOr<Value> StepBuilder::readState(const Unit &unit,
                                        const UpdateState &state) {
  SmallVector<std::string> names;
  for (TrainedParameter each : unit.parameters) {
    names.push_back((each.name + "." + state.name).str());
    if (failed(states.getState(names.back(), each.read.getType(), state.initial,
                               op)))
      return failure();
  }
  std::string symbol = names.front();
  if (names.size() > 1) {
    SmallVector<StringRef> parts(names.begin(), names.end());
    symbol =
        states
            .getBucket(parts, (unit.name + "." + state.name).str(), op.getLoc())
            .getSymName()
            .str();
  }
  return Value(ReadOp::create(
      builder, NameLoc::get(builder.getStringAttr(symbol), op.getLoc()),
      unit.value.getType(), symbol));
}

void StepBuilder::assign(StringRef parameter, Value value) {
  AssignOp::create(
      builder, NameLoc::get(builder.getStringAttr(parameter), op.getLoc()),
      FlatSymbolRefAttr::get(builder.getContext(), parameter), value);
}

/// The symbol of the parameter that `value`, a result of `readState`, reads.
static StringRef getSymbol(Value value) {
  return value.getDefiningOp<ReadOp>().getParameter();
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

/// `next` in a run that ends a batch, else `old`.
Value StepBuilder::keepUnlessUpdated(Value old, Value next, const Unit &unit) {
  if (plan.accumulate == 1)
    return next;
  Value isLast = scalars->isLast(getTensorType(old).getElementType());
  return leaf("select(c == 0, a, b)", {old, next, isLast}, unit, "kept");
}

/// Accumulates the gradients of several runs, and continues with their mean.
LogicalResult StepBuilder::accumulate() {
  if (plan.accumulate == 1)
    return success();
  for (Unit &unit : units) {
    FailureOr<Value> before = readState(unit, {"accumulated"});
    if (failed(before))
      return failure();
    Value sum = leaf("a + b", {*before, unit.gradient}, unit, "sum");
    Value isLast = scalars->isLast(getTensorType(sum).getElementType());
    assign(getSymbol(*before),
           leaf("select(b == 0, a, 0)", {sum, isLast}, unit, "accumulated"));
    unit.gradient =
        leaf(fmt::format("a / {}", plan.accumulate), sum, unit, "mean");
  }
  return success();
}

void StepBuilder::clip() {
  if (plan.clipValue != 0)
    for (Unit &unit : units)
      unit.gradient =
          leaf(fmt::format("max(min(a, {0}), -{0})", plan.clipValue),
               unit.gradient, unit, "clipped");
  if (plan.clipNorm == 0)
    return;
  SmallVector<Value> gradients;
  for (const Unit &unit : units)
    gradients.push_back(unit.gradient);
  scalars->limitNorm(gradients);
  for (Unit &unit : units)
    unit.gradient =
        leaf("a * b",
             {unit.gradient,
              scalars->share(getTensorType(unit.gradient).getElementType())},
             unit, "scaled");
}

/// The optimiser with the numbers of the group of `unit`.
Optimizer StepBuilder::getOptimizer(const Unit &unit) const {
  Optimizer optimizer = plan.optimizer;
  if (unit.group() < plan.groups.size())
    optimizer.numbers = plan.groups[unit.group()].numbers;
  return optimizer;
}

/// Makes the scalars that the update of `unit` needs, except for those that
/// need gradients.
void StepBuilder::makeScalars(const Unit &unit) {
  TrainedParameter first = unit.parameters.front();
  Type type = getTensorType(first.read.getResult()).getElementType();
  (void)scalars->ofGroup(unit.group(), getOptimizer(unit), type);
  if (plan.accumulate != 1)
    (void)scalars->isLast(type);
}

LogicalResult StepBuilder::update(const Unit &unit) {
  const Optimizer optimizer = getOptimizer(unit);
  auto type = getTensorType(unit.value);
  SmallVector<Value> operands = {unit.value, unit.gradient};
  llvm::append_range(operands, scalars->ofGroup(unit.group(), optimizer,
                                                type.getElementType()));
  SmallVector<Value> before = {unit.value};
  for (const UpdateState &state : optimizer.listState()) {
    FailureOr<Value> value = readState(unit, state);
    if (failed(value))
      return failure();
    before.push_back(*value);
    operands.push_back(*value);
  }
  OperationState made(
      NameLoc::get(builder.getStringAttr(unit.name + ".update"), op.getLoc()),
      optimizer.update, operands, SmallVector<Type>(before.size(), type),
      optimizer.numbers.getValue());
  Operation *updated = builder.create(made);
  annotateLike(updated, unit.like());
  for (auto [old, next] : llvm::zip_equal(before, updated->getResults()))
    assign(getSymbol(old), keepUnlessUpdated(old, next, unit));
  return success();
}

SmallVector<StringRef> StepBuilder::sortedNames() const {
  SmallVector<StringRef> names;
  for (const Unit &unit : units)
    llvm::append_range(names, unit.names());
  llvm::sort(names);
  return names;
}

LogicalResult StepBuilder::checkCount(const StepBuilder &other) {
  if (plan.accumulate == 1 || op->getBlock() == other.op->getBlock() ||
      (plan.accumulate == other.plan.accumulate &&
       sortedNames() == other.sortedNames()))
    return success();
  InFlightDiagnostic error = op.emitOpError(
      "averages gradients over runs, and 'step' counts the runs of all entries "
      "that train; let them train the same parameters with equal 'accumulate', "
      "or leave 'accumulate' out");
  error.attachNote(other.op->getLoc()) << "another entry trains here";
  return error;
}

LogicalResult StepBuilder::build() {
  FailureOr<Value> step = readStep();
  if (failed(step))
    return failure();
  // Scalars are computed before the backward part, so that no update waits for
  // the end of that part.
  scalars.emplace(builder, op, plan, *step);
  for (const Unit &unit : units)
    makeScalars(unit);
  readUnits();
  if (failed(accumulate()))
    return failure();
  clip();
  for (const Unit &unit : units)
    if (failed(update(unit)))
      return failure();
  op.erase();
  return success();
}

namespace {
class BuildSteps : public weir::impl::BuildStepsBase<BuildSteps> {
public:
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

private:
  LogicalResult run() {
    StepState states(getOperation());
    // Whether parameters can be in a bucket depends on all steps.
    std::vector<StepBuilder> steps;
    auto choose = [&](func::FuncOp entry) -> LogicalResult {
      llvm::StringSet<> taken;
      size_t number = 0;
      for (auto op : entry.getOps<MinimizeOp>()) {
        FailureOr<TrainingPlan> plan = readTraining(op);
        if (failed(plan))
          return failure();
        addStepMetadata(op, *plan, entry.getSymName(), number++);
        steps.emplace_back(op, *std::move(plan), states);
        if (failed(steps.back().choose(taken)))
          return failure();
      }
      return success();
    };
    if (failed(forEachEntry(getOperation(), choose)))
      return failure();
    for (StepBuilder &step : steps)
      for (const StepBuilder &other : steps)
        if (failed(step.checkCount(other)))
          return failure();
    for (StepBuilder &step : steps)
      if (failed(step.build()))
        return failure();
    getOperation().walk(
        [](AssignOp assign) { assign->removeAttr(StepScalars::counts); });
    return success();
  }
};
} // namespace
