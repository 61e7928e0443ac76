//===- FrontEnd.h - Reads what is compiled ----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_FRONTEND_H
#define WEIR_LIB_COMPILER_FRONTEND_H

#include "weir/Compiler/Compiler.h"
#include "weir/Support/FileUses.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

#include <string>

namespace weir {

/// A graph as it was read or built.
struct SourceGraph {
  /// The module; null after an error, which went to the context's handler.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The options that the importer has not applied yet.
  CompileOptions options;
  /// The files that were read or will be.
  FileUses files;
};

/// Reads the graph in the file `path` ("-": standard input), an ONNX model or
/// textual IR, which becomes the main buffer of `sources`. `options` have been
/// checked. Errors about the graph are not in the status but go to the
/// context's handler.
StatusOr<SourceGraph> readGraph(const std::string &path,
                                const CompileOptions &options,
                                llvm::SourceMgr &sources,
                                mlir::MLIRContext &context);

/// Takes the graph `module`, whose ops may have no names.
SourceGraph takeGraph(mlir::OwningOpRef<mlir::ModuleOp> module,
                      const CompileOptions &options);

} // namespace weir

#endif // WEIR_LIB_COMPILER_FRONTEND_H
