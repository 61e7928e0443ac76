//===- Pipelines.cpp - The order of passes ----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Compiler/Pipelines.h"

#include "weir/Conversion/Passes.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Exec/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/Training/Passes.h"
#include "weir/Target/CPU/TargetCpu.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace weir;

static llvm::SmallVector<std::string>
toSmallVector(const std::vector<std::string> &list) {
  return {list.begin(), list.end()};
}

static void verifyPhase(OpPassManager &manager, StringRef phase) {
  VerifyPhaseOptions options;
  options.phase = phase.str();
  manager.addPass(createVerifyPhase(options));
}

/// Adds the passes up to `lifted`. If `areBound` is false, inputs may lack
/// shapes, and passes that need shapes are left out.
static void addLifting(OpPassManager &manager, const CompileOptions &options,
                       bool areBound) {
  // All later passes see functions without calls.
  manager.addPass(createInlineCalls());
  // Training entries are added before entries are chosen, so that a user can
  // choose them.
  if (!options.train.empty())
    manager.addPass(createAddTraining({options.train}));
  // From here on all functions of the module are entries.
  manager.addPass(createSelectEntry({toSmallVector(options.entries)}));
  // Inputs are bound before shapes, because a bound input needs no shape.
  manager.addPass(createBindInputs({toSmallVector(options.bind)}));
  if (areBound) {
    // All later passes need sizes, for costs, layouts and buffers.
    manager.addPass(createBindShapes({toSmallVector(options.shapes)}));
    verifyPhase(manager, "bound");
  }
  // Gradients become ordinary outputs.
  if (!options.gradients.empty())
    manager.addPass(createAddGradients({toSmallVector(options.gradients)}));
  // Kept tensors become outputs before any pass looks for readers of tensors.
  if (!options.keep.empty())
    manager.addPass(createKeepTensors({toSmallVector(options.keep)}));
  // Placement rules name ops as the user wrote them, so the rules are applied
  // before ops are folded.
  manager.addPass(createAnnotateDevices({toSmallVector(options.place)}));
  SetDevicesOptions devices;
  devices.devices = options.devices;
  devices.threads = options.threads;
  devices.isolated = options.isolated;
  manager.addPass(createSetDevices(devices));
  // Updates are built after devices are annotated. An update gets the device of
  // the first op that reads its parameter.
  manager.addPass(createBuildSteps());
  // State becomes arguments and results, so that passes see pure SSA.
  manager.addPass(createLiftParameters());
  // Random ops are numbered before equal ops are merged, and before gradients
  // copy their numbers.
  manager.addPass(createNumberStreams());
  // Gradients are built after names and placement rules, so that they inherit
  // both.
  if (areBound)
    manager.addPass(createDifferentiate());
  // This needs the names of outputs and the isolated devices, so it comes last.
  manager.addPass(createSetPortSpaces({toSmallVector(options.portSpaces)}));
  verifyPhase(manager, "lifted");
}

void weir::addRules(OpPassManager &manager, const CompileOptions &options) {
  // --emit=import also prints graphs whose inputs have no shape yet.
  addLifting(manager, options, /*areBound=*/!options.shapes.empty());
}

static void addGraph(OpPassManager &manager, const CompileOptions &options) {
  manager.addPass(createCanonicalizerPass());
  // Equal subgraphs are merged before they can end up in different groups.
  manager.addPass(createCSEPass());
  manager.addPass(createFoldConstants());
  // Activations are recognised before scales are folded, because the scales
  // inside of an activation must stay.
  manager.addPass(createRecogniseForms());
  manager.addPass(createFoldAffine());
  // Weights in the text are constants, and equal ones are now merged.
  manager.addPass(createFoldConstants());
  manager.addPass(createCSEPass());
  // Folding leaves constants that nothing reads.
  manager.addPass(createCanonicalizerPass());
  // Indices are checked now, because all indices that can be known at compile
  // time are constants.
  manager.addPass(createCheckIndices());
  // Casts come before layouts, so that a cast and a relayout can be one op.
  // Casts also come before derived parameters, so that weights are cast only
  // once.
  if (options.precision != "f32") {
    manager.addPass(createLowerPrecision({options.precision}));
    manager.addPass(createFoldConstants());
  }
  // Layouts come before groups, because a relayout must not be inside of a
  // group.
  manager.addPass(createAssignLayouts());
  // Parameters are derived last, when all values that depend on parameters
  // alone exist.
  manager.addPass(createDeriveParameters());
}

static void addPlaced(OpPassManager &manager, const CompileOptions &options) {
  PlaceGroupsOptions place;
  place.mode = options.placement;
  place.strict = options.strict;
  place.allowReference = options.allowReference;
  manager.addPass(createPlaceGroups(place));
  verifyPhase(manager, "placed");
}

/// Generates the loops of kernels. The plan needs them, because it must know
/// all launches.
static void addLoops(OpPassManager &manager, const CompileOptions &options,
                     const OpenCacheFn &openCache) {
  // The options have already been checked.
  auto targets = describeLoopTargets(options.targetCpus);
  if (targets.isOk())
    manager.addPass(createConvertClustersToLoops(
        {toSmallVector(*targets), toSmallVector(options.targetGpus),
         options.checkKernels},
        openCache));
}

void weir::addMemoryPlan(OpPassManager &manager,
                         const CompileOptions &options) {
  OpPassManager &entries = manager.nest<exec::EntryOp>();
  exec::ExecPlanMemoryOptions memory;
  memory.inFlight = options.inFlight;
  entries.addPass(exec::createExecPlanMemory(memory));
  // The schedule is verified before any run.
  entries.addPass(exec::createExecVerifySchedule());
  // Times are predicted when the list of commands is complete.
  exec::ExecPredictTimesOptions times;
  times.all = options.simulate;
  manager.addPass(exec::createExecPredictTimes(times));
}

static void addExec(OpPassManager &manager, const CompileOptions &options) {
  manager.addPass(createWeirToExec());
  OpPassManager &entries = manager.nest<exec::EntryOp>();
  // Launches are ordered first, because events follow from the order of
  // commands.
  entries.addPass(exec::createExecOrderLaunches());
  // Memory comes after events, because events decide which buffers may share
  // bytes.
  entries.addPass(exec::createExecAssignEvents());
  // Most memory of a training step holds values for its backward part. Some of
  // these values are very cheap to compute again. They are computed again only
  // if one run is in flight at a time. With several runs in flight, some
  // buffers have arenas of their own.
  if (options.inFlight == 1) {
    exec::ExecRecomputeOptions recompute;
    recompute.share = 0.005;
    recompute.shareAbove = uint64_t{16} << 20;
    entries.addPass(exec::createExecRecompute(recompute));
  }
  addMemoryPlan(manager, options);
}

void weir::addPhase(OpPassManager &manager, EmitPhase phase,
                    const CompileOptions &options,
                    const OpenCacheFn &openCache) {
  switch (phase) {
  case EmitPhase::Import:
  case EmitPhase::Artifact:
  case EmitPhase::Dot:
  case EmitPhase::LLVM:
  case EmitPhase::Assembly:
  case EmitPhase::Ptx:
    return;
  case EmitPhase::Lifted:
    return addLifting(manager, options, /*areBound=*/true);
  case EmitPhase::Graph:
    return addGraph(manager, options);
  case EmitPhase::Grouped:
    manager.addPass(createFormGroups());
    return verifyPhase(manager, "grouped");
  case EmitPhase::Placed:
    return addPlaced(manager, options);
  case EmitPhase::Partitioned:
    manager.addPass(createInsertCopies());
    return verifyPhase(manager, "partitioned");
  case EmitPhase::Lowered: {
    // Attention is fused before transposes become views, because a fused kernel
    // may accept layouts that the separate kernels do not.
    manager.addPass(createFuseAttention());
    // Transposes become views before ops become launches, because the types of
    // launches can no longer change.
    manager.addPass(createViewTransposes());
    manager.addPass(
        createLowerGroups({options.allowReference, options.checkKernels}));
    addLoops(manager, options, openCache);
    return verifyPhase(manager, "lowered");
  }
  case EmitPhase::Exec:
    return addExec(manager, options);
  }
}

/// Checks that the phases before `phase` have run. A user of graph-opt gives
/// the phases one by one, and may forget one.
static void verifyBefore(OpPassManager &manager, EmitPhase phase) {
  constexpr std::pair<EmitPhase, StringLiteral> properties[] = {
      {EmitPhase::Lifted, "lifted"},
      {EmitPhase::Grouped, "grouped"},
      {EmitPhase::Placed, "placed"},
      {EmitPhase::Partitioned, "partitioned"},
      {EmitPhase::Lowered, "lowered"}};
  for (const auto &[before, property] : properties)
    if (before < phase)
      verifyPhase(manager, property);
}

/// Registers a pipeline without options. MLIR's own registration would refuse
/// options without an error message.
static void registerPipeline(const std::string &name, const std::string &what,
                             const std::function<void(OpPassManager &)> &add) {
  using OnError = llvm::function_ref<LogicalResult(const llvm::Twine &)>;
  registerPassPipeline(
      name, what,
      [=](OpPassManager &manager, StringRef options, OnError onError) {
        if (!options.empty())
          return onError("'" + name + "' takes no options, found '" + options +
                         "'");
        add(manager);
        return success();
      },
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)>) {});
}

void weir::registerPipelines() {
  for (int i = 1; i < static_cast<int>(EmitPhase::Artifact); ++i) {
    auto phase = static_cast<EmitPhase>(i);
    const std::string name(toString(phase));
    registerPipeline("weir-phase-" + name,
                     "The passes that lead to phase " + name,
                     [phase](OpPassManager &manager) {
                       verifyBefore(manager, phase);
                       addPhase(manager, phase, CompileOptions());
                     });
  }
  registerPipeline(
      "weir-pipeline", "All phases up to exec", [](OpPassManager &manager) {
        for (int i = 1; i < static_cast<int>(EmitPhase::Artifact); ++i)
          addPhase(manager, static_cast<EmitPhase>(i), CompileOptions());
      });
}
