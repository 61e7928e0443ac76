//===- SetDevices.cpp - Sets the list of devices to compile for -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

#include <set>

namespace weir {
#define GEN_PASS_DEF_SETDEVICES
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class SetDevices : public weir::impl::SetDevicesBase<SetDevices> {
public:
  using SetDevicesBase::SetDevicesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    StatusOr<std::vector<DeviceName>> names = choose(module);
    if (!names.isOk()) {
      module.emitError(StringRef(names.status().message()));
      return signalPassFailure();
    }
    Builder builder(module);
    SmallVector<Attribute> list;
    for (DeviceName name : *names)
      list.push_back(builder.getStringAttr(name.toString()));
    module->setAttr(attrs::devices, builder.getArrayAttr(list));
    module->setAttr(attrs::threads, builder.getI64IntegerAttr(threads));
    if (isolated)
      module->setAttr(attrs::isolated, builder.getUnitAttr());
    if (!topology.empty())
      module->setAttr(attrs::topology, builder.getStringAttr(topology));
  }

private:
  StatusOr<std::vector<DeviceName>> choose(ModuleOp module) {
    if (!topology.empty() && !devices.empty())
      return invalidArgument(
          "a device list and a topology file are both given; give one");
    if (!devices.empty())
      return parseDeviceList(devices);
    if (!topology.empty()) {
      WEIR_ASSIGN_OR_RETURN(Topology described, readTopology(topology));
      return described.names();
    }
    return annotated(module);
  }

  /// The devices that annotations name, in order; cpu:0 if there are none.
  StatusOr<std::vector<DeviceName>> annotated(ModuleOp module) {
    std::set<DeviceName> named;
    Status status;
    module.walk([&](WeirOpInterface op) {
      if (!op.getDeviceAttr())
        return;
      StatusOr<DeviceName> device =
          parseDeviceName(op.getDeviceAttr().getValue());
      if (device.isOk())
        named.insert(*device);
      else
        status = device.status();
    });
    WEIR_RETURN_IF_ERROR(status);
    if (named.empty())
      named.insert(DeviceName{});
    return std::vector<DeviceName>(named.begin(), named.end());
  }
};
} // namespace
