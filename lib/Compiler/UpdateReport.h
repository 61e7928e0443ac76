//===- UpdateReport.h - Reports how variables are updated -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_UPDATEREPORT_H
#define WEIR_LIB_COMPILER_UPDATEREPORT_H

#include "weir/Compiler/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace weir {

/// Fills in `report.updates`, `report.packCopies` and `report.recomputed` from
/// an exec module.
void reportUpdates(mlir::ModuleOp module, CompileReport &report);

/// A line for each of `report.recomputed`.
std::string explainRecomputed(const CompileReport &report);

/// A line for each update, for each copy to a place in a pack, and for each
/// value that is computed twice.
std::string explainUpdates(const CompileReport &report);
llvm::json::Array explainUpdatesJson(const CompileReport &report);
/// The copies to places in packs, with the reasons.
llvm::json::Object explainPacksJson(const CompileReport &report);

/// The numbers of updates; no text if there are none.
std::string countUpdates(const CompileReport &report);
llvm::json::Object countUpdatesJson(const CompileReport &report);

} // namespace weir

#endif // WEIR_LIB_COMPILER_UPDATEREPORT_H
