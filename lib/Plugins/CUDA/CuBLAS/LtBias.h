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
/// result. A bias of f32 is rounded to this type: at load if it is known then,
/// else in each run.
class LtBias {
public:
  /// Prepares operand `operand`, which has `desc`, for results of `type`.
  static StatusOr<LtBias> prepare(int operand, const TensorDesc &desc,
                                  DType type, CudaPrepareContext &context);

  /// Bytes of workspace.
  size_t workspaceBytes() const;

  /// Returns the address at which later work of `stream` finds the bias in the
  /// wanted type. If the bias is rounded in the run, asks `stream` to round it
  /// to `workspace`.
  StatusOr<const void *> enqueue(const void *operand, void *workspace,
                                 CUstream stream) const;

private:
  int64_t size = 0;
  /// The bias that was rounded at load.
  const void *rounded = nullptr;
  /// The module of the kernel that rounds in each run.
  std::shared_ptr<CudaModule> module;
  CUfunction function = nullptr;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTBIAS_H
