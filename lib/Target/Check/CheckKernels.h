//===- CheckKernels.h - Kernels check themselves ----------------*- C++ -*-===//
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
  /// Kernels that were run, and the elements that were compared.
  int64_t kernels = 0, elements = 0;
  /// A kernel that was not run.
  struct LeftOut {
    std::string name;
    std::string reason;
    /// Whether it would be run with more memory.
    bool lacksMemory = false;
  };
  std::vector<LeftOut> leftOut;

  /// The names and reasons of `leftOut` in one line.
  std::string listLeftOut() const;
};

/// The code of clusters, and how it runs.
struct ClusterCode {
  /// Runs all tasks of a kernel on its buffers: in one range, or in several
  /// ranges or another order, which must not matter.
  using RunFn = std::function<Status(const CompiledKernel &kernel,
                                     void *const *buffers, unsigned numRanges)>;

  /// The kernel functions, or their declarations.
  mlir::OwningOpRef<mlir::ModuleOp> functions;
  /// The lowered clusters by their names, and the kernels by those of their
  /// functions.
  llvm::StringMap<LoweredCluster> clusters;
  llvm::StringMap<CompiledKernel> kernels;
  RunFn run;
  /// What the code relies on beyond the alignment of an element, in bytes.
  size_t alignment = 1;
};

/// Loads `compiled`, which has the code of `clusters`, for this machine. Their
/// attributes keep what they became (weir/Conversion/ClusterToLoops.h).
StatusOr<ClusterCode> loadCode(llvm::ArrayRef<mlir::func::FuncOp> clusters,
                               const CompiledKernels &compiled);

/// Runs `code` on random operands: whole, in ranges of tasks out of order, on
/// buffers at the ends of memory and at addresses that are aligned to an
/// element alone, and with results in the place of the operands that the code
/// lets them overwrite. Compares with what the records of the ops say, element
/// by element: all up to 2^16 of a result, else the first and the last ones,
/// those around equal parts, and drawn ones; fewer if they are long sums. It is
/// an error, emitted at the op of a result, if an element is further off than
/// rounding explains, or if memory beside a buffer is accessed.
mlir::FailureOr<KernelChecks>
checkClusters(llvm::ArrayRef<mlir::func::FuncOp> clusters,
              const ClusterCode &code);

/// Runs the kernels of libraries that `launches`, functions of the module of
/// launches, name: on one thread with operands that it does not know at load,
/// and on two with known ones. Compares with what the records of the ops say,
/// as `checkClusters` does, but fewer elements if each is a long sum. Results
/// of both must be right; they need not have the same bits.
mlir::FailureOr<KernelChecks>
checkLaunches(llvm::ArrayRef<mlir::func::FuncOp> launches);

} // namespace weir

#endif // WEIR_LIB_TARGET_CHECK_CHECKKERNELS_H
