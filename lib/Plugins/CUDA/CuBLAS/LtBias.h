//===- LtBias.h - Biases of products ----------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTBIAS_H
#define WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTBIAS_H

#include "../StreamKernel.h"

#include <memory>
#include <optional>

namespace weir {

/// The bias of a product: a vector. cuBLASLt wants it in the type of the
/// result. One of f32 is therefore rounded, at load if it is known then and in
/// each run if not.
class LtBias {
public:
  /// Operand `operand`, which has `desc`, for results of `type`.
  static StatusOr<LtBias> prepare(int operand, const TensorDesc &desc,
                                  DType type, CudaPrepareContext &context);

  /// Bytes of workspace.
  size_t workspaceBytes() const;

  /// Where the bias in the wanted type is when `stream` goes on. `workspace` is
  /// used if it is rounded in the run.
  StatusOr<const void *> enqueue(const void *operand, void *workspace,
                                 CUstream stream) const;

private:
  int64_t size = 0;
  /// What was rounded at load.
  const void *rounded = nullptr;
  /// Rounds in each run.
  std::shared_ptr<CudaModule> module;
  CUfunction function = nullptr;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTBIAS_H
