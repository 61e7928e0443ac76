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
    if (failed(checkDeviceThreads(module, threads)) || failed(entries) ||
        failed(devices) || failed(leaveDevices(*std::move(devices))))
      return signalPassFailure();
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

  /// Removes devices from the list of the module.
  LogicalResult leaveDevices(Topology devices) {
    devices.keepOnly([](DeviceName name) { return !name.kind->mayBeMissing; });
    if (llvm::none_of(devices.devices, [](const DeviceDesc &device) {
          return device.name.kind->computes;
        }))
      devices.devices.emplace_back().threads = static_cast<uint32_t>(threads);
    return setDevices(getOperation(), devices);
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
