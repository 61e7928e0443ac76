//===- LeaveOutDevices.cpp - Compiles without devices that may be missing -===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

namespace weir {
#define GEN_PASS_DEF_LEAVEOUTDEVICES
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class LeaveOutDevices
    : public weir::impl::LeaveOutDevicesBase<LeaveOutDevices> {
public:
  using LeaveOutDevicesBase::LeaveOutDevicesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<SmallVector<func::FuncOp>> entries = getEntries(module);
    FailureOr<Topology> devices = getDevices(module);
    if (failed(entries) || failed(devices))
      return signalPassFailure();
    setDevices(devices->names());
    for (func::FuncOp entry : *entries) {
      leavePorts(entry);
      entry.walk([&](WeirOpInterface op) {
        if (StringAttr device = op.getDeviceAttr(); isLeftOut(device))
          op.setDeviceAttr(nullptr);
      });
    }
  }

private:
  static bool isLeftOut(StringAttr device) {
    if (!device)
      return false;
    StatusOr<DeviceName> name = parseDeviceName(device.getValue());
    return name.isOk() && name->kind->mayBeMissing;
  }

  /// Removes from the lists of the module all devices that a machine may lack.
  void setDevices(std::vector<DeviceName> names) {
    ModuleOp module = getOperation();
    std::erase_if(names,
                  [](DeviceName name) { return name.kind->mayBeMissing; });
    if (llvm::none_of(names,
                      [](DeviceName name) { return name.kind->computes; })) {
      names.push_back(DeviceName{});
      // The topology does not describe the device that was added.
      module->removeAttr(attrs::topology);
    }
    SmallVector<Attribute> kept;
    for (DeviceName name : names)
      kept.push_back(StringAttr::get(&getContext(), name.toString()));
    module->setAttr(attrs::devices, ArrayAttr::get(&getContext(), kept));
    auto isolated = module->getAttrOfType<ArrayAttr>(attrs::isolated);
    if (!isolated)
      return;
    SmallVector<Attribute> left(isolated.getValue());
    llvm::erase_if(
        left, [&](Attribute name) { return !llvm::is_contained(kept, name); });
    if (left.empty())
      module->removeAttr(attrs::isolated);
    else
      module->setAttr(attrs::isolated, ArrayAttr::get(&getContext(), left));
  }

  /// Moves inputs and outputs from devices that are left out to the host's
  /// memory.
  void leavePorts(func::FuncOp entry) {
    SmallVector<DictionaryAttr> inputs, outputs;
    entry.getAllArgAttrs(inputs);
    entry.getAllResultAttrs(outputs);
    for (SmallVector<DictionaryAttr> *ports : {&inputs, &outputs})
      for (DictionaryAttr &port : *ports)
        if (port && isLeftOut(port.getAs<StringAttr>(attrs::space))) {
          NamedAttrList list(port);
          list.erase(attrs::space);
          port = list.getDictionary(&getContext());
        }
    entry.setAllArgAttrs(inputs);
    entry.setAllResultAttrs(outputs);
  }
};
} // namespace
