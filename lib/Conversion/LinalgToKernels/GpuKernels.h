//===- GpuKernels.h - Kernel functions for GPUs -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUKERNELS_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUKERNELS_H

#include "GpuTasks.h"
#include "KernelEmitter.h"

namespace weir::kernels {

/// Emits the function of `phase`, which has `sections`, as one launch.
mlir::FailureOr<KernelFunction> emitGpuKernel(const ClusterMemory &memory,
                                              KernelPlan &plan,
                                              llvm::ArrayRef<Section> sections,
                                              int phase,
                                              const Overwritten &overwritten);

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUKERNELS_H
