//===- CheckOptions.cpp - Are the compile options well-formed? -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CheckOptions.h"

#include "weir/Analysis/Placement.h"
#include "weir/Artifact/Format.h"
#include "weir/Compiler/Compiler.h"
#include "weir/Compiler/Registration.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Dialect/Weir/Transforms/Training/Passes.h"
#include "weir/Import/ONNX.h"
#include "weir/Support/Glob.h"
#include "weir/Support/OptionText.h"
#include "weir/Support/OutputNames.h"
#include "weir/Support/Topology.h"
#include "weir/Target/CPU/TargetCpu.h"
#include "weir/Target/NVPTX/TargetGpu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <utility>

using namespace weir;

/// Parses `texts` by `parse`. The result is the first error, with the flag in
/// front.
template <typename Parse>
static Status check(std::string_view flag,
                    const std::vector<std::string> &texts, Parse parse) {
  for (const std::string &text : texts)
    if (auto parsed = parse(text); !parsed.isOk())
      return std::move(parsed).status().withContext(flag);
  return Status::ok();
}

/// Refuses two of `texts` that set the same thing, such as the shape of one
/// input. `nameOf` returns the name of the thing.
template <typename Parse, typename NameOf>
static Status checkOnce(std::string_view flag,
                        const std::vector<std::string> &texts, Parse parse,
                        NameOf nameOf) {
  std::map<std::string, std::string> seen;
  for (const std::string &text : texts) {
    auto [other, isNew] = seen.emplace(nameOf(*parse(text)), text);
    if (!isNew)
      return givenTwice(other->first, other->second, text).withContext(flag);
  }
  return Status::ok();
}

static StatusOr<std::string> checkEntry(const std::string &name) {
  if (name.empty())
    return invalidArgument("expected the name of a function, found ''");
  return name;
}

/// Refuses flags that are given twice with different values.
static Status checkAllOnce(const CompileOptions &options) {
  WEIR_RETURN_IF_ERROR(
      checkOnce("--entry", options.entries, checkEntry,
                [](const std::string &entry) { return entry; }));
  WEIR_RETURN_IF_ERROR(
      checkOnce("--bind", options.bind, parseBindOption,
                [](const BindOption &bind) { return bind.input; }));
  WEIR_RETURN_IF_ERROR(
      checkOnce("--port-space", options.portSpaces, parsePortSpaceOption,
                [](const PortSpaceOption &space) { return space.port; }));
  return checkOnce("--memory-cap", options.memoryCaps, parseMemoryCap,
                   [](const MemoryCap &cap) { return cap.device.toString(); });
}

/// Refuses a shape for a bound input, because its file gives the shape.
static Status checkBoundShapes(const CompileOptions &options) {
  std::set<std::string> bound;
  for (const std::string &bind : options.bind)
    bound.insert(parseBindOption(bind)->input);
  for (const std::string &text : options.shapes)
    if (const std::string input = parseShapeOption(text)->input;
        bound.contains(input))
      return invalidArgument(fmt::format(
          "--shape={}: --bind makes '{}' a constant, which has the shape of "
          "its file; give one of the two flags",
          text, input));
  return Status::ok();
}

Status weir::checkPipelineOptions(const CompileOptions &options) {
  const CompileOptions none;
  const std::pair<std::string_view, bool> flags[] = {
      {"--entry", !options.entries.empty()},
      {"--shape", !options.shapes.empty()},
      {"--bind", !options.bind.empty()},
      {"--weights", !options.weights.empty()},
      {"--gradient", !options.gradients.empty()},
      {"--train", !options.train.empty()},
      {"--place", !options.place.empty()},
      {"--keep", !options.keep.empty()},
      {"--devices", !options.devices.empty()},
      {"--topology", !options.topology.empty()},
      {"--threads", options.threads != none.threads},
      {"--placement", options.placement != none.placement},
      {"--fallback", options.fallback != none.fallback},
      {"--strict", options.strict},
      {"--isolated", !options.isolated.empty()},
      {"--port-space", !options.portSpaces.empty()},
      {"--in-flight", options.inFlight != none.inFlight},
      {"--memory-cap", !options.memoryCaps.empty()},
      {"--precision", options.precision != none.precision},
      {"--allow-reference", options.allowReference},
      {"--target-cpu", options.targetCpus != none.targetCpus},
      {"--gpu-arch", options.targetGpus != none.targetGpus},
      {"--kernel-cache", !options.kernelCache.empty()},
      {"--check-kernels", options.checkKernels},
  };
  for (const auto &[flag, isGiven] : flags)
    if (isGiven)
      return invalidArgument(fmt::format(
          "{} has no effect on the passes of --pass-pipeline; leave it out, or "
          "give the pass that applies it an option",
          flag));
  return Status::ok();
}

/// Refuses --simulate if no plan is made, because the plan is what is
/// simulated.
static Status checkSimulation(const CompileOptions &options) {
  const bool hasPlan = options.passPipeline.empty() &&
                       options.emit >= EmitPhase::Exec &&
                       options.emit <= EmitPhase::Artifact;
  if (hasPlan || (!options.simulate && options.traceFile.empty()))
    return Status::ok();
  return invalidArgument("--simulate runs the plan in virtual time; give "
                         "--emit=exec, or write the artifact");
}

static Status checkCheckedKernels(const CompileOptions &options) {
  if (!options.checkKernels || options.emit == EmitPhase::Artifact)
    return Status::ok();
  return invalidArgument(
      fmt::format("--check-kernels runs the code of an artifact; leave out "
                  "--emit={}",
                  toString(options.emit)));
}

/// A minimal graph in which --train finds its loss.
static mlir::OwningOpRef<mlir::ModuleOp>
makeTrainable(const TrainOption &option, mlir::MLIRContext &context) {
  mlir::OpBuilder builder(&context);
  const mlir::Location where = builder.getUnknownLoc();
  llvm::SmallVector<int64_t> dims;
  // An op that computes a loss needs scores. These are scores of 2 examples for
  // 3 classes.
  if (!option.lossOp.empty())
    dims = {2, 3};
  auto type = mlir::RankedTensorType::get(dims, builder.getF32Type());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(where);
  builder.setInsertionPointToEnd(module->getBody());
  auto entry = mlir::func::FuncOp::create(
      builder, where, option.entry.empty() ? "main" : option.entry,
      builder.getFunctionType({}, {type}));
  builder.setInsertionPointToEnd(entry.addEntryBlock());
  auto loss = ConstantOp::create(
      builder, mlir::NameLoc::get(builder.getStringAttr(option.loss)), type,
      mlir::DenseElementsAttr::get(type, 0.0F));
  mlir::func::ReturnOp::create(builder, where, loss->getResults());
  return module;
}

/// Checks that the entry that --train adds will be compiled, and that no batch
/// is empty.
static Status checkTrained(const CompileOptions &options) {
  constexpr std::string_view added = "train";
  const std::vector<std::string> &entries = options.entries;
  if (!entries.empty() && llvm::find(entries, added) == entries.end())
    return invalidArgument(fmt::format(
        "--entry={} leaves out '{}', the entry that --train adds; give "
        "--entry={} as well, or leave --entry out",
        entries.front(), added, added));
  for (const std::string &text : options.shapes)
    if (const auto shape = parseShapeOption(text);
        shape->input.find('/') == std::string::npos &&
        llvm::is_contained(shape->dims, 0))
      return invalidArgument(fmt::format(
          "--shape={}: --train expects dims of at least 1, found 0; give the "
          "number of examples in a batch",
          text));
  return Status::ok();
}

/// Finds errors in --train that do not depend on the graph, such as an unknown
/// optimiser.
static Status checkTraining(const CompileOptions &options) {
  const std::string &train = options.train;
  if (train.empty())
    return Status::ok();
  auto option = parseTrainOption(train);
  if (!option.isOk())
    return std::move(option).status().withContext("--train");
  mlir::DialectRegistry registry;
  registerWeirDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string why;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          if (why.empty())
                                            why = diagnostic.str();
                                          return llvm::success();
                                        });
  auto module = makeTrainable(*option, context);
  mlir::PassManager manager(&context);
  manager.enableVerifier(false);
  manager.addPass(createAddTraining({train}));
  return succeeded(manager.run(*module)) ? checkTrained(options)
                                         : invalidArgument(why);
}

static Status checkFile(std::string_view flag, std::string_view file) {
  if (file != "-")
    return Status::ok();
  return invalidArgument(
      fmt::format("{}: expected a file, found '-'; standard input can be read "
                  "only once, and the file is read several times",
                  flag));
}

/// Checks the options that are given beside --pass-pipeline, as far as possible
/// without the graph. Shapes and values of inputs are allowed for an ONNX
/// model, because the importer applies them.
static Status checkPipeline(const CompileOptions &options,
                            const std::string &path) {
  if (options.passPipeline.empty())
    return Status::ok();
  WEIR_RETURN_IF_ERROR(parsePassPipelineOption(options.passPipeline).status());
  CompileOptions rest = options;
  if (path.empty() || isONNXFile(path)) {
    rest.shapes.clear();
    rest.bind.clear();
  }
  return checkPipelineOptions(rest);
}

Status weir::checkOptions(const CompileOptions &options,
                          const std::string &path) {
  if (toString(options.emit).empty())
    return invalidArgument(fmt::format("--emit: there is no phase of number {}",
                                       static_cast<int>(options.emit)));
  if (!options.topology.empty() && !options.devices.empty())
    return invalidArgument("--devices and --topology are both given; give one");
  WEIR_RETURN_IF_ERROR(checkFile("--topology", options.topology));
  WEIR_RETURN_IF_ERROR(checkFile("--weights", options.weights));
  if (options.threads < 0 || options.threads > maxDeviceThreads)
    return invalidArgument(fmt::format("--threads: expected 0 to {}, found {}",
                                       maxDeviceThreads, options.threads));
  if (options.inFlight < 1 || options.inFlight > int64_t(artifact::maxFrames))
    return invalidArgument(
        fmt::format("--in-flight: expected 1 to {}, found {}",
                    artifact::maxFrames, options.inFlight));
  if (!options.devices.empty())
    WEIR_RETURN_IF_ERROR(
        check("--devices", {options.devices}, parseDeviceList));
  if (options.targetCpus.empty())
    return invalidArgument("--target-cpu: expected a CPU, found none; native "
                           "is the one of this machine");
  if (auto targets = describeLoopTargets(options.targetCpus); !targets.isOk())
    return std::move(targets).status().withContext("--target-cpu");
  if (auto gpus = parseTargetGpus(options.targetGpus); !gpus.isOk())
    return std::move(gpus).status().withContext("--gpu-arch");
  if (options.precision != "f32" && options.precision != "bf16" &&
      options.precision != "f16")
    return invalidArgument(fmt::format("--precision: unknown precision '{}'; "
                                       "the precisions are f32, bf16, f16",
                                       options.precision));
  if (options.kernelCache != "off")
    WEIR_RETURN_IF_ERROR(checkNoMode("--kernel-cache", options.kernelCache,
                                     "--kernel-cache=off keeps no kernels"));
  if (options.fallback != "cpu" && options.fallback != "none")
    return invalidArgument(fmt::format(
        "--fallback: expected cpu or none, found '{}'", options.fallback));
  WEIR_RETURN_IF_ERROR(checkPipeline(options, path));
  WEIR_RETURN_IF_ERROR(check("--entry", options.entries, checkEntry));
  WEIR_RETURN_IF_ERROR(check("--keep", options.keep, Glob::parse));
  WEIR_RETURN_IF_ERROR(check("--shape", options.shapes, parseShapeOption));
  WEIR_RETURN_IF_ERROR(check("--bind", options.bind, parseBindOption));
  WEIR_RETURN_IF_ERROR(
      check("--gradient", options.gradients, parseGradientOption));
  WEIR_RETURN_IF_ERROR(checkTraining(options));
  WEIR_RETURN_IF_ERROR(check("--place", options.place, parsePlacementRule));
  WEIR_RETURN_IF_ERROR(
      check("--port-space", options.portSpaces, parsePortSpaceOption));
  WEIR_RETURN_IF_ERROR(
      check("--memory-cap", options.memoryCaps, parseMemoryCap));
  if (!options.isolated.empty() && options.isolated != "all")
    WEIR_RETURN_IF_ERROR(
        check("--isolated", {options.isolated}, parseDeviceList));
  WEIR_RETURN_IF_ERROR(checkAllOnce(options));
  WEIR_RETURN_IF_ERROR(checkBoundShapes(options));
  WEIR_RETURN_IF_ERROR(checkSimulation(options));
  WEIR_RETURN_IF_ERROR(checkCheckedKernels(options));
  return check("--placement", {options.placement},
               analysis::parsePlacementMode);
}

llvm::LogicalResult weir::checkPrecision(mlir::ModuleOp module,
                                         const CompileOptions &options) {
  if (options.precision != "f16")
    return llvm::success();
  llvm::FailureOr<Topology> devices = getDevices(module);
  if (failed(devices))
    return llvm::failure();
  std::vector<std::string> names;
  for (const DeviceDesc &device : devices->devices) {
    if (computesIn(device, "f16"))
      return llvm::success();
    names.push_back(device.name.toString());
  }
  return mlir::emitError(
             mlir::UnknownLoc::get(module.getContext()),
             "--precision=f16: no device has kernels for f16 among ")
         << fmt::format("{}", fmt::join(names, ", "))
         << "; add one that does (--devices=cuda:0), or take --precision=bf16";
}
