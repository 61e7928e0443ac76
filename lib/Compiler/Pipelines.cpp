//===- Pipelines.cpp - The order of passes -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Compiler/Pipelines.h"

#include "weir/Conversion/Passes.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Exec/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/Rewriting/Passes.h"
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

void weir::addRules(OpPassManager &manager, const CompileOptions &options) {
  manager.addPass(createSelectEntry({options.entry}));
  if (!options.keep.empty())
    manager.addPass(createKeepTensors({toSmallVector(options.keep)}));
  manager.addPass(createAnnotateDevices({toSmallVector(options.place)}));
}

static void addLifted(OpPassManager &manager, const CompileOptions &options) {
  // One function from here on.
  manager.addPass(createSelectEntry({options.entry}));
  // Inputs that are constants need no shape.
  manager.addPass(createBindInputs({toSmallVector(options.bind)}));
  // Everything later needs sizes: costs, layouts, buffers.
  manager.addPass(createBindShapes({toSmallVector(options.shapes)}));
  verifyPhase(manager, "bound");
  // What is to be seen has a reader before any pass asks who reads it.
  if (!options.keep.empty())
    manager.addPass(createKeepTensors({toSmallVector(options.keep)}));
  // Placement rules name ops as the user wrote them, before any is folded.
  manager.addPass(createAnnotateDevices({toSmallVector(options.place)}));
  SetDevicesOptions devices;
  devices.devices = options.devices;
  devices.topology = options.topology;
  devices.threads = options.threads;
  devices.isolated = options.isolated;
  manager.addPass(createSetDevices(devices));
  // State becomes arguments and results, so that passes see pure SSA.
  manager.addPass(createLiftParameters());
  verifyPhase(manager, "lifted");
}

static void addGraph(OpPassManager &manager, const CompileOptions &options) {
  manager.addPass(createCanonicalizerPass());
  // Equal subgraphs become one before they are grouped apart.
  manager.addPass(createCSEPass());
  manager.addPass(createFoldConstants());
  // Activations first: a scale that is a part of one is none of its own.
  manager.addPass(createRecogniseForms());
  manager.addPass(createFoldAffine());
  // Weights that stand in the text are constants; equal ones become one.
  manager.addPass(createFoldConstants());
  manager.addPass(createCSEPass());
  // Folding leaves constants that nothing reads.
  manager.addPass(createCanonicalizerPass());
  // All indices that are known while compiling are constants now.
  manager.addPass(createCheckIndices());
  // Before layouts, so that a cast and a relayout can be one op, and before
  // parameters are derived, so that weights are cast once.
  if (options.precision == "bf16") {
    manager.addPass(createLowerPrecision());
    manager.addPass(createFoldConstants());
  }
  // Layouts come before groups: a relayout between two ops must not be inside
  // of one kernel.
  manager.addPass(createAssignLayouts());
  // Last, when all that is computed from parameters is there.
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

/// Generated kernels, here because the plan must know all launches.
static void addLoops(OpPassManager &manager, const CompileOptions &options) {
  // The options were checked before.
  auto targets = describeLoopTargets(options.targetCpus);
  if (targets.isOk())
    manager.addPass(createConvertClustersToLoops({toSmallVector(*targets)}));
}

static void addExec(OpPassManager &manager, const CompileOptions &options) {
  manager.addPass(createWeirToExec());
  OpPassManager &entries = manager.nest<exec::EntryOp>();
  // Events first: who may share bytes depends on them.
  entries.addPass(exec::createExecAssignEvents());
  exec::ExecPlanMemoryOptions memory;
  memory.caps = toSmallVector(options.memoryCaps);
  entries.addPass(exec::createExecPlanMemory(memory));
  // The plan is proven before anybody runs it.
  entries.addPass(exec::createExecVerifySchedule());
}

void weir::addPhase(OpPassManager &manager, EmitPhase phase,
                    const CompileOptions &options) {
  switch (phase) {
  case EmitPhase::Import:
  case EmitPhase::Artifact:
  case EmitPhase::Dot:
  case EmitPhase::LLVM:
  case EmitPhase::Assembly:
    return;
  case EmitPhase::Lifted:
    return addLifted(manager, options);
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
    manager.addPass(createLowerGroups({options.allowReference}));
    addLoops(manager, options);
    return verifyPhase(manager, "lowered");
  }
  case EmitPhase::Exec:
    return addExec(manager, options);
  }
}

void weir::registerPipelines() {
  for (int i = 1; i < static_cast<int>(EmitPhase::Artifact); ++i) {
    auto phase = static_cast<EmitPhase>(i);
    std::string name = "weir-phase-" + std::string(toString(phase));
    auto add = [phase](OpPassManager &manager) {
      addPhase(manager, phase, CompileOptions());
    };
    static std::vector<std::unique_ptr<PassPipelineRegistration<>>> pipelines;
    pipelines.push_back(std::make_unique<PassPipelineRegistration<>>(
        name, "The passes that lead to phase " + std::string(toString(phase)),
        add));
  }
  static PassPipelineRegistration<> whole(
      "weir-pipeline", "All phases up to exec", [](OpPassManager &manager) {
        for (int i = 1; i < static_cast<int>(EmitPhase::Artifact); ++i)
          addPhase(manager, static_cast<EmitPhase>(i), CompileOptions());
      });
}
