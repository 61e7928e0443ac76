//===- TrainingMode.cpp - Layers that differ in training --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TrainingMode.h"

#include "TrainingStep.h"

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"

using namespace mlir;
using namespace weir;

/// The weight of the batch in a running statistic: one minus ONNX's momentum.
static constexpr double share = 0.1;

/// The op that assigns each running statistic, by the name of the statistic.
using Averages = llvm::StringMap<AssignOp>;

/// Assigns to the parameter of `running` its average with `current`. The order
/// of operations allows one kernel after the norm to compute the average. Norms
/// that share a parameter update it one after the other.
static void average(BodyBuilder &b, OpBuilder &builder, ReadOp running,
                    Value current, Averages &averages) {
  AssignOp &last = averages[running.getParameter()];
  Value old = last ? last.getValue() : running.getResult();
  BodyValue wide = b.cast(current, getTensorType(old).getElementType());
  BodyValue next = b.value(old) + (wide - b.value(old)) * share;
  if (last)
    last.erase();
  last = AssignOp::create(builder, running.getLoc(), running.getParameterAttr(),
                          next);
}

/// Warns that `norm` does not change, because its `statistic` called `name` is
/// not a parameter.
static void warnOfFixed(BatchNormOp norm, StringRef name, Value statistic) {
  Operation *maker = statistic.getDefiningOp();
  norm.emitWarning("batch norm '")
      << getValueName(norm.getResult())
      << "' uses fixed statistics in training, too: its " << name << " is "
      << (!maker                   ? "an input"
          : isa<ConstantOp>(maker) ? "a constant"
                                   : "computed")
      << ", and no parameter that could keep a running one; make mean and "
         "variance parameters if it is to use those of the batch";
}

/// Finds the ops that drop elements only in training. Removes the marks from
/// these ops and from their masks.
static SmallVector<DropoutOp> takeDropout(func::FuncOp entry) {
  SmallVector<DropoutOp> found;
  for (Operation &op : entry.getBody().front())
    if (op.removeAttr(attrs::onlyTraining))
      if (auto dropout = dyn_cast<DropoutOp>(op))
        found.push_back(dropout);
  return found;
}

void weir::removeDropout(func::FuncOp entry) {
  for (DropoutOp dropout : takeDropout(entry)) {
    dropout.getResult().replaceAllUsesWith(dropout.getInput());
    dropout.erase();
  }
}

LogicalResult weir::setTrainingMode(func::FuncOp entry) {
  SmallVector<DropoutOp> dropouts = takeDropout(entry);
  if (!dropouts.empty()) {
    auto module = entry->getParentOfType<ModuleOp>();
    OpBuilder builder = OpBuilder::atBlockBegin(&entry.getBody().front());
    ParameterOp step = declareStep(module, entry.getLoc());
    if (!step)
      return entry.emitError("drops elements by the number in a parameter "
                             "'step' of type 'tensor<i64>', but what is "
                             "declared is another; rename that one");
    Value count = ReadOp::create(builder, step.getLoc(), step.getType(),
                                 step.getSymName());
    for (DropoutOp dropout : dropouts)
      dropout.getStepMutable().assign(count);
  }
  Averages averages;
  for (auto norm : llvm::to_vector(entry.getOps<BatchNormOp>())) {
    auto mean = norm.getMean().getDefiningOp<ReadOp>();
    auto variance = norm.getVariance().getDefiningOp<ReadOp>();
    if (!mean || !variance) {
      warnOfFixed(norm, mean ? "variance" : "mean",
                  mean ? norm.getVariance() : norm.getMean());
      continue;
    }
    OpBuilder builder(norm);
    BodyBuilder b(builder, norm);
    auto made = BatchNormTrainingOp::create(
        builder, norm.getLoc(),
        ValueRange{norm.getX(), norm.getScale(), norm.getBias()},
        builder.getNamedAttr("epsilon", norm.getEpsilonAttr()));
    annotateLike(made, norm);
    average(b, builder, mean, made->getResult(1), averages);
    average(b, builder, variance, made->getResult(2), averages);
    norm.getResult().replaceAllUsesWith(made->getResult(0));
    norm.erase();
  }
  return success();
}
