//===- StreamCapture.h - Launches as a CUDA graph ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_STREAMCAPTURE_H
#define WEIR_LIB_PLUGINS_CUDA_STREAMCAPTURE_H

#include "CudaContext.h"

#include <functional>

namespace weir {

/// Captures the work that `ask` asks `stream` for as a graph, which the caller
/// destroys. The stream does not do the work. The context is the current one.
StatusOr<CUgraphExec> captureGraph(CudaContext &context, CUstream stream,
                                   const std::function<Status()> &ask);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_STREAMCAPTURE_H
