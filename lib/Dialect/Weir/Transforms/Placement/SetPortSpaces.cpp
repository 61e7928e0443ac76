//===- SetPortSpaces.cpp - Sets the memory of inputs and outputs ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Support/OptionText.h"

#include <algorithm>

namespace weir {
#define GEN_PASS_DEF_SETPORTSPACES
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// The input of `entry` called `name`; null if there is none, or if it stands
/// for a parameter.
static BlockArgument findBoundInput(func::FuncOp entry, StringRef name) {
  BlockArgument input = findInput(entry, name);
  return input && !entry.getArgAttr(input.getArgNumber(), attrs::parameter)
             ? input
             : BlockArgument();
}

static bool hasPort(func::FuncOp entry, StringRef name) {
  return findBoundInput(entry, name) || findOutput(entry, name);
}

namespace {
class SetPortSpaces : public weir::impl::SetPortSpacesBase<SetPortSpaces> {
public:
  using SetPortSpacesBase::SetPortSpacesBase;

  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> entries = getEntries(getOperation());
    FailureOr<Topology> found = getDevices(getOperation());
    if (failed(entries) || failed(found))
      return signalPassFailure();
    devices = found->names();
    // Options override the text.
    if (Status status = apply(*entries); !status.isOk()) {
      emitFlagError(*entries) << StringRef(status.message());
      return signalPassFailure();
    }
    for (func::FuncOp entry : *entries)
      if (failed(checkText(entry)))
        return signalPassFailure();
  }

private:
  /// The canonical name of `device`, or an error if it is not in the list.
  StatusOr<StringAttr> canonical(DeviceName device) {
    if (llvm::is_contained(devices, device))
      return StringAttr::get(&getContext(), device.toString());
    return invalidArgument(
        device.toString() + " is not in the list of devices (" +
        toString(devices) + "); add it to --devices, or name one of these");
  }

  StatusOr<StringAttr> canonical(StringAttr written) {
    WEIR_ASSIGN_OR_RETURN(DeviceName device,
                          parseDeviceName(written.getValue()));
    return canonical(device);
  }

  /// Checks the devices that the text names, and spells them canonically.
  LogicalResult checkText(func::FuncOp entry) {
    for (BlockArgument input : entry.getArguments()) {
      unsigned number = input.getArgNumber();
      auto written = entry.getArgAttrOfType<StringAttr>(number, attrs::space);
      if (!written)
        continue;
      if (entry.getArgAttr(number, attrs::parameter))
        return refuse(entry, getValueName(input), "a parameter");
      StatusOr<StringAttr> device = canonical(written);
      if (!device.isOk())
        return tell(entry, "input", getValueName(input), device.status());
      if (*device != written)
        entry.setArgAttr(number, attrs::space, *device);
    }
    for (unsigned i = 0; i < entry.getNumResults(); ++i) {
      auto written = entry.getResultAttrOfType<StringAttr>(i, attrs::space);
      if (!written)
        continue;
      auto name = entry.getResultAttrOfType<StringAttr>(i, attrs::name);
      if (entry.getResultAttr(i, attrs::assigns) || !name)
        return refuse(entry, "result " + llvm::Twine(i),
                      "the new value of a parameter");
      StatusOr<StringAttr> device = canonical(written);
      if (!device.isOk())
        return tell(entry, "output", name.getValue(), device.status());
      if (*device != written)
        entry.setResultAttr(i, attrs::space, *device);
    }
    return success();
  }

  static LogicalResult tell(func::FuncOp entry, StringRef what, StringRef name,
                            const Status &status) {
    return entry.emitError(what) << " '" << name << "': " << attrs::space
                                 << ": " << StringRef(status.message());
  }

  static LogicalResult refuse(func::FuncOp entry, const llvm::Twine &name,
                              StringRef what) {
    return entry.emitError("'")
           << name << "' is " << what << " and lies where it is used; remove "
           << attrs::space;
  }

  Status apply(ArrayRef<func::FuncOp> entries) {
    // What is said of one entry comes last, because it decides there.
    std::vector<std::pair<StringAttr, NamedInEntries>> options;
    for (StringRef text : spaces) {
      WEIR_ASSIGN_OR_RETURN(PortSpaceOption option, parsePortSpaceOption(text));
      StringRef port = text.take_front(option.port.size());
      NamedInEntries ports = findInEntries(entries, port, hasPort);
      if (ports.entries.empty())
        return invalidArgument("--port-space names '" + option.port +
                               "', which is no input or output; there are " +
                               listPorts(entries));
      auto device = canonical(option.device);
      if (!device.isOk())
        return std::move(device).status().withContext("--port-space " +
                                                      text.str());
      options.emplace_back(*device, std::move(ports));
    }
    std::stable_partition(options.begin(), options.end(), [](const auto &one) {
      return !one.second.isQualified;
    });
    for (auto &[device, ports] : options)
      for (func::FuncOp entry : ports.entries)
        set(entry, ports.name, device);
    return Status::ok();
  }

  static void set(func::FuncOp entry, StringRef name, StringAttr device) {
    if (BlockArgument input = findBoundInput(entry, name))
      entry.setArgAttr(input.getArgNumber(), attrs::space, device);
    if (std::optional<unsigned> output = findOutput(entry, name))
      entry.setResultAttr(*output, attrs::space, device);
  }

  std::vector<DeviceName> devices;
};
} // namespace
