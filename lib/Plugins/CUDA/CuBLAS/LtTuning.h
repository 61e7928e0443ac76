//===- LtTuning.h - Chooses algorithms of cuBLASLt by their times -*-C++-*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTTUNING_H
#define WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTTUNING_H

#include "../StreamKernel.h"
#include "LtCall.h"

#include <string>

namespace weir {

struct ChosenAlgorithm {
  LtAlgorithm algorithm{};
  /// The text for Kernel::tuning.
  std::string tuning;
};

/// The algorithm for `call`, a product that `spec` asks for: the fastest one if
/// the device tunes, else cuBLASLt's first choice.
StatusOr<ChosenAlgorithm> chooseAlgorithm(LtCall &call, const KernelSpec &spec,
                                          const CudaPrepareContext &context);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTTUNING_H
