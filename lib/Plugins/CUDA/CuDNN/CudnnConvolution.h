//===- CudnnConvolution.h - Convolutions as graphs of cuDNN -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNCONVOLUTION_H
#define WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNCONVOLUTION_H

#include "CudnnGraph.h"
#include "weir/Runtime/Kernel.h"
#include "weir/Support/Status.h"

namespace weir {

/// The graph of the op `conv` or `conv_transpose` with its post-ops, or why
/// cuDNN does not compute it in one launch. Buffers are the operands and then
/// the result. The weights have their channels last, even if the weights of the
/// spec do not. A bias may have another type than the bias of the spec.
StatusOr<CudnnGraph> describeConv(const KernelSpec &spec);
StatusOr<CudnnGraph> describeConvTranspose(const KernelSpec &spec);

/// The graph of the op `conv_weight_gradient`, or why cuDNN does not compute
/// it. Buffers are the images, the gradient and the result.
StatusOr<CudnnGraph> describeConvWeightGradient(const KernelSpec &spec);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNCONVOLUTION_H
