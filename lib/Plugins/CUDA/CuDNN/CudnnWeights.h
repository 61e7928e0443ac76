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

/// Row-major weights whose channels are put last in memory: at load if they are
/// known then, and in each run if not.
class CudnnWeights {
public:
  /// Operand `operand`, which has `desc`.
  static StatusOr<CudnnWeights> prepare(int operand, const TensorDesc &desc,
                                        CudaPrepareContext &context);

  /// Bytes of workspace.
  size_t workspaceBytes() const;

  /// Where the weights are when `stream` goes on. `workspace` is used if that
  /// is in the run.
  StatusOr<const void *> enqueue(const void *operand, void *workspace,
                                 CUstream stream) const;

private:
  /// Channels of the images in a group, cells of a window, and elements.
  uint32_t channels = 0, cells = 0, size = 0;
  size_t bytes = 0;
  /// What was rearranged at load.
  const void *packed = nullptr;
  /// Rearranges in each run.
  std::shared_ptr<CudaModule> module;
  CUfunction function = nullptr;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNWEIGHTS_H
