//===- ValueOrigins.cpp - Where values of groups come from ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/ValueOrigins.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

using namespace mlir;
using namespace weir;

Value weir::getOutside(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto group = argument ? dyn_cast<GroupOp>(argument.getOwner()->getParentOp())
                        : GroupOp();
  return group ? group.getInputs()[argument.getArgNumber()] : Value();
}

Value weir::getInside(Value value) {
  auto group = value.getDefiningOp<GroupOp>();
  return group ? group.getBlock().getTerminator()->getOperand(
                     cast<OpResult>(value).getResultNumber())
               : Value();
}

Value weir::getOrigin(Value value) {
  while (true)
    if (Value outside = getOutside(value))
      value = outside;
    else if (Value inside = getInside(value))
      value = inside;
    else
      return value;
}

ValueOrigins::ValueOrigins(
    func::FuncOp function,
    llvm::function_ref<bool(StringAttr, StringAttr)> shareMemory) {
  for (Operation &op : function.getBody().front()) {
    if (auto copy = dyn_cast<CopyOp>(op);
        copy && shareMemory(copy.getFromAttr(), copy.getToAttr()))
      roots[copy.getResult()] = getRoot(copy.getInput());
    auto group = dyn_cast<GroupOp>(op);
    if (!group)
      continue;
    for (BlockArgument argument : group.getBlock().getArguments())
      sources[argument] = getSource(getOutside(argument));
    for (auto view : group.getBlock().getOps<ViewOp>())
      sources[view.getResult()] = getSource(view.getInput());
    for (Value result : group.getResults())
      sources[result] = getSource(getInside(result));
  }
}

Value ValueOrigins::getSource(Value value) const {
  Value source = sources.lookup(value);
  return source ? source : value;
}

Value ValueOrigins::getRoot(Value value) const {
  Value source = getSource(value), root = roots.lookup(source);
  return root ? root : source;
}
