//===- LinalgToKernels.h - Tensor functions as vector loops ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// From a function of linalg ops on tensors to one on memory, in one step: which
// tensors are stored, how the work is split into tasks, which loop becomes
// vectors. There are no patterns and no passes in between, so that a kernel of
// a few ops takes little time to make, and so that what it computes in which
// order is decided here and nowhere else.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_LINALGTOKERNELS_H
#define WEIR_CONVERSION_LINALGTOKERNELS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace weir {

/// A function on memory that computes a cluster.
struct KernelBody {
  mlir::func::FuncOp function;
  /// The parallel domain is [0, tasks).
  int64_t tasks;
  /// The fewest tasks that are worth a thread.
  int64_t grain;
  /// Bytes of scratch that a thread needs.
  int64_t scratch;
};

/// Puts in the place of `tensors` a function of the same name on memory of
/// types `operands` and `results`, with the range of tasks and the scratch as
/// its last arguments (weir/Conversion/ClusterToLoops.h). Fails with an error
/// on ops that no conversion from weir makes.
mlir::FailureOr<KernelBody>
emitKernel(mlir::func::FuncOp tensors,
           llvm::ArrayRef<mlir::MemRefType> operands,
           llvm::ArrayRef<mlir::MemRefType> results, int64_t vectorBits);

} // namespace weir

#endif // WEIR_CONVERSION_LINALGTOKERNELS_H
