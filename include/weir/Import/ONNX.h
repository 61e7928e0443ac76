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

/// The options that apply while a model is read, because all shapes are
/// inferred then.
struct ONNXImportOptions {
  /// NAME:DIMxDIM... for inputs with unknown dims. If an input has several
  /// shapes, there is a function for each. These functions are the plans of the
  /// entry.
  std::vector<std::string> shapes;
  /// NAME=FILE for inputs that are constants. NAME may be main/NAME.
  std::vector<std::string> bind;
  /// Whether parameters carry a hash of their bytes, so that a later reader can
  /// check them.
  bool hashWeights = false;
  /// Initialisers that must be parameters, even if they are small, because
  /// weir-read-weights follows.
  std::set<std::string, std::less<>> parameters;
  /// The rules of weir-add-gradients, LOSS=GLOB. Float initialisers that a GLOB
  /// fits are parameters, even if they are small. A scalar is a parameter only
  /// if the GLOB is its name, because most scalars are numbers in formulas.
  std::vector<std::string> gradients;
  /// Whether weir-add-training follows. All float initialisers with dims are
  /// then parameters, and Dropout ops are kept.
  bool forTraining = false;
  /// Receives the paths of files beside the model that were read; may be null.
  std::vector<std::string> *weightFiles = nullptr;
};

/// The model in the file `path` as a module with the entry `main`. Ops have the
/// names of their nodes. Inputs and outputs have their names in the model.
/// Large weights stay in their files, whose paths are relative to the model's
/// folder. Errors say which node cannot be read, why, and what to do.
StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
importONNX(const std::string &path, const ONNXImportOptions &options,
           mlir::MLIRContext *context);

} // namespace weir

#endif // WEIR_IMPORT_ONNX_H
