//===- LinalgToKernels.h - Lowers tensor functions to vector loops --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Lowers a function of linalg ops on tensors to one on memory, in one step. It
// decides which tensors are stored, how the work is divided into tasks, and
// which loop is vectorised. There are no patterns or passes in between. So a
// kernel of a few ops takes little time to compile, and the order of
// computation is decided here and nowhere else.
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

/// Replaces `tensors` by a function of the same name on memory of types
/// `operands` and `results`. Its last arguments are the range of tasks and the
/// scratch (weir/Conversion/ClusterToLoops.h). It is an error if the function
/// contains ops that no conversion from weir creates.
mlir::FailureOr<KernelBody>
emitKernel(mlir::func::FuncOp tensors,
           llvm::ArrayRef<mlir::MemRefType> operands,
           llvm::ArrayRef<mlir::MemRefType> results, int64_t vectorBits);

} // namespace weir

#endif // WEIR_CONVERSION_LINALGTOKERNELS_H
