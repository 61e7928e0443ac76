//===- SetPortSpaces.cpp - Sets the memory of inputs and outputs ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../Lifting/CheckPlans.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Support/OptionText.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>

namespace weir {
#define GEN_PASS_DEF_SETPORTSPACES
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
/// The inputs and outputs of one entry that callers bind, with their
/// attributes. Setting an attribute of one port copies the attributes of all
/// ports, so `write` sets them together.
class EntryPorts {
public:
  explicit EntryPorts(func::FuncOp entry);

  bool has(StringRef name) const {
    return inputs.contains(name) || outputs.contains(name);
  }
  /// Sets the device of the input and the output called `name`.
  void set(StringRef name, StringAttr device);
  void setInput(unsigned number, StringAttr device) {
    set(inputAttributes[number], device);
  }
  void setOutput(unsigned number, StringAttr device) {
    set(outputAttributes[number], device);
  }
  StringAttr getInputSpace(unsigned number) const {
    return inputAttributes[number].getAs<StringAttr>(attrs::space);
  }
  StringAttr getOutputSpace(unsigned number) const {
    return outputAttributes[number].getAs<StringAttr>(attrs::space);
  }
  void write();

private:
  void set(DictionaryAttr &attributes, StringAttr device);

  func::FuncOp entry;
  llvm::StringMap<unsigned> inputs, outputs;
  SmallVector<DictionaryAttr> inputAttributes, outputAttributes;
  bool isChanged = false;
};
} // namespace

EntryPorts::EntryPorts(func::FuncOp entry) : entry(entry) {
  const auto orEmpty = [&](DictionaryAttr attributes) {
    return attributes ? attributes : DictionaryAttr::get(entry.getContext());
  };
  for (BlockArgument input : entry.getArguments()) {
    const unsigned number = input.getArgNumber();
    DictionaryAttr attributes = orEmpty(entry.getArgAttrDict(number));
    inputAttributes.push_back(attributes);
    if (!attributes.contains(attrs::parameter))
      inputs.try_emplace(getValueName(input), number);
  }
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    DictionaryAttr attributes = orEmpty(entry.getResultAttrDict(i));
    outputAttributes.push_back(attributes);
    if (auto name = attributes.getAs<StringAttr>(attrs::name))
      outputs.try_emplace(name.getValue(), i);
  }
}

void EntryPorts::set(StringRef name, StringAttr device) {
  if (auto input = inputs.find(name); input != inputs.end())
    setInput(input->second, device);
  if (auto output = outputs.find(name); output != outputs.end())
    setOutput(output->second, device);
}

void EntryPorts::set(DictionaryAttr &attributes, StringAttr device) {
  NamedAttrList list(attributes);
  if (list.set(attrs::space, device) == device)
    return;
  attributes = list.getDictionary(entry.getContext());
  isChanged = true;
}

void EntryPorts::write() {
  if (!isChanged)
    return;
  entry.setAllArgAttrs(inputAttributes);
  entry.setAllResultAttrs(outputAttributes);
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
    portsOf.clear();
    for (func::FuncOp entry : *entries)
      portsOf.try_emplace(entry, entry);
    // Options override the text.
    if (Status status = apply(*entries); !status.isOk()) {
      emitFlagError(*entries) << StringRef(status.message());
      return signalPassFailure();
    }
    for (func::FuncOp entry : *entries) {
      EntryPorts &ports = portsOf.find(entry)->second;
      if (failed(checkText(entry, ports)))
        return signalPassFailure();
      ports.write();
    }
    if (failed(checkPlanSpaces(getOperation())))
      signalPassFailure();
  }

private:
  /// The canonical name of `device`, or an error if the device is not in the
  /// list.
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
  LogicalResult checkText(func::FuncOp entry, EntryPorts &ports) {
    for (BlockArgument input : entry.getArguments()) {
      unsigned number = input.getArgNumber();
      StringAttr written = ports.getInputSpace(number);
      if (!written)
        continue;
      if (entry.getArgAttr(number, attrs::parameter))
        return refuse(entry, getValueName(input), "a parameter");
      StatusOr<StringAttr> device = canonical(written);
      if (!device.isOk())
        return refuseSpace(entry, "input", getValueName(input),
                           device.status());
      ports.setInput(number, *device);
    }
    for (unsigned i = 0; i < entry.getNumResults(); ++i) {
      StringAttr written = ports.getOutputSpace(i);
      if (!written)
        continue;
      auto name = entry.getResultAttrOfType<StringAttr>(i, attrs::name);
      if (entry.getResultAttr(i, attrs::assigns) || !name)
        return refuse(entry, "result " + llvm::Twine(i),
                      "the new value of a parameter");
      StatusOr<StringAttr> device = canonical(written);
      if (!device.isOk())
        return refuseSpace(entry, "output", name.getValue(), device.status());
      ports.setOutput(i, *device);
    }
    return success();
  }

  static LogicalResult refuseSpace(func::FuncOp entry, StringRef what,
                                   StringRef name, const Status &status) {
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
    // Options for one entry come last, because they override options for all
    // entries.
    std::vector<std::pair<StringAttr, NamedInEntries>> options;
    const auto hasPort = [&](func::FuncOp entry, StringRef name) {
      return portsOf.find(entry)->second.has(name);
    };
    for (StringRef text : spaces) {
      WEIR_ASSIGN_OR_RETURN(PortSpaceOption option, parsePortSpaceOption(text));
      StringRef port = text.take_front(option.port.size());
      NamedInEntries ports = findInEntries(entries, port, hasPort);
      if (ports.entries.empty())
        return invalidArgument("--port-space names '" + option.port +
                               "', which is no input or output; " +
                               offerPorts(entries, option.port));
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
        portsOf.find(entry)->second.set(ports.name, device);
    return Status::ok();
  }

  std::vector<DeviceName> devices;
  llvm::DenseMap<func::FuncOp, EntryPorts> portsOf;
};
} // namespace
