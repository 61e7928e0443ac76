//===- Pipelines.h - The order of passes -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_COMPILER_PIPELINES_H
#define WEIR_COMPILER_PIPELINES_H

#include "weir/Compiler/Compiler.h"

#include <functional>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace weir {

class CacheFile;

/// Adds the passes of `phase`, which follow the passes of the phase before it.
/// All phases but Graph end with a check of what later phases rely on. Import
/// and Artifact have no passes. `openCache`, which may be empty, is called if
/// there are kernels to generate. No loops are generated for kernels that are
/// in the cache.
void addPhase(mlir::OpPassManager &manager, EmitPhase phase,
              const CompileOptions &options,
              const std::function<CacheFile *()> &openCache = {});

/// Adds the passes of the phase exec that plan memory, prove the plan and
/// predict its times.
void addMemoryPlan(mlir::OpPassManager &manager, const CompileOptions &options);

/// Adds the passes of the phase `lifted`, which apply options to the imported
/// graph. For pipelines that end before this phase. If the options give no
/// shapes, the sizes of inputs may stay unknown. Gradients are then not built.
void addRules(mlir::OpPassManager &manager, const CompileOptions &options);

/// Registers each phase by name (weir-phase-grouped, ...) and the whole
/// pipeline (weir-pipeline), for graph-opt.
void registerPipelines();

} // namespace weir

#endif // WEIR_COMPILER_PIPELINES_H
