//===- Simulation.h - The plan's timeline by predicted times ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_SIMULATION_H
#define WEIR_LIB_COMPILER_SIMULATION_H

#include "weir/Compiler/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Adds the timelines of the entries of `module` to the report. The module is
/// in the exec dialect. Its entries and those of the report are in the same
/// order. The pass -exec-predict-times must have set how long the commands
/// last.
mlir::LogicalResult simulatePlan(mlir::ModuleOp module, CompileReport &report);

} // namespace weir

#endif // WEIR_LIB_COMPILER_SIMULATION_H
