//===- Report.h - Reports the compiler's decisions ------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_COMPILER_REPORT_H
#define WEIR_COMPILER_REPORT_H

#include "weir/Compiler/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Fills in `report.ops` from a lifted module.
void reportOps(mlir::ModuleOp module, CompileReport &report);

/// Fills in `report.groups` and the flops from a placed module.
void reportGroups(mlir::ModuleOp module, CompileReport &report);

/// Fills in `report.apart` and `report.moved` from a lowered module.
void reportLaunches(mlir::ModuleOp module, CompileReport &report);

/// Fills in the devices and events from an exec module.
void reportPlan(mlir::ModuleOp module, CompileReport &report);

} // namespace weir

#endif // WEIR_COMPILER_REPORT_H
