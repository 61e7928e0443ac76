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

/// Parses the main buffer of `sources`. SSA names become op names: `%conv1 =
/// ...` gives its op the location "conv1"; an op that is only numbered is named
/// "<mnemonic>_<n>"; an explicit loc("...") wins. Entry arguments are named
/// likewise. Null after an error, which went to the context's handler.
mlir::OwningOpRef<mlir::ModuleOp> importText(llvm::SourceMgr &sources,
                                             mlir::MLIRContext *context);

/// Gives each op without a name one, "<mnemonic>_<n>", which none has yet.
void nameOps(mlir::ModuleOp module);

/// Prints `module` with its names as SSA names, the inverse of `importText`.
void printWithNames(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace weir

#endif // WEIR_IMPORT_TEXT_H
