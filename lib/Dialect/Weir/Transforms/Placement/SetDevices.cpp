//===- SetDevices.cpp - Sets the list of devices to compile for -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/Folding/ComputedOps.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"

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
    StatusOr<std::set<DeviceName>> own = findIsolated(*names);
    if (!own.isOk()) {
      emitError(UnknownLoc::get(&getContext()), "--isolated: ")
          << StringRef(own.status().message());
      return signalPassFailure();
    }
    SmallVector<Attribute> isolatedList;
    for (DeviceName name : *names)
      if (own->contains(name))
        isolatedList.push_back(builder.getStringAttr(name.toString()));
    if (!isolatedList.empty())
      module->setAttr(attrs::isolated, builder.getArrayAttr(isolatedList));
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

  /// The devices among `names` that have memory of their own.
  StatusOr<std::set<DeviceName>>
  findIsolated(const std::vector<DeviceName> &names) {
    const std::set<DeviceName> listed(names.begin(), names.end());
    if (isolated == "all")
      return listed;
    std::set<DeviceName> own;
    if (!isolated.empty()) {
      WEIR_ASSIGN_OR_RETURN(std::vector<DeviceName> given,
                            parseDeviceList(isolated));
      own.insert(given.begin(), given.end());
    }
    for (DeviceName name : own)
      if (!listed.contains(name))
        return invalidArgument(
            "device " + name.toString() +
            " cannot be isolated: it is not in the list of devices; add it, or "
            "isolate one of " +
            llvm::join(
                llvm::map_range(
                    names, [](DeviceName each) { return each.toString(); }),
                ", "));
    if (!topology.empty()) {
      WEIR_ASSIGN_OR_RETURN(Topology described, readTopology(topology));
      for (const DeviceDesc &device : described.devices)
        if (device.isIsolated)
          own.insert(device.name);
    }
    for (DeviceName name : names)
      if (name.kind->hasOwnMemory)
        own.insert(name);
    return own;
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
    if (llvm::all_of(named,
                     [](DeviceName name) { return !name.kind->computes; }))
      named.insert(DeviceName{});
    return std::vector<DeviceName>(named.begin(), named.end());
  }
};
} // namespace
