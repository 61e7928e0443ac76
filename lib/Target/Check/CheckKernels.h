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

/// The result of a check.
struct KernelChecks {
  /// The number of kernels that were run. `elements` is the number of elements
  /// that were compared.
  int64_t kernels = 0, elements = 0;
  /// A kernel that was not run.
  struct LeftOut {
    std::string name;
    std::string reason;
    /// Whether the reason is a lack of memory.
    bool lacksMemory = false;
  };
  std::vector<LeftOut> leftOut;

  /// The names and reasons in `leftOut`, in one line.
  std::string listLeftOut() const;
};

/// The code of clusters, and a function that runs it.
struct ClusterCode {
  /// Runs all tasks of a kernel on its buffers. The tasks are divided into
  /// `numRanges` ranges. The order of the ranges must not matter.
  using RunFn = std::function<Status(const CompiledKernel &kernel,
                                     void *const *buffers, unsigned numRanges)>;

  /// The kernel functions, or their declarations.
  mlir::OwningOpRef<mlir::ModuleOp> functions;
  /// The lowered clusters by name. `kernels` has the kernels by the names of
  /// their functions.
  llvm::StringMap<LoweredCluster> clusters;
  llvm::StringMap<CompiledKernel> kernels;
  RunFn run;
  /// The alignment of buffers that the code needs, in bytes. It matters only if
  /// it is larger than the alignment of an element.
  size_t alignment = 1;
};

/// Loads `compiled`, the code of `clusters`, on this machine. The attributes of
/// the clusters describe their lowered form (weir/Conversion/ClusterToLoops.h).
StatusOr<ClusterCode> loadCode(llvm::ArrayRef<mlir::func::FuncOp> clusters,
                               const CompiledKernels &compiled);

/// Runs `code` on random operands, and compares the results with the records of
/// the ops. It is an error, emitted at the op of a result, if an element
/// differs by more than rounding explains, or if memory beside a buffer is
/// accessed. The code runs in several ways, which must not change its results:
/// - with all tasks in one range, or in several ranges out of order,
/// - on buffers next to pages without access, and at addresses that are only
///   aligned to an element,
/// - with results in the place of operands that the code may overwrite.
///
/// All elements of a result are compared if there are at most 2^16. Of a larger
/// result, these elements are compared: the first and the last ones, those
/// around equal parts, and random ones. If elements are long sums, fewer are
/// compared.
mlir::FailureOr<KernelChecks>
checkClusters(llvm::ArrayRef<mlir::func::FuncOp> clusters,
              const ClusterCode &code);

/// Runs the library kernels of `launches`, which are functions of the module of
/// launches. Each kernel runs on one thread with operands that are unknown at
/// load, and on two threads with known operands. The results are compared as in
/// `checkClusters`, but with fewer elements if each is a long sum. The results
/// of both runs must be right, but need not have the same bits.
mlir::FailureOr<KernelChecks>
checkLaunches(llvm::ArrayRef<mlir::func::FuncOp> launches);

} // namespace weir

#endif // WEIR_LIB_TARGET_CHECK_CHECKKERNELS_H
