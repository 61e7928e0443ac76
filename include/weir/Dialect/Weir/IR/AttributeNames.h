//===- AttributeNames.h - Attributes that passes leave for others ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_ATTRIBUTENAMES_H
#define WEIR_DIALECT_WEIR_IR_ATTRIBUTENAMES_H

#include "llvm/ADT/StringRef.h"

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
/// Module: what depends on parameters alone and is computed by each run: a
/// dictionary of reasons by names.
inline constexpr llvm::StringLiteral notDerived = "weir.not_derived";
/// Module: what runs in bf16: a dictionary of counts (bf16_ops, casts) and of
/// reasons by the names of ops that were kept in f32 (kept).
inline constexpr llvm::StringLiteral precision = "weir.precision";
/// Argument of the entry: the parameter it stands for.
inline constexpr llvm::StringLiteral parameter = "weir.parameter";
/// Result of the entry: the output's name.
inline constexpr llvm::StringLiteral name = "weir.name";
/// Result of the entry: the parameter that gets the value.
inline constexpr llvm::StringLiteral assigns = "weir.assigns";
/// Group: the ops that an annotation kept out of it.
inline constexpr llvm::StringLiteral splitBy = "weir.split_by";
/// Group: why it is where it is, and its cost on each device.
inline constexpr llvm::StringLiteral placement = "weir.placement";
/// Launch of a generated kernel: the cluster that it stands for, a function of
/// the module `clustersModule`; later the kernel function that it calls.
inline constexpr llvm::StringLiteral cluster = "cluster";
inline constexpr llvm::StringLiteral function = "function";
inline constexpr llvm::StringLiteral clustersModule = "weir_clusters";
/// Group: per result, the names of the tensors of the model that it is.
inline constexpr llvm::StringLiteral tensors = "weir.tensors";
/// Group: per result, the names of the tensor that it is a view of, behind its
/// type; empty without one.
inline constexpr llvm::StringLiteral viewed = "weir.viewed";
/// Group: the names of the tensors that are computed inside and not left.
inline constexpr llvm::StringLiteral inside = "weir.inside";
} // namespace attrs

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_ATTRIBUTENAMES_H
