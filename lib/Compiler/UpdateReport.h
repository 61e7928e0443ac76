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

/// Sets `report.updates`, `report.packCopies` and `report.recomputed` from an
/// exec module.
void reportUpdates(mlir::ModuleOp module, CompileReport &report);

/// The text about `report.recomputed`, with a line for each value.
std::string explainRecomputed(const CompileReport &report);

/// The text with a line for each update, for each copy into a pack, and for
/// each value that is computed twice.
std::string explainUpdates(const CompileReport &report);
llvm::json::Array explainUpdatesJson(const CompileReport &report);
/// The copies into packs, with the reasons for the copies.
llvm::json::Object explainPacksJson(const CompileReport &report);

/// How many updates there are of each kind. The text is empty if there are
/// none.
std::string countUpdates(const CompileReport &report);
llvm::json::Object countUpdatesJson(const CompileReport &report);

} // namespace weir

#endif // WEIR_LIB_COMPILER_UPDATEREPORT_H
