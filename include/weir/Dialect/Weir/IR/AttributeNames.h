//===- AttributeNames.h - Attributes for communication between passes -----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_ATTRIBUTENAMES_H
#define WEIR_DIALECT_WEIR_IR_ATTRIBUTENAMES_H

#include "llvm/ADT/StringRef.h"

namespace weir {

/// Names of the attributes on the module, its entries and their groups.
namespace attrs {
/// Module: the devices that it is compiled for, a `#weir.devices`.
inline constexpr llvm::StringLiteral devices = "weir.devices";
/// Module: the folder to which paths of parameter files are relative.
inline constexpr llvm::StringLiteral sourceDir = "weir.source_dir";
/// Module: the values that depend on parameters alone and are still computed in
/// each run. A dictionary from names to reasons.
inline constexpr llvm::StringLiteral notDerived = "weir.not_derived";
/// Module: what runs in 16 bits. A dictionary of the type (`type`), the counts
/// of ops and casts (`ops`, `casts`), and the reasons for ops that stay in f32,
/// by their names (`kept`).
inline constexpr llvm::StringLiteral precision = "weir.precision";
/// Dropout of an imported graph: it drops elements only in the entry that
/// trains.
inline constexpr llvm::StringLiteral onlyTraining = "weir.only_training";
/// Function, and its exec.entry: the name by which callers run it; by default
/// its symbol. Several functions with one name are plans of one entry for
/// different shapes.
inline constexpr llvm::StringLiteral entry = "weir.entry";
/// Argument of the entry: the parameter that it represents.
inline constexpr llvm::StringLiteral parameter = "weir.parameter";
/// Argument of the entry that --train has added: its size is the size of the
/// tensor with which its readers compare it. The attribute is removed when
/// shapes are bound.
inline constexpr llvm::StringLiteral compared = "weir.compared";
/// Result of the entry: the output's name.
inline constexpr llvm::StringLiteral name = "weir.name";
/// Result of the entry: the parameter to which it is assigned.
inline constexpr llvm::StringLiteral assigns = "weir.assigns";
/// Argument or result of the entry: the device in whose memory the caller binds
/// the input or output. A device that is not isolated stands for the host's
/// memory.
inline constexpr llvm::StringLiteral space = "weir.space";
/// Group: the ops that did not join it because of an annotation.
inline constexpr llvm::StringLiteral splitBy = "weir.split_by";
/// Group: the ops that begin it because the kernel before them does not compute
/// them. A dictionary from names to reasons.
inline constexpr llvm::StringLiteral apart = "weir.apart";
/// Group: the ops that it has taken over because the kernel before them does
/// not compute them. A dictionary from names to reasons.
inline constexpr llvm::StringLiteral moved = "weir.moved";
/// Group: the reason for its device, and its cost on each device.
inline constexpr llvm::StringLiteral placement = "weir.placement";
/// Launch of a generated kernel: the cluster, a function of the module
/// `clustersModule`; after lowering, the kernel function.
inline constexpr llvm::StringLiteral cluster = "cluster";
inline constexpr llvm::StringLiteral function = "function";
inline constexpr llvm::StringLiteral clustersModule = "weir_clusters";
/// A module of functions that say what launches of library kernels compute. It
/// is for checks.
inline constexpr llvm::StringLiteral launchesModule = "weir_launches";
/// Function of that module: the attributes of its launch.
inline constexpr llvm::StringLiteral launch = "weir.launch";
/// The beginning of the name of a module of kernel functions. The number of the
/// module's target CPU follows it.
inline constexpr llvm::StringLiteral kernelsModule = "weir_kernels_";
/// Group: for each result, its names as a tensor of the model.
inline constexpr llvm::StringLiteral tensors = "weir.tensors";
/// Group: one list for each result. If the result is a view of another tensor,
/// the list has the type and then the names of that tensor, else it is empty.
inline constexpr llvm::StringLiteral viewed = "weir.viewed";
/// Group: the names of the tensors that are computed inside and not returned.
inline constexpr llvm::StringLiteral inside = "weir.inside";
} // namespace attrs

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_ATTRIBUTENAMES_H
