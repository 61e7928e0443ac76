//===- GraphAttributes.h - What passes tell each other in attributes ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_GRAPHATTRIBUTES_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_GRAPHATTRIBUTES_H

#include "weir/Support/Topology.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Names of the attributes on the module, the entry and its groups.
namespace attrs {
/// Module: the device list, an array of strings.
inline constexpr llvm::StringLiteral devices = "weir.devices";
/// Module: the path of the topology file that describes them.
inline constexpr llvm::StringLiteral topology = "weir.topology";
/// Module: threads per CPU device, an i64; 0 for a share of the cores.
inline constexpr llvm::StringLiteral threads = "weir.threads";
/// Module: present when every device has its own heap.
inline constexpr llvm::StringLiteral isolated = "weir.isolated";
/// Module: the folder that parameter files are relative to.
inline constexpr llvm::StringLiteral sourceDir = "weir.source_dir";
/// Argument of the entry: the parameter it stands for.
inline constexpr llvm::StringLiteral parameter = "weir.parameter";
/// Result of the entry: the output's name.
inline constexpr llvm::StringLiteral name = "weir.name";
/// Result of the entry: the parameter that gets the value.
inline constexpr llvm::StringLiteral assigns = "weir.assigns";
/// Group: the ops that an annotation kept out of it.
inline constexpr llvm::StringLiteral split = "weir.split";
/// Group: why it is where it is, and its cost on each device.
inline constexpr llvm::StringLiteral placement = "weir.placement";
} // namespace attrs

/// The entry: the module's one function after entry selection, or null with an
/// error.
mlir::func::FuncOp getEntry(mlir::ModuleOp module);

/// The devices that the module is compiled for.
mlir::FailureOr<Topology> getDevices(mlir::ModuleOp module);

/// The name of a value in reports: of its op or its argument.
llvm::StringRef getValueName(mlir::Value value);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_GRAPHATTRIBUTES_H
