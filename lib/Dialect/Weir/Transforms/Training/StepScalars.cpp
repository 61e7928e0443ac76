//===- StepScalars.cpp - Numbers that all updates of a step share ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StepScalars.h"

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/BuildLeaf.h"
#include "weir/Dialect/Weir/IR/BuildMoves.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

Value weir::makeScalarLeaf(OpBuilder &builder, Location location,
                           StringRef expression, ValueRange operands,
                           Type type) {
  return makeLeaf(builder, location, operands,
                  getPointwiseSpec(operands.size()), expression, Combiner::None,
                  type);
}

StepScalars::StepScalars(OpBuilder &builder, MinimizeOp op,
                         const TrainingPlan &plan, Value step)
    : builder(builder), op(op), plan(plan) {
  runs = round(step, builder.getF64Type());
  count = runs;
  if (plan.accumulate != 1)
    count = make("count", fmt::format("floor(a / {})", plan.accumulate), runs);
  const std::string factor = plan.schedule.empty() ? "1" : plan.schedule;
  if (plan.rate)
    rate = make("rate", fmt::format("{} * ({})", *plan.rate, factor), count);
  else
    rate = make("rate", fmt::format("b * ({})", factor),
                {count, round(op.getRate(), builder.getF64Type())});
}

Location StepScalars::at(StringRef name) {
  return NameLoc::get(builder.getStringAttr("step." + name), op.getLoc());
}

Value StepScalars::make(StringRef name, StringRef expression,
                        ValueRange operands) {
  return makeScalarLeaf(builder, at(name), expression, operands,
                        builder.getF64Type());
}

Value StepScalars::round(Value value, Type type) {
  if (getTensorType(value).getElementType() == type)
    return value;
  Value &known = rounded[{value, type}];
  if (!known) {
    known = BodyBuilder(builder, op).cast(value, type);
    known.setLoc(at("rounded"));
  }
  return known;
}

ArrayRef<Value> StepScalars::ofGroup(size_t group, const Optimizer &optimizer,
                                     Type type) {
  SmallVector<Value> &known = groups[{group, type}];
  if (!known.empty())
    return known;
  const double share =
      group < plan.groups.size() ? plan.groups[group].rateFactor : 1;
  Value own = share == 1
                  ? rate
                  : make("group_rate", fmt::format("a * {}", share), rate);
  BodyBuilder body(builder, op);
  SmallVector<Value> wide = optimizer.methods().buildScalars(
      body, toAttrMap(optimizer.numbers), own, count);
  SmallVector<Value> made;
  for (Value value : wide)
    made.push_back(round(value, type));
  return groups[{group, type}] = made;
}

Value StepScalars::isLast(Type type) {
  if (!last)
    last =
        make("is_last",
             fmt::format("select(mod(a + 1, {}) == 0, 1, 0)", plan.accumulate),
             runs);
  return round(last, type);
}

/// The sum of `expression` over the elements of `value`, as a scalar of `type`.
static Value sumOf(OpBuilder &builder, Location location, StringRef expression,
                   Value value, Type type) {
  const int64_t size = getTensorType(value).getNumElements();
  return makeLeaf(
      builder, location, makeReshape(builder, location, value, {size}),
      fmt::format("n={}: [n] -> []", size), expression, Combiner::Sum, type);
}

/// The sum of the squares of all elements, as f64. All gradients have one type.
Value StepScalars::sumSquares(ArrayRef<Value> gradients) {
  SmallVector<Value> sums;
  // Elements are widened first, because the squares of 16-bit floats easily
  // exceed their range.
  BodyBuilder body(builder, op);
  for (Value gradient : body.widened(gradients)) {
    Value sum = sumOf(builder, at("squares"), "a * a", gradient,
                      getTensorType(gradient).getElementType());
    sums.push_back(makeReshape(builder, at("norm"), sum, {1}));
  }
  Value all = sums.front();
  if (sums.size() > 1)
    all = ConcatOp::create(
              builder, at("norms"), sums,
              builder.getNamedAttr("axis", builder.getI64IntegerAttr(0)))
              ->getResult(0);
  return sumOf(builder, at("norm"), "a", round(all, builder.getF64Type()),
               builder.getF64Type());
}

void StepScalars::limitNorm(ArrayRef<Value> gradients) {
  llvm::MapVector<Type, SmallVector<Value>> byType;
  for (Value gradient : gradients)
    byType[getTensorType(gradient).getElementType()].push_back(gradient);
  Value sum;
  for (auto &[type, own] : byType) {
    Value part = sumSquares(own);
    sum = sum ? make("norm", "a + b", {sum, part}) : part;
  }
  factor =
      make("share", fmt::format("min(1, {} / (sqrt(a) + 1e-6))", plan.clipNorm),
           sum);
}

Value StepScalars::share(Type type) { return round(factor, type); }
