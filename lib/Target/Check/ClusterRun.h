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

/// How the buffers of a run are placed.
struct BufferPlaces {
  Place place = Place::Front;
  /// The alignment that the code needs, in bytes. It matters only if it is
  /// larger than the alignment of an element.
  size_t alignment = 1;
  /// Whether results overwrite operands where the code allows it.
  bool isInPlace = false;
};

/// Runs all tasks of a kernel function on its buffers. Operands come before
/// results.
using RunKernelFn =
    llvm::function_ref<Status(const CompiledKernel &, void *const *buffers)>;

/// Runs a cluster. The results are in the order of their layouts. `kernels` has
/// the functions of the cluster by name. It is an error if a function accesses
/// memory beside its buffers, or writes to an operand that no result may
/// overwrite.
StatusOr<std::vector<GuardedBytes>>
runCluster(mlir::func::FuncOp cluster, const LoweredCluster &lowered,
           const llvm::StringMap<CompiledKernel> &kernels,
           llvm::ArrayRef<HostTensor> operands, const BufferPlaces &places,
           RunKernelFn runKernel);

/// Runs code for CPUs, with its tasks divided into ranges. The last range runs
/// first, because the order must not matter.
Status runInRanges(const CodeObject &code, const CompiledKernel &kernel,
                   void *const *buffers, unsigned numRanges);

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_CLUSTERRUN_H
