//===- CudnnKernels.h - The kernels of cuDNN --------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNKERNELS_H
#define WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNKERNELS_H

#include "CudnnGraph.h"
#include "weir/Runtime/Kernel.h"
#include "weir/Support/KernelRow.h"
#include "weir/Support/Status.h"

#include <span>

namespace weir {

/// The graph that cuDNN computes for a launch of one of its kernels, or why one
/// launch of cuDNN cannot compute the op.
StatusOr<CudnnGraph> describeForCudnn(const KernelSpec &spec);

/// The ops that cuDNN serves.
std::span<const OpKernelRow> cudnnRows();

/// The kernels that the rows name, ordered by name.
std::span<const KernelTableEntry> cudnnKernels();

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNKERNELS_H
