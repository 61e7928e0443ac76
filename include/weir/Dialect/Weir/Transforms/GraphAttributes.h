//===- GraphAttributes.h - Attributes through which passes communicate ----===//
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

/// The entry: the only function of the module after entry selection. Null, with
/// an error, if there is none.
mlir::func::FuncOp getEntry(mlir::ModuleOp module);

/// Checks that every dim in the entry is known, before a pass that needs sizes.
llvm::LogicalResult checkSizesKnown(mlir::func::FuncOp entry);

/// The devices that the module is compiled for.
mlir::FailureOr<Topology> getDevices(mlir::ModuleOp module);

/// Reads the topology file at `path` and checks its kernel names.
StatusOr<Topology> readDevices(const std::string &path,
                               mlir::MLIRContext *context);

/// The first few names of the entry's ops, for an error about a name.
std::string listOpNames(mlir::func::FuncOp entry);

/// The name of a value in reports: the name of its op or argument.
llvm::StringRef getValueName(mlir::Value value);

/// Gives `op`, which replaces `original` or a part of it, the device and stage
/// annotations of `original`.
void annotateLike(mlir::Operation *op, mlir::Operation *original);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_GRAPHATTRIBUTES_H
