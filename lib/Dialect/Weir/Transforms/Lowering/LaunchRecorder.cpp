//===- LaunchRecorder.cpp - Keeps the ops of library launches -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LaunchRecorder.h"

#include "weir/Dialect/Weir/IR/Annotation.h"
#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

using namespace mlir;
using namespace weir;

/// The number of the operand by which `op` reads the result of `before`.
static unsigned findRunning(Operation *before, Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == before->getResult(0))
      return operand.getOperandNumber();
  llvm_unreachable("each op of a chain reads the one before");
}

static OpMeaning describeLaunch(ArrayRef<WeirOpInterface> chain,
                                LaunchOp launch) {
  OpMeaning meaning;
  auto add = [&](const auto &unique) {
    meaning.push_back(unique.getAsOpaquePointer());
  };
  add(launch.getKernelAttr());
  add(launch.getConfig());
  add(launch.getPostOps());
  add(launch.getCopies());
  for (Type type : launch->getOperandTypes())
    add(type);
  for (Type type : launch->getResultTypes())
    add(type);
  for (auto [i, op] : llvm::enumerate(chain)) {
    add(op->getName());
    add(getMeaningAttrs(op));
    add(op->getResult(0).getType());
    if (i > 0)
      meaning.push_back(reinterpret_cast<const void *>(
          uintptr_t{findRunning(chain[i - 1], op)}));
  }
  return meaning;
}

SymbolTable &LaunchRecorder::getFunctions() {
  if (!functions) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    functions.emplace(
        ModuleOp::create(builder, module.getLoc(), attrs::launchesModule));
  }
  return *functions;
}

func::FuncOp LaunchRecorder::makeFunction(ArrayRef<WeirOpInterface> chain,
                                          LaunchOp launch) {
  OpBuilder builder(module.getContext());
  auto type = builder.getFunctionType(launch->getOperandTypes(),
                                      launch->getResultTypes());
  auto function =
      func::FuncOp::create(launch.getLoc(), getOpName(launch), type);
  function.setPrivate();
  function->setAttr(attrs::launch, launch->getAttrDictionary());
  builder.setInsertionPointToStart(function.addEntryBlock());
  SmallVector<Operation *> copies;
  // The operands of a launch are the operands of its ops, in order.
  unsigned next = 0;
  for (auto [i, op] : llvm::enumerate(chain)) {
    Operation *copy = builder.clone(*op);
    for (OpOperand &operand : copy->getOpOperands()) {
      const bool isRunning =
          i > 0 && operand.getOperandNumber() == findRunning(chain[i - 1], op);
      if (isRunning)
        operand.set(copies.back()->getResult(0));
      else
        operand.set(function.getArgument(next++));
    }
    removeAnnotation(copy);
    copies.push_back(copy);
  }
  SmallVector<Value> results(copies.front()->getResults());
  results.front() = copies.back()->getResult(0);
  func::ReturnOp::create(builder, launch.getLoc(), results);
  return function;
}

void LaunchRecorder::record(ArrayRef<WeirOpInterface> chain, LaunchOp launch) {
  if (known.insert(describeLaunch(chain, launch)).second)
    getFunctions().insert(makeFunction(chain, launch));
}
