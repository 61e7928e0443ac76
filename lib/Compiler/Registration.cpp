//===- Registration.cpp - Registers Weir's dialects and passes ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Compiler/Registration.h"

#include "CapturedErrors.h"
#include "FlagValues.h"
#include "weir/Compiler/Pipelines.h"
#include "weir/Conversion/Passes.h"
#include "weir/Dialect/Exec/IR/ExecDialect.h"
#include "weir/Dialect/Exec/Transforms/Passes.h"
#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/Training/Passes.h"
#include "weir/Target/Artifact/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include <fmt/format.h>
#include <mutex>

using namespace weir;

void weir::registerWeirDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, WeirDialect, exec::ExecDialect>();
}

static void registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  registerArtifactTargetPasses();
  registerWeirConversionPasses();
  registerWeirTrainingPasses();
  registerWeirTransformsPasses();
  exec::registerExecPasses();
  registerPipelines();
}

void weir::registerWeirPasses() {
  // The table of passes belongs to the process, so passes are registered only
  // once.
  static std::once_flag isDone;
  std::call_once(isDone, registerPasses);
}

StatusOr<mlir::OpPassManager>
weir::parsePassPipelineOption(const std::string &text) {
  WEIR_RETURN_IF_ERROR(checkFlagValue("--pass-pipeline=" + text));
  registerWeirPasses();
  std::string why;
  llvm::raw_string_ostream whyStream(why);
  CapturedErrors captured;
  auto parsed = mlir::parsePassPipeline(text, whyStream);
  if (mlir::succeeded(parsed))
    return *std::move(parsed);
  if (const std::string printed = captured.take(); !printed.empty())
    return invalidArgument("--pass-pipeline: " + printed);
  // `why` is "MLIR Textual PassPipeline Parser:1:1: error: ..." and then the
  // text again.
  llvm::StringRef message = llvm::StringRef(why).split('\n').first;
  if (size_t error = message.find("error: "); error != message.npos)
    message = message.substr(error).split(": ").second;
  return invalidArgument(fmt::format(
      "--pass-pipeline: {}; graph-opt --help lists the passes", message.str()));
}
