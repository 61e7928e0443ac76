//===- Repairs.h - Repairs for errors of MLIR's parser ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Weir's own errors say how to repair the text. Errors of MLIR's parser about
// names do not even name what they found.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_REPAIRS_H
#define WEIR_LIB_COMPILER_REPAIRS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

namespace weir {

/// The phases that graph-compile accepts, for errors about the text of others.
inline constexpr llvm::StringLiteral compiledPhases =
    "graph-compile compiles what --emit=import, lifted and graph print, and "
    "graph-opt runs passes on the rest";

/// Adds a note with the repair to a parser's error about an unknown value or
/// op.
void addRepair(mlir::Diagnostic &diagnostic, const llvm::SourceMgr &sources);

} // namespace weir

#endif // WEIR_LIB_COMPILER_REPAIRS_H
