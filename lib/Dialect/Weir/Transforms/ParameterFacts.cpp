//===- ParameterFacts.cpp - What the entries do with parameters -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"

#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/Buckets.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"

using namespace mlir;
using namespace weir;

Attribute weir::getParameter(func::FuncOp entry, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &entry.getBody().front()
             ? entry.getArgAttr(argument.getArgNumber(), attrs::parameter)
             : Attribute();
}

StringAttr ParameterFacts::getReader(OpOperand &use) const {
  if (auto group = dyn_cast<GroupOp>(use.getOwner()))
    return group.getDeviceAttr();
  if (!isa<func::ReturnOp>(use.getOwner()))
    return {};
  auto entry = use.getOwner()->getParentOfType<func::FuncOp>();
  const unsigned number = use.getOperandNumber();
  Attribute parameter = entry.getResultAttr(number, attrs::assigns);
  if (!parameter)
    return getOutputSpace(entry, number);
  StringAttr home = getHome(parameter);
  return home ? home : firstDevice;
}

ParameterFacts::ParameterFacts(ModuleOp module) {
  if (DeviceTableAttr devices = getDeviceTable(module))
    firstDevice = devices.getDevices().front().getName();
  // After weir-lift-parameters, only buckets that entries assign are left.
  for (auto bucket : module.getOps<BucketOp>())
    homes.try_emplace(FlatSymbolRefAttr::get(bucket.getSymNameAttr()));
  for (auto entry : module.getOps<func::FuncOp>()) {
    if (entry.isExternal())
      continue;
    Operation *terminator = entry.getBody().front().getTerminator();
    for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
      Attribute parameter =
          entry.getResultAttr(static_cast<unsigned>(i), attrs::assigns);
      // A parameter to which its own value is assigned does not change.
      if (!parameter || parameter == getParameter(entry, value))
        continue;
      StringAttr &home = homes.try_emplace(parameter).first->second;
      if (!home)
        home = getDeviceOf(value);
    }
  }
  addBuckets(module);
}

/// Gives the parameters of each bucket the device of the bucket and their place
/// in the bucket.
void ParameterFacts::addBuckets(ModuleOp module) {
  if (module.getOps<BucketOp>().empty())
    return;
  const SymbolTable symbols(module);
  for (auto bucket : module.getOps<BucketOp>()) {
    const StringAttr device =
        homes.lookup(FlatSymbolRefAttr::get(bucket.getSymNameAttr()));
    for (const BucketPart &part : listParts(bucket, symbols)) {
      homes[part.parameter] = device;
      places[part.parameter] = {bucket, part.offset};
    }
  }
}
