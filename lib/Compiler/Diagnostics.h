//===- Diagnostics.h - Diagnostics that are safe to print -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_DIAGNOSTICS_H
#define WEIR_LIB_COMPILER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace weir {

/// Replaces unprintable characters in the text of `diagnostic` and its notes.
/// The name of an op may contain control characters, for example.
void makePrintable(mlir::Diagnostic &diagnostic);

/// Adds the name of the op to a message about it, unless the message already
/// contains the name. Users know the ops of their graph by name.
void nameOp(mlir::Diagnostic &diagnostic);

/// Prints a message without a line of source text. `file` is the file that is
/// compiled, or empty.
void printMessage(llvm::raw_ostream &os, llvm::StringRef file,
                  const mlir::Diagnostic &diagnostic);

} // namespace weir

#endif // WEIR_LIB_COMPILER_DIAGNOSTICS_H
