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

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace weir {

/// Whether the file `path` is an ONNX model, judged by its name or its first
/// byte.
bool isONNXFile(const std::string &path);

/// What must be known while a model is read, since every shape is inferred
/// then.
struct ONNXImportOptions {
  /// NAME:DIMxDIM... for inputs with unknown dims. Several shapes of an input
  /// make as many functions, the plans of the entry.
  std::vector<std::string> shapes;
  /// NAME=FILE for inputs that are constants. NAME may be main/NAME.
  std::vector<std::string> bind;
  /// Whether parameters carry a hash of their bytes, so that a later reader can
  /// check them.
  bool hashWeights = false;
  /// Initialisers that are parameters, however small they are, because
  /// weir-read-weights follows.
  std::set<std::string, std::less<>> parameters;
  /// The rules of weir-add-gradients, LOSS=GLOB. Initialisers of floats that a
  /// GLOB fits are parameters, however small they are. A scalar is one only if
  /// the GLOB is its name: most scalars are numbers of formulas.
  std::vector<std::string> gradients;
  /// Whether weir-add-training follows: all initialisers of floats with dims
  /// are parameters, and what a Dropout does in training is kept for it.
  bool forTraining = false;
  /// Receives the paths of files beside the model that were read; may be null.
  std::vector<std::string> *weightFiles = nullptr;
};

/// The model in the file `path` as a module with the entry `main`. Ops have the
/// names of their nodes; inputs and outputs those in the model. Large weights
/// stay in their files, whose paths are relative to the model's folder. Errors
/// say which node cannot be read, why, and what to do.
StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
importONNX(const std::string &path, const ONNXImportOptions &options,
           mlir::MLIRContext *context);

} // namespace weir

#endif // WEIR_IMPORT_ONNX_H
