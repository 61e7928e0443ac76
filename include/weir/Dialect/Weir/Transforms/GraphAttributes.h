//===- GraphAttributes.h - Attributes through which passes communicate ----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_GRAPHATTRIBUTES_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_GRAPHATTRIBUTES_H

#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Support/Topology.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// The entries: all functions of the module after entry selection. It is an
/// error if there is none, or if one has no body.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>>
getEntries(mlir::ModuleOp module);

/// Calls `work` for each entry, until one call fails.
llvm::LogicalResult
forEachEntry(mlir::ModuleOp module,
             llvm::function_ref<llvm::LogicalResult(mlir::func::FuncOp)> work);

/// The name by which callers run `entry`. The plans of one entry share it.
llvm::StringRef getEntryName(mlir::Operation *entry);

/// The prefix of names in `entry` in reports: "predict/" if the module has
/// several entries, else empty.
std::string getReportPrefix(mlir::func::FuncOp entry);

/// Checks that every dim in the entry is known, before a pass that needs sizes.
llvm::LogicalResult checkSizesKnown(mlir::func::FuncOp entry);

/// The devices that the module is compiled for.
mlir::FailureOr<Topology> getDevices(mlir::ModuleOp module);
/// The attribute that says so; null if there is none.
DeviceTableAttr getDeviceTable(mlir::ModuleOp module);
/// Fails, with an error, if the attribute has another type.
llvm::LogicalResult checkDeviceTable(mlir::ModuleOp module);
/// Checks the number of threads that an option gives to a CPU device.
llvm::LogicalResult checkDeviceThreads(mlir::ModuleOp module, int64_t threads);
/// Replaces the devices that the module is compiled for. Fails, with an error,
/// if there are too many.
llvm::LogicalResult setDevices(mlir::ModuleOp module, const Topology &devices);

/// Reads the topology file at `path` and checks its kernel names.
StatusOr<Topology> readDevices(const std::string &path,
                               mlir::MLIRContext *context);

/// The isolated device in whose memory the caller binds `value`, an input; null
/// for the host's memory, and for a value that is no input.
mlir::StringAttr getInputSpace(mlir::Value value);
/// The same for result `index` of `entry`.
mlir::StringAttr getOutputSpace(mlir::func::FuncOp entry, unsigned index);

/// In a placed module, the device that has `value`; null if it comes from the
/// host.
mlir::StringAttr getDeviceOf(mlir::Value value);

/// The name of a value in reports: the name of its op or argument.
llvm::StringRef getValueName(mlir::Value value);

/// Gives `op`, which replaces `original` or a part of it, the device and stage
/// annotations of `original`.
void annotateLike(mlir::Operation *op, mlir::Operation *original);

/// Records on the group of `op`, for reports, why the kernel before `op` does
/// not compute it.
void noteApart(mlir::Operation *op, llvm::StringRef reason);

/// Records the same reason on the group that computes `op` instead.
void noteMoved(mlir::Operation *op, llvm::StringRef reason);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_GRAPHATTRIBUTES_H
