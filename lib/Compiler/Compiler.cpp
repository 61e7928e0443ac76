//===- Compiler.cpp - From a graph to an artifact -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Compiler/Compiler.h"

#include "weir/Artifact/Writer.h"
#include "weir/Compiler/Pipelines.h"
#include "weir/Compiler/Registration.h"
#include "weir/Compiler/Report.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Import/Text.h"
#include "weir/Support/SafeTensors.h"
#include "weir/Target/Artifact/Translation.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

static constexpr std::pair<std::string_view, EmitPhase> phaseNames[] = {
    {"import", EmitPhase::Import},    {"lifted", EmitPhase::Lifted},
    {"graph", EmitPhase::Graph},      {"grouped", EmitPhase::Grouped},
    {"placed", EmitPhase::Placed},    {"partitioned", EmitPhase::Partitioned},
    {"lowered", EmitPhase::Lowered},  {"exec", EmitPhase::Exec},
    {"artifact", EmitPhase::Artifact}};

StatusOr<EmitPhase> weir::parseEmitPhase(std::string_view name) {
  std::string known;
  for (auto [spelling, phase] : phaseNames) {
    if (spelling == name)
      return phase;
    known += (known.empty() ? "" : ", ") + std::string(spelling);
  }
  return invalidArgument(
      fmt::format("unknown phase '{}'; the phases are {}", name, known));
}

std::string_view weir::toString(EmitPhase phase) {
  return phaseNames[static_cast<size_t>(phase)].first;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {
/// One compilation: the context, its diagnostics, and the module on its way.
class Compilation {
public:
  Compilation(const CompileOptions &options, const DiagnosticFn &diagnose)
      : options(options), diagnose(diagnose), messageStream(messages) {
    DialectRegistry registry;
    registerWeirDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  StatusOr<CompileResult> run(const std::string &path,
                              const std::string &output);

private:
  LogicalResult read(const std::string &path);
  LogicalResult runPhases();
  LogicalResult write(const std::string &output);
  void nameOps(Diagnostic &diagnostic);
  void flush() {
    if (!messages.empty())
      diagnose(messages);
    messages.clear();
  }

  const CompileOptions &options;
  const DiagnosticFn &diagnose;
  MLIRContext context{MLIRContext::Threading::DISABLED};
  llvm::SourceMgr sources;
  std::string messages;
  llvm::raw_string_ostream messageStream;
  OwningOpRef<ModuleOp> module;
  CompileResult result;
};
} // namespace

LogicalResult Compilation::read(const std::string &path) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &message);
  if (!buffer) {
    messageStream << "error: " << message << '\n';
    return failure();
  }
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  module = importText(sources, &context);
  if (!module)
    return failure();
  // Parameter files are named relative to the file that names them.
  StringRef folder =
      path == "-" ? StringRef() : llvm::sys::path::parent_path(path);
  (*module)->setAttr(attrs::sourceDir, StringAttr::get(&context, folder));
  return success();
}

LogicalResult Compilation::runPhases() {
  for (int i = 0; i <= static_cast<int>(options.emit); ++i) {
    auto phase = static_cast<EmitPhase>(i);
    PassManager manager(&context);
    addPhase(manager, phase, options);
    if (failed(manager.run(*module)))
      return failure();
    if (phase == EmitPhase::Placed)
      reportGroups(*module, result.report);
    if (phase == EmitPhase::Exec)
      reportPlan(*module, result.report);
    flush();
  }
  return success();
}

LogicalResult Compilation::write(const std::string &output) {
  if (options.emit != EmitPhase::Artifact) {
    // Where the source lies is no part of the graph.
    (*module)->removeAttr(attrs::sourceDir);
    llvm::raw_string_ostream text(result.text);
    printWithNames(*module, text);
    return success();
  }
  FailureOr<ArtifactImage> image = translateToArtifact(*module);
  if (failed(image))
    return failure();
  Status status = artifact::writeFile(output, image->model, image->blobs);
  if (status.isOk())
    return success();
  messageStream << "error: " << StringRef(status.message()) << '\n';
  return failure();
}

/// Adds the op's name to messages about it: people know their graph by names.
void Compilation::nameOps(Diagnostic &diagnostic) {
  StringRef name = getName(diagnostic.getLocation());
  if (!name.empty() && !StringRef(diagnostic.str()).contains(name))
    diagnostic << " (at '" << name << "')";
}

StatusOr<CompileResult> Compilation::run(const std::string &path,
                                         const std::string &output) {
  SourceMgrDiagnosticHandler handler(sources, &context, messageStream);
  context.printOpOnDiagnostic(false);
  ScopedDiagnosticHandler namer(&context, [&](Diagnostic &diagnostic) {
    nameOps(diagnostic);
    return failure();
  });
  bool isDone = succeeded(read(path)) && succeeded(runPhases()) &&
                succeeded(write(output));
  flush();
  if (!isDone)
    return invalidArgument("compilation failed");
  return std::move(result);
}

StatusOr<CompileResult> weir::compileFile(const std::string &path,
                                          const std::string &output,
                                          const CompileOptions &options,
                                          const DiagnosticFn &diagnose) {
  return Compilation(options, diagnose).run(path, output);
}
