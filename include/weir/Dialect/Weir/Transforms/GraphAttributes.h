//===- GraphAttributes.h - What passes tell each other in attributes ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_GRAPHATTRIBUTES_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_GRAPHATTRIBUTES_H

#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Support/Topology.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// The entry: the module's one function after entry selection, or null with an
/// error.
mlir::func::FuncOp getEntry(mlir::ModuleOp module);

/// The devices that the module is compiled for.
mlir::FailureOr<Topology> getDevices(mlir::ModuleOp module);

/// The topology file at `path`, whose kernel names all mean something.
StatusOr<Topology> readDevices(const std::string &path,
                               mlir::MLIRContext *context);

/// The first names of the entry's ops, for an error about a name.
std::string listOpNames(mlir::func::FuncOp entry);

/// The name of a value in reports: of its op or its argument.
llvm::StringRef getValueName(mlir::Value value);

/// Asks for `op`, which takes the place of `original` or of a part of it, to
/// run on the device and in the stage that this was asked to run in.
void annotateLike(mlir::Operation *op, mlir::Operation *original);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_GRAPHATTRIBUTES_H
