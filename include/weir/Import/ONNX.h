//===- ONNX.h - Reads ONNX models -------------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_IMPORT_ONNX_H
#define WEIR_IMPORT_ONNX_H

#include "weir/Support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace weir {

/// Whether the file `path` is an ONNX model, by its name or its first byte.
bool isONNXFile(const std::string &path);

/// What is fixed while a model is read: every shape must be known then.
struct ONNXImportOptions {
  /// NAME:DIMxDIM... for inputs with unknown dims.
  std::vector<std::string> shapes;
  /// NAME=FILE for inputs that are constants.
  std::vector<std::string> bind;
  /// Whether parameters tell what their bytes are, for a later reader.
  bool hashWeights = false;
};

/// The model in the file `path` as a module with the entry `main`. Ops are
/// named like the nodes they come from, inputs and outputs as in the model.
/// Large weights stay in their files, named relative to the model's folder.
/// Errors say which node cannot be read, why, and what to do.
StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
importONNX(const std::string &path, const ONNXImportOptions &options,
           mlir::MLIRContext *context);

} // namespace weir

#endif // WEIR_IMPORT_ONNX_H
