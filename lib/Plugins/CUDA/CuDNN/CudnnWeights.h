//===- CudnnWeights.h - Weights of convolutions -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNWEIGHTS_H
#define WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNWEIGHTS_H

#include "../StreamKernel.h"

#include <memory>

namespace weir {

/// Row-major weights whose channels are put last in memory. This happens at
/// load if the weights are known at load, else in each run.
class CudnnWeights {
public:
  /// Prepares operand `operand`, which has `desc`.
  static StatusOr<CudnnWeights> prepare(int operand, const TensorDesc &desc,
                                        CudaPrepareContext &context);

  /// Bytes of workspace.
  size_t workspaceBytes() const;

  /// Returns the address at which later work of `stream` finds the weights. If
  /// they are rearranged in the run, asks `stream` to rearrange them to
  /// `workspace`.
  StatusOr<const void *> enqueue(const void *operand, void *workspace,
                                 CUstream stream) const;

private:
  /// Channels of the images in a group, cells of a window, and elements.
  uint32_t channels = 0, cells = 0, size = 0;
  size_t bytes = 0;
  /// The weights that were rearranged at load.
  const void *packed = nullptr;
  /// The module of the kernel that rearranges in each run.
  std::shared_ptr<CudaModule> module;
  CUfunction function = nullptr;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNWEIGHTS_H
