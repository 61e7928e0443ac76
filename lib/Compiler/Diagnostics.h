//===- Diagnostics.h - Diagnostics that are safe to print -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_DIAGNOSTICS_H
#define WEIR_LIB_COMPILER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace weir {

/// Replaces characters that cannot be shown in the text of `diagnostic` and its
/// notes, such as control characters in the name of an op.
void makePrintable(mlir::Diagnostic &diagnostic);

/// Adds the op's name to a message about the op that does not contain it,
/// because users know their graph by names.
void nameOp(mlir::Diagnostic &diagnostic);

/// Prints a message without a line of source text. `file` is the one that is
/// compiled, or empty.
void printMessage(llvm::raw_ostream &os, llvm::StringRef file,
                  const mlir::Diagnostic &diagnostic);

} // namespace weir

#endif // WEIR_LIB_COMPILER_DIAGNOSTICS_H
