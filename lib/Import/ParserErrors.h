//===- ParserErrors.h - Errors of MLIR's parser in our words ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// MLIR's parser reports what its grammar expected, and rarely what it found.
// The author of a graph needs both, and advice.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_PARSERERRORS_H
#define WEIR_LIB_IMPORT_PARSERERRORS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

namespace weir {

/// Rewords MLIR's errors about the text in `sources` as long as this object
/// exists. The earlier handlers of the context then print the new words.
class ParserErrors {
public:
  ParserErrors(const llvm::SourceMgr &sources, mlir::MLIRContext *context);

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace weir

#endif // WEIR_LIB_IMPORT_PARSERERRORS_H
