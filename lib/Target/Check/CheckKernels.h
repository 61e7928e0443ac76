//===- CheckKernels.h - Generated kernels check themselves ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CHECK_CHECKKERNELS_H
#define WEIR_LIB_TARGET_CHECK_CHECKKERNELS_H

#include "weir/Conversion/LinalgToKernels.h"
#include "weir/Target/CPU/CompileKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <string>
#include <vector>

namespace weir {

/// What was checked.
struct KernelChecks {
  /// Clusters whose code was run, and the elements that were compared.
  int64_t clusters = 0, elements = 0;
  /// Why the code of others was not: "NAME: REASON".
  std::vector<std::string> leftOut;
};

/// The code of clusters, and how it runs.
struct ClusterCode {
  /// Runs all tasks of a kernel on its buffers: in one range, or in several
  /// ranges or another order, which must not matter.
  using RunFn = std::function<Status(const CompiledKernel &kernel,
                                     void *const *buffers, unsigned numRanges)>;

  /// The kernel functions.
  mlir::OwningOpRef<mlir::ModuleOp> functions;
  /// The lowered clusters by their names, and the kernels by those of their
  /// functions.
  llvm::StringMap<LoweredCluster> clusters;
  llvm::StringMap<CompiledKernel> kernels;
  RunFn run;
  /// What the code relies on beyond the alignment of an element, in bytes.
  size_t alignment = 1;
};

/// Generates the code of `clusters` for `cpu`, which must be this machine's.
mlir::FailureOr<ClusterCode>
generateForCpu(llvm::ArrayRef<mlir::func::FuncOp> clusters,
               const TargetCpu &cpu);

/// Runs `code` on random operands: whole, in ranges of tasks out of order, on
/// buffers at the ends of memory and at addresses that are aligned to an
/// element alone, and with results in the place of the operands that they may
/// overwrite. Compares with what the records of the ops say, element by
/// element: all up to 2^16 of a result, else the first and the last ones, those
/// around equal parts, and drawn ones. It is an error, emitted at the op of a
/// result, if an element is further off than rounding explains, or if memory
/// beside a buffer is accessed.
mlir::FailureOr<KernelChecks>
checkClusters(llvm::ArrayRef<mlir::func::FuncOp> clusters,
              const ClusterCode &code);

} // namespace weir

#endif // WEIR_LIB_TARGET_CHECK_CHECKKERNELS_H
