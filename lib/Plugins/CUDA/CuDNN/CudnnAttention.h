//===- CudnnAttention.h - Attention as a graph of cuDNN ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNATTENTION_H
#define WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNATTENTION_H

#include "CudnnGraph.h"
#include "weir/Runtime/Kernel.h"
#include "weir/Support/Status.h"

namespace weir {

/// The graph of attention, or why cuDNN does not compute it in one launch. The
/// operands are queries, keys and values, and perhaps a tensor that is added to
/// the scores. Each query, key or value is a row. Attribute `scale` is the
/// factor of the scores. Attribute `causal` says where the diagonal of the mask
/// of later keys begins.
StatusOr<CudnnGraph> describeAttention(const KernelSpec &spec);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNATTENTION_H
