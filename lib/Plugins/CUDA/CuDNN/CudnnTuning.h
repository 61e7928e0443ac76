//===- CudnnTuning.h - Chooses cuDNN's plans by their times -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNTUNING_H
#define WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNTUNING_H

#include "../StreamKernel.h"
#include "CudnnLibrary.h"
#include "CudnnPlan.h"

#include <memory>
#include <string>

namespace weir {

struct ChosenPlan {
  std::unique_ptr<CudnnPlan> plan;
  /// The text for Kernel::tuning.
  std::string tuning;
};

/// The plan for `graph`, whose launches have `numBuffers` buffers. It is the
/// fastest plan if the device tunes, else cuDNN's first choice. Until the call
/// returns, nobody else uses `target.handle`.
StatusOr<ChosenPlan> choosePlan(const CudnnGraph &graph, size_t numBuffers,
                                const CudnnTarget &target,
                                const CudnnLibrary &library,
                                const CudaPrepareContext &context);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNTUNING_H
