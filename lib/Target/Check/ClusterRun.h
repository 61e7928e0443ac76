//===- ClusterRun.h - Runs the code of a cluster ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CHECK_CLUSTERRUN_H
#define WEIR_LIB_TARGET_CHECK_CLUSTERRUN_H

#include "../../Runtime/Code/CodeObject.h"
#include "GuardedBytes.h"

#include "weir/Conversion/LinalgToKernels.h"
#include "weir/Support/HostTensor.h"
#include "weir/Target/CPU/CompileKernels.h"

namespace weir::kernelcheck {

/// The placement of the buffers of a run.
struct BufferPlaces {
  Place place = Place::Front;
  /// The alignment that the code needs, in bytes, if it is larger than that of
  /// an element.
  size_t alignment = 1;
  /// Whether results overwrite the operands that they may overwrite.
  bool isInPlace = false;
};

/// Runs all tasks of a kernel function on its buffers, operands first.
using RunKernelFn =
    llvm::function_ref<Status(const CompiledKernel &, void *const *buffers)>;

/// The results of a cluster, in the order of their layouts. `kernels` has its
/// functions by name. It is an error if one of them accesses memory beside its
/// buffers, or writes to an operand that no result may overwrite.
StatusOr<std::vector<GuardedBytes>>
runCluster(mlir::func::FuncOp cluster, const LoweredCluster &lowered,
           const llvm::StringMap<CompiledKernel> &kernels,
           llvm::ArrayRef<HostTensor> operands, const BufferPlaces &places,
           RunKernelFn runKernel);

/// Runs code for CPUs, with its tasks divided into ranges. The last ones run
/// first, since their order must not matter.
Status runInRanges(const CodeObject &code, const CompiledKernel &kernel,
                   void *const *buffers, unsigned numRanges);

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_CLUSTERRUN_H
