//===- FrontEnd.h - Reads what is compiled ----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_FRONTEND_H
#define WEIR_LIB_COMPILER_FRONTEND_H

#include "weir/Compiler/Compiler.h"
#include "weir/Support/FileUses.h"
#include "weir/Support/Topology.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>
#include <string>

namespace weir {

/// A graph as it was read or built.
struct SourceGraph {
  /// The module. Null after an error, which the context's handler has received.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The options that the importer has not applied yet.
  CompileOptions options;
  /// The topology that the options name.
  std::optional<Topology> topology;
  /// The files that the compilation reads, or will read.
  FileUses files;
};

/// Reads the graph in the file `path` ("-": standard input). The file is an
/// ONNX model or textual IR. Textual IR becomes the main buffer of `sources`.
/// `options` must have been checked. The context's handler receives errors
/// about the graph, and the status has all other errors.
StatusOr<SourceGraph> readGraph(const std::string &path,
                                const CompileOptions &options,
                                llvm::SourceMgr &sources,
                                mlir::MLIRContext &context);

/// Takes the graph `module`. Ops without a name get one.
SourceGraph takeGraph(mlir::OwningOpRef<mlir::ModuleOp> module,
                      const CompileOptions &options);

} // namespace weir

#endif // WEIR_LIB_COMPILER_FRONTEND_H
