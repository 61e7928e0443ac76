//===- DescribePlacement.h - The groups to be placed as plain data --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_PLACEMENT_DESCRIBEPLACEMENT_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_PLACEMENT_DESCRIBEPLACEMENT_H

#include "weir/Analysis/PlacementProblem.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Support/Topology.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir {

/// Whether `group` only changes the layout of a value. Such a group has no
/// annotation of its own: each device that reads the value changes the layout
/// itself.
bool isRelayout(GroupOp group);

/// The value of which `value` is a relayout, or `value` itself.
mlir::Value throughRelayouts(mlir::Value value);

/// The isolated device whose memory holds the output that returns `use`; null
/// if there is none.
mlir::StringAttr getSpaceOfUse(mlir::OpOperand &use);

/// The groups of a module, and what placement knows about them.
struct DescribedGroups {
  analysis::PlacementProblem problem;
  /// The groups of the problem.
  llvm::SmallVector<GroupOp> ops;
};

/// Describes the groups of `entries`, which can be placed on `devices`.
/// `allowReference` says whether reference kernels are allowed. Fails, with an
/// error, if an annotation is not the name of a device.
mlir::FailureOr<DescribedGroups>
describePlacement(llvm::ArrayRef<mlir::func::FuncOp> entries,
                  const Topology &devices, bool allowReference);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_PLACEMENT_DESCRIBEPLACEMENT_H
