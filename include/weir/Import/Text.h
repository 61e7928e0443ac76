//===- Text.h - Reads textual IR and keeps its names -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_IMPORT_TEXT_H
#define WEIR_IMPORT_TEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace weir {

/// Parses the main buffer of `sources`. Names of ops come from the first of
/// these:
/// - an explicit loc("...");
/// - the SSA name: `%conv1 = ...` gives its op the location "conv1";
/// - otherwise "<mnemonic>_<n>", for an op that is only numbered.
///
/// Entry arguments are named likewise. Returns null after an error, which went
/// to the context's handler.
mlir::OwningOpRef<mlir::ModuleOp> importText(llvm::SourceMgr &sources,
                                             mlir::MLIRContext *context);

/// Names each op without a name "<mnemonic>_<n>", with a number that is unused.
void nameOps(mlir::ModuleOp module);

/// Prints `module` with its names as SSA names, the inverse of `importText`.
void printWithNames(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace weir

#endif // WEIR_IMPORT_TEXT_H
