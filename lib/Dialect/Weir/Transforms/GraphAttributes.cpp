//===- GraphAttributes.cpp - Attributes for communication of passes -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
#include "weir/Support/NearNames.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace weir;

FailureOr<SmallVector<func::FuncOp>> weir::getEntries(ModuleOp module) {
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  if (functions.empty())
    return module.emitError("expects a function; run weir-select-entry first");
  for (func::FuncOp function : functions)
    if (function.isExternal())
      return function.emitError("'")
             << function.getName()
             << "' has no body; run weir-select-entry first";
  return functions;
}

LogicalResult
weir::forEachEntry(ModuleOp module,
                   llvm::function_ref<LogicalResult(func::FuncOp)> work) {
  FailureOr<SmallVector<func::FuncOp>> entries = getEntries(module);
  if (failed(entries))
    return failure();
  for (func::FuncOp entry : *entries)
    if (failed(work(entry)))
      return failure();
  return success();
}

StringRef weir::getEntryName(Operation *entry) {
  if (auto name = entry->getAttrOfType<StringAttr>(attrs::entry))
    return name.getValue();
  return SymbolTable::getSymbolName(entry).getValue();
}

std::string weir::getReportPrefix(func::FuncOp entry) {
  auto all = entry->getParentOfType<ModuleOp>().getOps<func::FuncOp>();
  return llvm::hasSingleElement(all) ? "" : getReportName(entry).str() + "/";
}

/// Checks that all of `found`, the list at `place` in a file, are in `known`.
static Status checkKernels(const std::vector<std::string> &found,
                           const std::string &place,
                           const std::vector<std::string> &known) {
  for (auto [number, name] : llvm::enumerate(found)) {
    if (llvm::is_contained(known, name))
      continue;
    const std::string_view nearest = findNearest(name, known);
    return invalidArgument(fmt::format(
        "{}[{}]: unknown kernel '{}'; {} kernels are {}", place, number, name,
        nearest.empty() ? "the"
                        : fmt::format("did you mean '{}'? The", nearest),
        fmt::join(known, ", ")));
  }
  return Status::ok();
}

StatusOr<Topology> weir::readDevices(const std::string &path,
                                     MLIRContext *context) {
  WEIR_ASSIGN_OR_RETURN(Topology topology, readTopology(path));
  const std::vector<std::string> known = listKernelNames(context, topology);
  for (auto [number, device] : llvm::enumerate(topology.devices)) {
    const std::string at = fmt::format("{}: devices[{}].", path, number);
    WEIR_RETURN_IF_ERROR(
        device.kernels ? checkKernels(*device.kernels, at + "kernels", known)
                       : checkKernels(device.excludedKernels,
                                      at + "excluded_kernels", known));
    // Winograd is an algorithm and not a kernel, so only `excluded_kernels` may
    // name it.
    if (device.kernels && llvm::is_contained(*device.kernels, winogradKernel))
      return invalidArgument(
          fmt::format("{}kernels: '{}' is an algorithm and not a kernel, and "
                      "only excluded_kernels may name it; remove it",
                      at, std::string_view(winogradKernel)));
  }
  return topology;
}

LogicalResult weir::checkSizesKnown(func::FuncOp entry) {
  auto isKnown = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  for (BlockArgument input : entry.getArguments())
    if (!isKnown(input.getType()))
      return emitError(input.getLoc(), "input '")
             << getValueName(input)
             << "' has an unknown dim; run weir-bind-shapes first";
  for (Operation &op : entry.getBody().front())
    if (!llvm::all_of(op.getResultTypes(), isKnown))
      return op.emitError("a result of '")
             << op.getName()
             << "' has an unknown dim; run weir-bind-shapes first";
  return success();
}

DeviceTableAttr weir::getDeviceTable(ModuleOp module) {
  return module->getAttrOfType<DeviceTableAttr>(attrs::devices);
}

LogicalResult weir::checkDeviceTable(ModuleOp module) {
  Attribute found = module->getAttr(attrs::devices);
  if (!found || isa<DeviceTableAttr>(found))
    return success();
  return module.emitError("expects a device table as ")
         << attrs::devices << ", found " << found << "; remove it";
}

LogicalResult weir::checkDeviceThreads(ModuleOp module, int64_t threads) {
  if (threads >= 0 && threads <= maxDeviceThreads)
    return success();
  return module.emitError("expects 0 to ")
         << maxDeviceThreads << " threads per CPU device, found " << threads;
}

FailureOr<Topology> weir::getDevices(ModuleOp module) {
  if (failed(checkDeviceTable(module)))
    return failure();
  if (DeviceTableAttr table = getDeviceTable(module))
    return table.toTopology();
  return module.emitError("expects a device list; run weir-set-devices "
                          "first");
}

LogicalResult weir::setDevices(ModuleOp module, const Topology &devices) {
  if (devices.devices.size() > maxDevices)
    return module.emitError("expects at most ")
           << maxDevices << " devices, found " << devices.devices.size()
           << "; name fewer in --devices and in the text";
  module->setAttr(attrs::devices,
                  DeviceTableAttr::get(module.getContext(), devices));
  return success();
}

/// Returns `space` if it is the name of an isolated device, and null otherwise.
static StringAttr findIsolated(func::FuncOp entry, Attribute space) {
  auto device = dyn_cast_or_null<StringAttr>(space);
  if (!device)
    return {};
  auto table = getDeviceTable(entry->getParentOfType<ModuleOp>());
  return table && table.isIsolated(device) ? device : StringAttr();
}

StringAttr weir::getInputSpace(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto entry = argument
                   ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                   : func::FuncOp();
  return entry ? findIsolated(entry, entry.getArgAttr(argument.getArgNumber(),
                                                      attrs::space))
               : StringAttr();
}

StringAttr weir::getDeviceOf(Value value) {
  Operation *op = value.getDefiningOp();
  auto group = dyn_cast_or_null<GroupOp>(op);
  if (!group && op)
    group = op->getParentOfType<GroupOp>();
  if (group)
    return group.getDeviceAttr();
  if (auto copy = value.getDefiningOp<CopyOp>())
    return copy.getToAttr();
  return getInputSpace(value);
}

StringAttr weir::getOutputSpace(func::FuncOp entry, unsigned index) {
  return findIsolated(entry, entry.getResultAttr(index, attrs::space));
}

StringRef weir::getValueName(Value value) {
  if (Operation *op = value.getDefiningOp())
    return getOpName(op);
  return getName(value.getLoc());
}

void weir::annotateLike(Operation *op, Operation *original) {
  auto like = dyn_cast<WeirOpInterface>(original);
  if (!like || !isa<WeirOpInterface>(op))
    return;
  if (StringAttr device = like.getDeviceAttr())
    op->setAttr("device", device);
  if (IntegerAttr stage = like.getStageAttr())
    op->setAttr("stage", stage);
}

/// Adds `reason` for `op` to the dictionary `list` of its group.
static void noteReason(Operation *op, StringRef list, StringRef reason) {
  auto group = op->getParentOfType<GroupOp>();
  NamedAttrList noted(group->getAttrOfType<DictionaryAttr>(list));
  noted.set(getOpName(op), StringAttr::get(op->getContext(), reason));
  group->setAttr(list, noted.getDictionary(op->getContext()));
}

void weir::noteApart(Operation *op, StringRef reason) {
  noteReason(op, attrs::apart, reason);
}

void weir::noteMoved(Operation *op, StringRef reason) {
  noteReason(op, attrs::moved, reason);
}
