//===- FallbackVariant.cpp - For machines that lack devices ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FallbackVariant.h"

#include "CheckOptions.h"
#include "FitMemory.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
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
  for (StringRef name :
       getDeviceTable(module).getNames().getAsValueRange<StringAttr>())
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

FallbackVariant::Messages
FallbackVariant::collect(llvm::function_ref<LogicalResult()> work) {
  Messages messages;
  ScopedDiagnosticHandler keeper(
      copy->getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          messages.others.push_back(std::move(diagnostic));
        else if (!messages.error)
          messages.error = diagnostic.str();
        return success();
      });
  if (succeeded(work()))
    messages.error.reset();
  else if (!messages.error)
    messages.error = "compilation failed";
  return messages;
}

/// Shows those of `messages` that the compilation of the graph itself has not
/// shown.
void FallbackVariant::say(ModuleOp module, Messages messages) {
  const std::string where = fmt::format(" (on machines without {})",
                                        fmt::join(listMissing(module), ", "));
  for (Diagnostic &each : messages.others) {
    if (!known.insert(each.str()).second)
      continue;
    InFlightDiagnostic shown = module.getContext()->getDiagEngine().emit(
        each.getLocation(), each.getSeverity());
    shown << each.str() << where;
    for (Diagnostic &note : each.getNotes())
      shown.attachNote(note.getLocation()) << note.str();
  }
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
  emitWarning(UnknownLoc::get(module.getContext()),
              "the artifact runs only where ")
      << fmt::format("{}", fmt::join(listMissing(module), ", "))
      << " can be used, since it cannot be compiled for machines without: "
      << reason;
}

void FallbackVariant::compile(ModuleOp module, const CompileOptions &options,
                              RunPhaseFn runPhase, CompileReport &report) {
  if (!copy)
    return;
  if (listMissing(module).empty()) {
    // No group was placed on a device that may be missing.
    copy = {};
    return;
  }
  CompileOptions how = options;
  Messages messages = collect([&] {
    PassManager manager(module.getContext());
    manager.addPass(
        createLeaveOutDevices({static_cast<uint32_t>(options.threads)}));
    if (failed(manager.run(*copy)))
      return failure();
    if (collect([&] { return checkPrecision(*copy, options); }).error)
      how.precision = "f32";
    for (int i = static_cast<int>(EmitPhase::Lifted) + 1;
         i <= static_cast<int>(EmitPhase::Exec); ++i)
      if (failed(runPhase(*copy, static_cast<EmitPhase>(i), how)))
        return failure();
    return success();
  });
  if (messages.error)
    return drop(module, *messages.error, report);
  say(module, std::move(messages));
  report.fallbackDevices = listDevices(*copy);
  report.fallbackPrecision = how.precision;
}

void FallbackVariant::translate(ModuleOp module,
                                ArtifactTranslation &translation,
                                CompileReport &report) {
  if (!copy)
    return;
  Messages messages = collect([&] { return translation.add(*copy); });
  if (messages.error)
    return drop(module, *messages.error, report);
  say(module, std::move(messages));
}

void FallbackVariant::keepPlan(const CompileOptions &options) {
  if (copy && hasMemoryCaps(*copy, options))
    plan = copy->clone();
}

bool FallbackVariant::fitMemory(const CompileOptions &options,
                                ArtifactImage &image) {
  if (!copy || !plan)
    return false;
  bool isChanged = false;
  // A failure is reported when the memory is checked.
  fitMessages = collect([&] {
    CountedMemory held = countMemory(*plan, options, image, /*part=*/1);
    FailureOr<SpareBytes> fitted = failure();
    if (held)
      fitted = weir::fitMemory(*plan, options, *held);
    if (failed(fitted))
      return failure();
    spare = *std::move(fitted);
    isChanged = !spare.empty();
    return success();
  });
  return isChanged;
}

void FallbackVariant::usePlan() {
  if (copy && plan)
    copy = std::move(plan);
}

void FallbackVariant::checkMemory(ModuleOp module,
                                  const CompileOptions &options,
                                  ArtifactImage &image, CompileReport &report) {
  if (!copy || !hasMemoryCaps(*copy, options))
    return;
  Messages messages = collect([&] {
    CountedMemory held = countMemory(*copy, options, image, /*part=*/1);
    CompileReport ignored;
    return held ? weir::checkMemory(*copy, options, *held, spare, ignored)
                : failure();
  });
  if (!messages.error) {
    say(module, std::move(fitMessages));
    return say(module, std::move(messages));
  }
  image.dropLast();
  drop(module, *messages.error, report);
}
