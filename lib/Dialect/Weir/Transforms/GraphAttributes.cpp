//===- GraphAttributes.cpp - What passes tell each other in attributes ----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"

using namespace mlir;
using namespace weir;

func::FuncOp weir::getEntry(ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  if (llvm::hasSingleElement(functions))
    return *functions.begin();
  module.emitError("expects one function; run weir-select-entry first");
  return {};
}

FailureOr<Topology> weir::getDevices(ModuleOp module) {
  auto names = module->getAttrOfType<ArrayAttr>(attrs::devices);
  if (!names)
    return module.emitError("expects a device list; run weir-set-devices "
                            "first");
  std::vector<DeviceName> devices;
  for (Attribute name : names) {
    auto spelling = dyn_cast<StringAttr>(name);
    if (!spelling)
      return module.emitError("expects device names in its device list, found ")
             << name;
    StatusOr<DeviceName> device = parseDeviceName(spelling.getValue());
    if (!device.isOk())
      return module.emitError(StringRef(device.status().message()));
    devices.push_back(*device);
  }
  auto file = module->getAttrOfType<StringAttr>(attrs::topology);
  if (!file)
    return Topology::of(devices);
  StatusOr<Topology> topology = readTopology(file.str());
  if (!topology.isOk())
    return module.emitError(StringRef(topology.status().message()));
  return *std::move(topology);
}

StringRef weir::getValueName(Value value) {
  if (Operation *op = value.getDefiningOp())
    return getOpName(op);
  return getName(value.getLoc());
}
