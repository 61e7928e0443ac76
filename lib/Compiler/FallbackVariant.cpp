//===- FallbackVariant.cpp - For machines that lack devices ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FallbackVariant.h"

#include "CheckOptions.h"
#include "MemoryCaps.h"
#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Support/DeviceName.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace weir;

static std::vector<std::string> listDevices(ModuleOp module) {
  std::vector<std::string> names;
  for (StringRef name : module->getAttrOfType<ArrayAttr>(attrs::devices)
                            .getAsValueRange<StringAttr>())
    names.push_back(name.str());
  return names;
}

/// The devices of `module` that a machine may lack.
static std::vector<std::string> listMissing(ModuleOp module) {
  std::vector<std::string> names = listDevices(module);
  std::erase_if(names, [](const std::string &name) {
    return !parseDeviceName(name)->kind->mayBeMissing;
  });
  return names;
}

/// The first error of `work`, or nothing. All messages are dropped: those of
/// the graph itself say the same.
static std::optional<std::string>
findError(MLIRContext *context, llvm::function_ref<LogicalResult()> work) {
  std::string error;
  ScopedDiagnosticHandler keeper(context, [&](Diagnostic &diagnostic) {
    if (error.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      error = diagnostic.str();
    return success();
  });
  return succeeded(work()) ? std::nullopt : std::optional(error);
}

void FallbackVariant::keep(ModuleOp module) {
  if (!listMissing(module).empty())
    copy = module.clone();
}

void FallbackVariant::drop(ModuleOp module, const std::string &reason,
                           CompileReport &report) {
  copy = {};
  report.fallbackDevices.clear();
  report.fallbackPrecision.clear();
  module.emitWarning("the artifact runs only where ")
      << fmt::format("{}", fmt::join(listMissing(module), ", "))
      << " can be used, since it cannot be compiled for machines without: "
      << reason;
}

void FallbackVariant::compile(ModuleOp module, const CompileOptions &options,
                              RunPhaseFn runPhase, CompileReport &report) {
  if (!copy)
    return;
  if (listMissing(module).empty()) {
    // Nothing was placed on such a device.
    copy = {};
    return;
  }
  MLIRContext *context = module.getContext();
  auto error = findError(context, [&] {
    PassManager manager(context);
    manager.addPass(createLeaveOutDevices());
    return manager.run(*copy);
  });
  CompileOptions how = options;
  if (!error &&
      findError(context, [&] { return checkPrecision(*copy, options); }))
    how.precision = "f32";
  const int last = static_cast<int>(EmitPhase::Exec);
  for (int i = static_cast<int>(EmitPhase::Lifted) + 1; !error && i <= last;
       ++i)
    error = findError(context, [&] {
      return runPhase(*copy, static_cast<EmitPhase>(i), how);
    });
  if (error)
    return drop(module, *error, report);
  report.fallbackDevices = listDevices(*copy);
  report.fallbackPrecision = how.precision;
}

void FallbackVariant::checkMemory(ModuleOp module,
                                  const CompileOptions &options,
                                  ArtifactImage &image, CompileReport &report) {
  if (!copy || !hasMemoryCaps(*copy, options))
    return;
  auto error = findError(module.getContext(), [&] {
    CompileReport ignored;
    return weir::checkMemory(*copy, options, image, /*part=*/1, ignored);
  });
  if (!error)
    return;
  image.dropLast();
  drop(module, *error, report);
}
