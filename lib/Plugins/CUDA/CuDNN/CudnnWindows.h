//===- CudnnWindows.h - The windows of convolutions -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNWINDOWS_H
#define WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNWINDOWS_H

#include "CudnnGraph.h"
#include "weir/Runtime/Kernel.h"
#include "weir/Support/Status.h"

namespace weir {

/// The tensors of a convolution, whichever of them a kernel computes.
struct ConvTensors {
  /// The images over which windows move.
  const TensorDesc &wide;
  const TensorDesc &weights;
  /// The images that have an element for each position of a window.
  const TensorDesc &narrow;
};

/// Ok, or why cuDNN cannot count the elements of the tensors.
Status checkDims(const ConvTensors &tensors);

/// Whether the convolution has groups, each with a single channel of the
/// images `wide`.
bool isDepthwise(const ConvTensors &tensors);

/// The windows that the attributes of `spec` describe, with two spatial dims or
/// three, or why they do not fit tensors that `checkDims` accepts.
StatusOr<CudnnWindows> readWindows(const KernelSpec &spec,
                                   const ConvTensors &tensors);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNWINDOWS_H
