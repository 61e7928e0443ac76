//===- DerivableValues.cpp - Values that depend on parameters alone -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Folding/DerivableValues.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/Folding/Folding.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"

using namespace mlir;
using namespace weir;

DerivableValues::DerivableValues(func::FuncOp entry,
                                 const ParameterFacts &facts) {
  for (BlockArgument argument : entry.getArguments()) {
    Attribute parameter = getParameter(entry, argument);
    if (parameter && !facts.isAssigned(parameter))
      values.insert(argument);
  }
  for (Operation &op : entry.getBody().front())
    add(&op);
}

void DerivableValues::add(Operation *op) {
  auto weirOp = dyn_cast<WeirOpInterface>(op);
  bool isKnown = isa<ConstantOp>(op) ||
                 (weirOp && isEvaluable(weirOp) &&
                  llvm::all_of(op->getOperands(), [&](Value operand) {
                    return values.contains(operand);
                  }));
  if (isKnown)
    values.insert(op->result_begin(), op->result_end());
}

void DerivableValues::remove(Operation *op) {
  for (Value result : op->getResults())
    values.erase(result);
}
