//===- SetDevices.cpp - Sets the list of devices to compile for -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/Folding/ComputedOps.h"
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

  /// The devices that annotations of computed ops name, in order, and cpu:0 if
  /// none of them computes anything.
  StatusOr<std::vector<DeviceName>> annotated(ModuleOp module) {
    std::set<DeviceName> named;
    for (auto function : module.getOps<func::FuncOp>())
      for (Operation *op : findComputedOps(function.getBody().front())) {
        auto weirOp = dyn_cast<WeirOpInterface>(op);
        if (!weirOp || !weirOp.getDeviceAttr())
          continue;
        WEIR_ASSIGN_OR_RETURN(
            DeviceName device,
            parseDeviceName(weirOp.getDeviceAttr().getValue()));
        named.insert(device);
      }
    if (llvm::all_of(named, [](DeviceName name) {
          return name.kind == DeviceKind::Null;
        }))
      named.insert(DeviceName{});
    return std::vector<DeviceName>(named.begin(), named.end());
  }
};
} // namespace
