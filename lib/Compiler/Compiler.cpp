//===- Compiler.cpp - From a graph to an artifact ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Compiler/Compiler.h"

#include "CachedKernels.h"
#include "CheckOptions.h"
#include "CheckedKernels.h"
#include "FallbackVariant.h"
#include "FitMemory.h"
#include "FrontEnd.h"
#include "GraphText.h"
#include "KernelChecker.h"
#include "MLIRFlags.h"
#include "MemoryCaps.h"
#include "MemoryNeed.h"
#include "MessageLog.h"
#include "Simulation.h"
#include "weir/Artifact/Writer.h"
#include "weir/Compiler/CompileModule.h"
#include "weir/Compiler/Dot.h"
#include "weir/Compiler/Pipelines.h"
#include "weir/Compiler/Registration.h"
#include "weir/Compiler/Report.h"
#include "weir/Conversion/LinalgToKernels.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Lifting/ParameterFiles.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/TensorNames.h"
#include "weir/Import/Text.h"
#include "weir/Target/Artifact/Translation.h"
#include "weir/Target/CPU/CompileKernels.h"
#include "weir/Target/NVPTX/CompileGpuKernels.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/Timing.h"

using namespace mlir;
using namespace weir;

namespace {
/// One compilation of a graph. It holds the module in its current state.
class Compilation {
public:
  Compilation(SourceGraph graph, MessageLog &log)
      : context(*graph.module->getContext()),
        options(withEnvironment(graph.options)),
        topology(std::move(graph.topology)), log(log),
        files(std::move(graph.files)), module(std::move(graph.module)),
        // Flags of MLIR can print the loops of kernels or change their code, so
        // no cache is used with them.
        cache(hasMLIRFlags() ? "off" : options.kernelCache) {
    log.setListener([this](const Diagnostic &diagnostic) {
      fallback.noteMessage(diagnostic);
    });
  }
  ~Compilation() { log.setListener({}); }
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  /// Compiles the graph, and writes the result to `output` if that is a file.
  StatusOr<CompileResult> run(const std::string &output);

private:
  /// Runs the passes that `add` adds to the manager on `target`.
  LogicalResult runPasses(ModuleOp target,
                          llvm::function_ref<LogicalResult(PassManager &)> add);
  LogicalResult runPhase(ModuleOp target, EmitPhase phase,
                         const CompileOptions &how);
  LogicalResult describeDevices();
  LogicalResult checkRules();
  LogicalResult readWeights();
  LogicalResult checkPhase();
  LogicalResult makeChecker();
  LogicalResult runPhases();
  LogicalResult finishPhase(EmitPhase phase);
  LogicalResult runPipeline();
  LogicalResult printCode();
  LogicalResult printResult(const std::string &output);
  LogicalResult finishPlan();
  FailureOr<ArtifactImage> translatePlan();
  FailureOr<ArtifactImage> translate();
  LogicalResult fitPlan();
  LogicalResult write(const std::string &output);
  Status checkOutput(const std::string &output);
  Status writeArtifact(const std::string &output, ArtifactImage &image);
  /// The cache. Null if the result is text, because the text must show all
  /// loops.
  CacheFile *openCache() {
    return options.emit == EmitPhase::Artifact ? cache.open() : nullptr;
  }
  void reportCache(const ArtifactImage &image);

  MLIRContext &context;
  const CompileOptions options;
  const std::optional<Topology> topology;
  MessageLog &log;
  /// The files that this compilation reads, or will read.
  FileUses files;
  OwningOpRef<ModuleOp> module;
  FallbackVariant fallback;
  FittedPlan fitted;
  EntryTensors tensors;
  CachedKernels cache;
  /// The checker of kernels, if the options ask for checks.
  std::optional<KernelChecker> checker;
  /// An error that does not concern the graph.
  Status fileStatus;
  CompileResult result;
};
} // namespace

LogicalResult
Compilation::runPasses(ModuleOp target,
                       llvm::function_ref<LogicalResult(PassManager &)> add) {
  PassManager manager(&context);
  if (hasMLIRFlags()) {
    applyDefaultTimingPassManagerCLOptions(manager);
    if (failed(applyPassManagerCLOptions(manager)))
      return failure();
  }
  // Verification after each pass would take a third of the time of all passes.
  // Only graph-opt verifies so often.
  manager.enableVerifier(false);
  return success(succeeded(add(manager)) && succeeded(manager.run(target)));
}

/// The last phase to run for this kind of output.
static EmitPhase getLastPhase(EmitPhase emit) {
  switch (emit) {
  case EmitPhase::Dot:
    return EmitPhase::Partitioned;
  case EmitPhase::LLVM:
  case EmitPhase::Assembly:
  case EmitPhase::Ptx:
    // The code of a kernel depends on which buffers share memory, which is
    // known only with the plan.
    return EmitPhase::Exec;
  default:
    return emit;
  }
}

/// Whether all ops are verified after `phase`. Verification takes as long as
/// several passes. So it runs only when the graph is no longer rewritten, when
/// its kernels are chosen, when there is a plan, and before anything is
/// printed. `weir-verify-phase` verifies the user's ops as soon as their shapes
/// are known.
static bool isVerifiedBehind(EmitPhase phase, EmitPhase emit) {
  switch (phase) {
  case EmitPhase::Graph:
  case EmitPhase::Lowered:
  case EmitPhase::Exec:
    return true;
  case EmitPhase::Artifact:
    return false;
  default:
    return phase == getLastPhase(emit);
  }
}

LogicalResult Compilation::runPhase(ModuleOp target, EmitPhase phase,
                                    const CompileOptions &how) {
  if (failed(runPasses(target, [&](PassManager &manager) {
        addPhase(manager, phase, how, [&] { return openCache(); });
        return success();
      })))
    return failure();
  if (checker && phase == EmitPhase::Lowered &&
      failed(checker->checkLaunches(target)))
    return failure();
  return isVerifiedBehind(phase, options.emit) ? verify(target) : success();
}

LogicalResult Compilation::runPipeline() {
  LogicalResult result = runPasses(*module, [&](PassManager &manager) {
    auto parsed = parsePassPipelineOption(options.passPipeline);
    // `checkOptions` has already parsed the pipeline.
    assert(parsed.isOk() && "expected checked options");
    static_cast<OpPassManager &>(manager) = *std::move(parsed);
    return success();
  });
  return failed(result) ? failure() : verify(*module);
}

/// Refuses a graph that phases after `graph` have made. These phases would run
/// a second time, and would take their own results for the user's wishes.
LogicalResult Compilation::checkPhase() {
  auto refuse = [&](Operation *op) {
    op->emitError() << "'" << op->getName() << "' is made by a later phase; "
                    << compiledPhases;
    return WalkResult::interrupt();
  };
  WalkResult result = (*module)->walk([&](Operation *op) {
    bool isLate = isa<GroupOp, CopyOp, LaunchOp, ViewOp, JoinOp>(op) ||
                  op->getName().getDialectNamespace() == "exec";
    return isLate ? refuse(op) : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Says in the module what the topology says.
LogicalResult Compilation::describeDevices() {
  return topology ? setDevices(*module, *topology) : success();
}

/// Checks the options that name things in the imported graph. The names must
/// exist even if no phase uses the options.
LogicalResult Compilation::checkRules() {
  if (options.entries.empty() && options.gradients.empty() &&
      options.train.empty() && options.place.empty() && options.keep.empty() &&
      options.shapes.empty() && options.bind.empty() &&
      options.portSpaces.empty() && options.isolated.empty())
    return success();
  OwningOpRef<ModuleOp> kept = module->clone();
  if (failed(describeDevices()))
    return failure();
  LogicalResult result = runPasses(*module, [&](PassManager &manager) {
    addRules(manager, options);
    return success();
  });
  module = std::move(kept);
  return result;
}

/// Weights are read before all phases, so that the imported graph has them too.
LogicalResult Compilation::readWeights() {
  if (options.weights.empty())
    return success();
  // The emitted text is compiled later, and the file of weights may have
  // changed by then.
  const bool isText = options.emit < EmitPhase::Artifact;
  return runPasses(*module, [&](PassManager &manager) {
    manager.addPass(createReadWeights({options.weights, isText}));
    return success();
  });
}

LogicalResult Compilation::makeChecker() {
  if (!options.checkKernels)
    return success();
  StatusOr<KernelChecker> made = KernelChecker::make(options.checkedKernels);
  if (made.isOk())
    checker = *std::move(made);
  else
    fileStatus = std::move(made).status();
  return success(checker.has_value());
}

LogicalResult Compilation::runPhases() {
  EmitPhase last = getLastPhase(options.emit);
  if (failed(checkPhase()) || failed(makeChecker()) || failed(readWeights()) ||
      (last == EmitPhase::Import && failed(checkRules())))
    return failure();
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    auto phase = static_cast<EmitPhase>(i);
    if (phase == EmitPhase::Lifted && failed(describeDevices()))
      return failure();
    if (failed(runPhase(*module, phase, options)) || failed(finishPhase(phase)))
      return failure();
    log.flush();
  }
  fallback.compile(
      *module, options, [&](auto &&...phase) { return runPhase(phase...); },
      result.report);
  log.flush();
  return success();
}

/// Checks and reports what is known after `phase`.
LogicalResult Compilation::finishPhase(EmitPhase phase) {
  if (phase == EmitPhase::Lifted) {
    if (failed(checkCapNames(*module, options)) ||
        failed(checkPrecision(*module, options)))
      return failure();
    for (auto entry : module->getOps<func::FuncOp>())
      tensors[entry.getName()] = listTensors(entry);
    if (options.listOps)
      reportOps(*module, result.report);
    if (options.emit == EmitPhase::Artifact && !options.strict &&
        options.fallback != "none")
      fallback.keep(*module);
  }
  if (phase == EmitPhase::Placed)
    reportGroups(*module, result.report);
  if (phase == EmitPhase::Lowered)
    reportLaunches(*module, result.report);
  if (phase != EmitPhase::Exec)
    return success();
  // There is no warning with a topology, which may describe another machine.
  if (options.topology.empty())
    warnIfTooLarge(*module);
  return finishPlan();
}

/// Prints the code of the generated kernels. Each target CPU has code of its
/// own.
LogicalResult Compilation::printCode() {
  const bool isForGpu = options.emit == EmitPhase::Ptx;
  for (auto kernels : module->getOps<ModuleOp>()) {
    if (kernels->hasAttr(kernelattrs::targetGpus) != isForGpu)
      continue;
    FailureOr<std::string> text =
        isForGpu ? printGpuKernels(kernels)
                 : printKernels(kernels, options.emit == EmitPhase::Assembly);
    if (failed(text))
      return failure();
    result.text += *text;
  }
  if (result.text.empty())
    emitWarning(UnknownLoc::get(&context),
                "there is no code to print: no kernel is generated for ")
        << (isForGpu ? "a GPU; place ops on one (--devices=cuda:0)" : "a CPU");
  return success();
}

/// Prints the text that is asked for in place of an artifact.
LogicalResult Compilation::printResult(const std::string &output) {
  if (options.emit == EmitPhase::LLVM || options.emit == EmitPhase::Assembly ||
      options.emit == EmitPhase::Ptx)
    return printCode();
  llvm::raw_string_ostream text(result.text);
  if (options.emit == EmitPhase::Dot) {
    printDot(*module, text);
    return success();
  }
  nameFilesFrom(output, *module);
  // The folder of the source is not a part of the graph.
  (*module)->removeAttr(attrs::sourceDir);
  printWithNames(*module, text);
  return success();
}

/// Translates the current plans to an artifact. This generates code, which
/// replaces the ops of kernels.
FailureOr<ArtifactImage> Compilation::translatePlan() {
  CheckCodeFn checkCode;
  if (checker)
    checkCode = [&](ModuleOp target, const CompiledKernels &compiled) {
      return checker->checkCode(target, compiled);
    };
  ArtifactTranslation translation(tensors, cache.get(), checkCode);
  if (failed(translation.add(*module)))
    return failure();
  fallback.translate(*module, translation, result.report);
  ArtifactImage image = translation.takeImage();
  // A bug of the compiler must be found before an artifact is replaced.
  fileStatus = checkImage(image);
  if (!fileStatus.isOk())
    return failure();
  return image;
}

/// Checks and reports a plan.
LogicalResult Compilation::finishPlan() {
  reportPlan(*module, result.report);
  return options.simulate ? simulatePlan(*module, result.report) : success();
}

/// Translates the plans to an artifact. Counts the memory of the artifact if a
/// cap or the report needs it.
FailureOr<ArtifactImage> Compilation::translate() {
  const bool hasCaps = hasMemoryCaps(*module, options);
  auto translate = [&] { return translatePlan(); };
  FailureOr<ArtifactImage> image =
      hasCaps ? fitted.translate(module, options, fallback, translate)
              : translate();
  if (failed(image))
    return failure();
  const SpareBytes &spare = fitted.spare;
  if (!spare.empty() && failed(finishPlan()))
    return failure();
  if (options.emit == EmitPhase::Artifact)
    reportCache(*image);
  if (hasCaps || options.countMemory) {
    CountedMemory held = countMemory(*module, options, *image, /*part=*/0);
    if (!held ||
        failed(checkMemory(*module, options, *held, spare, result.report)))
      return failure();
  }
  fallback.checkMemory(*module, options, *image, result.report);
  return image;
}

/// Replaces the module by a plan that fits into the memory caps. The plan has
/// no generated code.
LogicalResult Compilation::fitPlan() {
  FailureOr<ArtifactImage> image = translate();
  module = std::move(fitted.plan);
  return image;
}

LogicalResult Compilation::write(const std::string &output) {
  if (options.emit == EmitPhase::Artifact) {
    FailureOr<ArtifactImage> image = translate();
    if (succeeded(image))
      fileStatus = writeArtifact(output, *image);
    return success(succeeded(image) && fileStatus.isOk());
  }
  // A plan that is printed must meet the caps, too.
  const bool hasPlan = options.passPipeline.empty() &&
                       getLastPhase(options.emit) == EmitPhase::Exec;
  if (hasPlan && hasMemoryCaps(*module, options) && failed(fitPlan()))
    return failure();
  return printResult(output);
}

/// Refuses to overwrite a file that the compilation reads. The check comes
/// before any work.
Status Compilation::checkOutput(const std::string &output) {
  addParameterFiles(*module, files);
  files.readsPlugins();
  if (!output.empty())
    files.replaces("the output", output);
  if (!options.traceFile.empty())
    files.replaces("--simulate", options.traceFile);
  return files.check();
}

void Compilation::reportCache(const ArtifactImage &image) {
  KernelCacheReport &report = result.report.kernelCache.emplace(
      cache.close(image.numKernels, image.numFound));
  report.gpuImages = image.gpuImages;
  if (cache.hasWarning())
    log.addNote(report.note + "; kernels that are not found are compiled");
}

Status Compilation::writeArtifact(const std::string &output,
                                  ArtifactImage &image) {
  if (!output.empty())
    return artifact::writeFile(output, image.model, image.blobs, image.hashes);
  WEIR_ASSIGN_OR_RETURN(
      result.artifact,
      artifact::toBytes(image.model, image.blobs, image.hashes));
  return Status::ok();
}

StatusOr<CompileResult> Compilation::run(const std::string &output) {
  // The options that the importer applies are already removed from `options`.
  if (!options.passPipeline.empty())
    WEIR_RETURN_IF_ERROR(checkPipelineOptions(options));
  const Status usable = checkOutput(output);
  log.flush();
  WEIR_RETURN_IF_ERROR(usable);
  const bool isDone =
      succeeded(options.passPipeline.empty() ? runPhases() : runPipeline()) &&
      succeeded(write(output));
  log.flush();
  WEIR_RETURN_IF_ERROR(fileStatus);
  if (isDone)
    return std::move(result);
  return log.makeFailure();
}

/// Checks everything that can be checked before a graph is read. Returns the
/// topology that `options` name. Its errors are not errors of the graph.
static StatusOr<std::optional<Topology>>
checkGiven(const CompileOptions &options, MLIRContext &context) {
  WEIR_RETURN_IF_ERROR(checkOptions(options));
  std::optional<Topology> topology;
  if (!options.topology.empty()) {
    WEIR_ASSIGN_OR_RETURN(topology, readDevices(options.topology, &context));
  }
  return topology;
}

/// Compiles `graph`. `log` already has the messages of reading it.
static StatusOr<CompileResult> compile(StatusOr<SourceGraph> graph,
                                       std::optional<Topology> topology,
                                       const std::string &output,
                                       MessageLog &log) {
  if (!graph.isOk()) {
    log.flush();
    return std::move(graph).status();
  }
  if (!graph->module)
    return log.makeFailure();
  graph->topology = std::move(topology);
  return Compilation(*std::move(graph), log).run(output);
}

StatusOr<CompileResult> weir::compileFile(const std::string &path,
                                          const std::string &output,
                                          const CompileOptions &options,
                                          const DiagnosticFn &diagnose) {
  DialectRegistry registry;
  registerWeirDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  WEIR_ASSIGN_OR_RETURN(std::optional<Topology> topology,
                        checkGiven(options, context));
  MessageLog log(context, path, diagnose);
  return compile(readGraph(path, options, log.getSources(), context),
                 std::move(topology), output, log);
}

StatusOr<CompileResult> weir::compileModule(OwningOpRef<ModuleOp> module,
                                            const std::string &output,
                                            const CompileOptions &options,
                                            const DiagnosticFn &diagnose) {
  MLIRContext &context = *module->getContext();
  WEIR_ASSIGN_OR_RETURN(std::optional<Topology> topology,
                        checkGiven(options, context));
  MessageLog log(context, /*file=*/"", diagnose);
  return compile(takeGraph(std::move(module), options), std::move(topology),
                 output, log);
}
