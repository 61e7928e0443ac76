//===- CheckOptions.h - Checks options against each other -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_CHECKOPTIONS_H
#define WEIR_LIB_COMPILER_CHECKOPTIONS_H

#include "weir/Compiler/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Refuses options that only the phases apply, because `passPipeline` runs
/// instead of these. The importer of a format has already applied its own.
Status checkPipelineOptions(const CompileOptions &options);

/// Whether some device of the lifted module computes in the wanted precision;
/// if not, it is an error.
llvm::LogicalResult checkPrecision(mlir::ModuleOp module,
                                   const CompileOptions &options);

} // namespace weir

#endif // WEIR_LIB_COMPILER_CHECKOPTIONS_H
