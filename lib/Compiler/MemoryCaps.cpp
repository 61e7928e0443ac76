//===- MemoryCaps.cpp - Compares held memory with caps --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// What a session holds depends on the kernels of the machine: how they pack
// weights, and how much workspace they need. So the memory is counted by the
// code of the runtime that loads artifacts.
//
//===----------------------------------------------------------------------===//

#include "MemoryCaps.h"

#include "CapErrors.h"

#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Runtime/HeldMemory.h"
#include "weir/Runtime/Session.h"
#include "weir/Support/OptionText.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace mlir;
using namespace weir;

bool weir::hasMemoryCaps(ModuleOp module, const CompileOptions &options) {
  return !options.memoryCaps.empty() ||
         llvm::any_of(module.getOps<exec::EntryOp>(), [](exec::EntryOp entry) {
           return llvm::any_of(entry.getDevices().toTopology().devices,
                               [](const DeviceDesc &device) {
                                 return device.memoryBytes != 0;
                               });
         });
}

//===----------------------------------------------------------------------===//
// Caps
//===----------------------------------------------------------------------===//

LogicalResult weir::checkCapNames(ModuleOp module,
                                  const CompileOptions &options) {
  const ArrayAttr devices = getDeviceTable(module).getNames();
  for (const std::string &text : options.memoryCaps) {
    // The options have already been checked.
    const std::string device = parseMemoryCap(text)->device.toString();
    auto names = devices.getAsValueRange<StringAttr>();
    if (!llvm::is_contained(names, device))
      return emitError(UnknownLoc::get(module.getContext()), "memory cap '")
             << text << "' names a device that is not used; expected one of "
             << llvm::join(names, ", ");
  }
  return success();
}

/// Sets the caps of `options` in all variants.
static void setCaps(const CompileOptions &options, artifact::ModelT &model) {
  for (const std::string &text : options.memoryCaps) {
    const MemoryCap cap = *parseMemoryCap(text);
    const std::string device = cap.device.toString();
    for (auto &variant : model.variants)
      for (auto &each : variant->devices)
        if (each->name == device)
          each->memory_cap = cap.bytes;
  }
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

/// An outline of the artifact that has only the variants of part `part`. With
/// all variants, the runtime might count one of another part.
static StatusOr<artifact::Artifact> outlinePart(ArtifactImage &image,
                                                size_t part) {
  auto &variants = image.model.variants;
  auto all = std::exchange(variants, {});
  auto first = all.begin() + (part ? image.parts[part - 1].numVariants : 0);
  auto last = all.begin() + image.parts[part].numVariants;
  variants.assign(std::move_iterator(first), std::move_iterator(last));
  auto outline = artifact::outline(image.model, image.blobs, image.hashes);
  std::ranges::move(variants, first);
  variants = std::move(all);
  return outline;
}

static StatusOr<HeldMemory> count(ArtifactImage &image, size_t part) {
  WEIR_ASSIGN_OR_RETURN(artifact::Artifact outline, outlinePart(image, part));
  image.hashes = artifact::BlobHashes::Known;
  SessionOptions options;
  options.pinThreads = false;
  return countHeldMemory(std::move(outline), options);
}

static void addToReport(const HeldMemory &held, CompileReport &report) {
  for (DeviceReport &to : report.devices)
    for (const DeviceHeld &device : held.devices)
      if (device.info.name == to.device)
        to.held = HeldReport{
            .bytes = static_cast<int64_t>(device.heldBytes()),
            .workspaceBytes = static_cast<int64_t>(device.workspaceBytes),
            .packedBytes = static_cast<int64_t>(device.packedBytes),
            .inPlaceBytes = static_cast<int64_t>(device.inPlaceBytes),
            .parameterBytes = static_cast<int64_t>(device.parameterBytes),
            .isExact = held.isExact,
            .parts = describeHeld(device)};
}

/// Warns that the counted memory is an estimate, because the kernels could not
/// be prepared on this machine.
static void warnOfEstimate(ModuleOp module, const HeldMemory &held) {
  const bool hasCaps = llvm::any_of(
      held.devices, [](const DeviceHeld &each) { return each.memoryCap != 0; });
  emitWarning(UnknownLoc::get(module.getContext()),
              "the memory that the model holds is an estimate")
      << (hasCaps ? ", and memory caps are checked again when it is loaded"
                  : "")
      << "; kernels cannot be prepared on this machine: "
      << held.failure.message();
}

CountedMemory weir::countMemory(ModuleOp module, const CompileOptions &options,
                                ArtifactImage &image, size_t part) {
  setCaps(options, image.model);
  StatusOr<HeldMemory> held = count(image, part);
  if (held)
    return std::make_shared<const HeldMemory>(*std::move(held));
  emitError(UnknownLoc::get(module.getContext()),
            "cannot count the memory that the model holds: ")
      << held.status().message();
  return nullptr;
}

static bool isExceeded(const DeviceHeld &device) {
  return device.memoryCap != 0 && device.heldBytes() > device.memoryCap;
}

std::vector<ExceededCap> weir::findExceededCaps(const HeldMemory &held) {
  std::vector<ExceededCap> caps;
  for (const DeviceHeld &device : held.devices)
    if (isExceeded(device))
      caps.push_back({device.info.name, device.heldBytes() - device.memoryCap});
  return caps;
}

LogicalResult weir::checkMemory(ModuleOp module, const CompileOptions &options,
                                const HeldMemory &held, const SpareBytes &spare,
                                CompileReport &report) {
  if (!held.failure.isOk())
    warnOfEstimate(module, held);
  addToReport(held, report);
  CapErrors errors(module, options, held, spare);
  LogicalResult result = success();
  for (const DeviceHeld &device : held.devices)
    if (isExceeded(device))
      result = errors.refuse(device);
  return result;
}
