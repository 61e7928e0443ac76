//===- CompileModule.h - Compiles a graph that is in memory -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// For front ends that build IR themselves. All others include Compiler.h.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_COMPILER_COMPILEMODULE_H
#define WEIR_COMPILER_COMPILEMODULE_H

#include "weir/Compiler/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace weir {

/// Does what `compileFile` does, for a module whose context has loaded Weir's
/// dialects. Ops without a name get one. Paths of parameter files are relative
/// to the working directory.
StatusOr<CompileResult> compileModule(mlir::OwningOpRef<mlir::ModuleOp> module,
                                      const std::string &output,
                                      const CompileOptions &options,
                                      const DiagnosticFn &diagnose);

} // namespace weir

#endif // WEIR_COMPILER_COMPILEMODULE_H
