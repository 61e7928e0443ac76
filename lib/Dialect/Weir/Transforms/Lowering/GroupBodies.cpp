//===- GroupBodies.cpp - Changes what is inside of groups -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GroupBodies.h"

#include "weir/Dialect/Weir/IR/Annotation.h"
#include "weir/Dialect/Weir/IR/ValueOrigins.h"

using namespace mlir;
using namespace weir;

void weir::dropUnusedInputs(GroupOp group) {
  Block &block = group.getBlock();
  for (unsigned i = block.getNumArguments(); i-- > 0;)
    if (block.getArgument(i).use_empty()) {
      block.eraseArgument(i);
      group.getInputsMutable().erase(i);
    }
}

GroupOp weir::findOnlyReader(GroupOp group) {
  if (group->getNumResults() != 1 || !group->getResult(0).hasOneUse())
    return {};
  auto reader = dyn_cast<GroupOp>(*group->getResult(0).getUsers().begin());
  bool isBeside = reader && Annotation::of(reader) == Annotation::of(group);
  return isBeside ? reader : GroupOp();
}

/// The argument of the body of `group` for `value`. Adds the argument if there
/// is none.
static Value getArgumentFor(GroupOp group, Value value) {
  Block &block = group.getBlock();
  for (auto [input, argument] :
       llvm::zip(group.getInputs(), block.getArguments()))
    if (input == value)
      return argument;
  group.getInputsMutable().append(value);
  return block.addArgument(value.getType(), value.getLoc());
}

void weir::moveToReader(ArrayRef<WeirOpInterface> ops, Value last) {
  auto group = ops.front()->getParentOfType<GroupOp>();
  GroupOp reader = findOnlyReader(group);
  Value result = group->getResult(0);
  Value read = getArgumentFor(reader, result);
  read.replaceAllUsesWith(ops.back()->getResult(0));
  group.getBlock().getTerminator()->setOperand(0, last);
  result.setType(last.getType());
  read.setType(last.getType());
  Operation *first = &reader.getBlock().front();
  for (WeirOpInterface op : ops) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (Value outside = getOutside(operand.get()))
        operand.set(getArgumentFor(reader, outside));
      else if (operand.get() == last)
        operand.set(read);
    }
    op->moveBefore(first);
  }
  dropUnusedInputs(group);
}
