//===- FitMemory.cpp - Fits plans into memory caps --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A cap includes the memory that kernels need on this machine. This amount is
// known only when there is an artifact. So an artifact is made first, then the
// plan is changed, and then the artifact is made again.
//
//===----------------------------------------------------------------------===//

#include "FitMemory.h"

#include "FallbackVariant.h"
#include "weir/Compiler/Pipelines.h"
#include "weir/Dialect/Exec/Transforms/Arenas.h"
#include "weir/Dialect/Exec/Transforms/Recompute.h"

#include "mlir/Pass/PassManager.h"

#include <algorithm>

using namespace mlir;
using namespace weir;

/// The largest arena of the compute queue of `device` in all entries. Its
/// `arena` is null if there is none.
static exec::LargestArena findArena(ModuleOp module, StringAttr device) {
  exec::EntryOp first = *module.getOps<exec::EntryOp>().begin();
  return exec::findLargestArenas(module).lookup(
      exec::findComputeArena(first, device));
}

namespace {
/// What was changed for one device.
struct DeviceFit {
  bool isChanged = false;
  /// The smallest limit that its arena is known to meet.
  uint64_t mostBytes = 0;
};
} // namespace

/// Makes the compute arenas of `device` fit into `mostBytes`. An arena that
/// cannot fit becomes as small as possible.
static FailureOr<DeviceFit> fitArenas(ModuleOp module, StringAttr device,
                                      uint64_t mostBytes) {
  DeviceFit fit;
  for (auto entry : module.getOps<exec::EntryOp>()) {
    FailureOr<exec::Recomputation> done =
        exec::recompute(entry, device, mostBytes);
    if (failed(done))
      return failure();
    fit.mostBytes = std::max(fit.mostBytes, done->mostBytes);
    if (done->launches.empty())
      continue;
    entry.emitRemark(done->describe(device.getValue()));
    fit.isChanged = true;
  }
  return fit;
}

static LogicalResult planAgain(ModuleOp module, const CompileOptions &options) {
  PassManager manager(module.getContext());
  addMemoryPlan(manager, options);
  return manager.run(module);
}

FailureOr<SpareBytes> weir::fitMemory(ModuleOp module,
                                      const CompileOptions &options,
                                      const HeldMemory &held) {
  SpareBytes spare;
  llvm::StringMap<DeviceFit> fits;
  for (const ExceededCap &cap : findExceededCaps(held)) {
    auto name = StringAttr::get(module.getContext(), cap.device);
    exec::LargestArena arena = findArena(module, name);
    // The arena is not larger than the excess, so a smaller arena cannot help.
    if (!arena.arena || static_cast<uint64_t>(arena.bytes) <= cap.bytes)
      continue;
    FailureOr<DeviceFit> fit =
        fitArenas(module, name,
                  (static_cast<uint64_t>(arena.bytes) - cap.bytes) /
                      static_cast<uint64_t>(arena.copies));
    if (failed(fit))
      return failure();
    if (fit->isChanged)
      fits[cap.device] = *fit;
  }
  if (fits.empty())
    return spare;
  if (failed(planAgain(module, options)))
    return failure();
  for (const auto &[name, fit] : fits) {
    exec::LargestArena arena =
        findArena(module, StringAttr::get(module.getContext(), name));
    const uint64_t bytes = arena.arena.getBytes();
    spare[name] = (std::max(fit.mostBytes, bytes) - bytes) *
                  static_cast<uint64_t>(arena.copies);
  }
  return spare;
}

FailureOr<ArtifactImage> FittedPlan::translate(
    OwningOpRef<ModuleOp> &module, const CompileOptions &options,
    FallbackVariant &fallback,
    llvm::function_ref<FailureOr<ArtifactImage>()> translateAll) {
  plan = module->clone();
  fallback.keepPlan(options);
  FailureOr<ArtifactImage> image = translateAll();
  if (failed(image))
    return failure();
  CountedMemory held = countMemory(*plan, options, *image, /*part=*/0);
  if (!held)
    return failure();
  FailureOr<SpareBytes> fitted = fitMemory(*plan, options, *held);
  if (failed(fitted))
    return failure();
  spare = *std::move(fitted);
  const bool isFallbackNew = fallback.fitMemory(options, *image);
  if (spare.empty() && !isFallbackNew)
    return image;
  module = plan->clone();
  fallback.usePlan();
  return translateAll();
}
