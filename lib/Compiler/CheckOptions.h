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

/// Refuses options that only phases apply. A `passPipeline` replaces the
/// phases, so the options would have no effect. The options that the importer
/// applies must already be removed from `options`.
Status checkPipelineOptions(const CompileOptions &options);

/// Checks that some device of the lifted module can compute in the requested
/// precision.
llvm::LogicalResult checkPrecision(mlir::ModuleOp module,
                                   const CompileOptions &options);

} // namespace weir

#endif // WEIR_LIB_COMPILER_CHECKOPTIONS_H
