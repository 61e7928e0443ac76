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
    if (failed(checkDeviceThreads(module, threads)) ||
        failed(checkDeviceTable(module)))
      return signalPassFailure();
    StatusOr<Topology> chosen = choose(module);
    if (!chosen.isOk()) {
      module.emitError(StringRef(chosen.status().message()));
      return signalPassFailure();
    }
    StatusOr<std::set<DeviceName>> own = findIsolated(*chosen);
    if (!own.isOk()) {
      emitError(UnknownLoc::get(&getContext()), "--isolated: ")
          << StringRef(own.status().message());
      return signalPassFailure();
    }
    for (DeviceDesc &device : chosen->devices) {
      device.isIsolated = own->contains(device.name);
      // The command line overrides the file.
      if (threads != 0 && device.name.kind->sharesCores)
        device.threads = static_cast<uint32_t>(threads);
    }
    if (failed(setDevices(module, *chosen)))
      signalPassFailure();
  }

private:
  StatusOr<Topology> choose(ModuleOp module) {
    if (!topology.empty() && !devices.empty())
      return invalidArgument(
          "a device list and a topology file are both given; give one");
    if (!topology.empty())
      return readDevices(topology, &getContext());
    const DeviceTableAttr known = getDeviceTable(module);
    if (devices.empty() && known)
      return known.toTopology();
    WEIR_ASSIGN_OR_RETURN(std::vector<DeviceName> names,
                          devices.empty() ? annotated(module)
                                          : parseDeviceList(devices));
    return describe(names, known);
  }

  /// The devices `names`, with what `known` states about them. A graph that was
  /// printed has a table already.
  static Topology describe(const std::vector<DeviceName> &names,
                           DeviceTableAttr known) {
    Topology chosen = Topology::of(names);
    if (!known)
      return chosen;
    Topology described = known.toTopology();
    for (DeviceDesc &device : chosen.devices)
      if (std::optional<size_t> index = described.indexOf(device.name))
        device = described.devices[*index];
    chosen.links = std::move(described.links);
    const std::set<DeviceName> listed(names.begin(), names.end());
    chosen.keepOnly([&](DeviceName name) { return listed.contains(name); });
    return chosen;
  }

  /// The devices of `chosen` that have their own memory.
  StatusOr<std::set<DeviceName>> findIsolated(const Topology &chosen) {
    const std::vector<DeviceName> names = chosen.names();
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
    for (const DeviceDesc &device : chosen.devices)
      if (device.isIsolated || device.name.kind->hasOwnMemory)
        own.insert(device.name);
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
