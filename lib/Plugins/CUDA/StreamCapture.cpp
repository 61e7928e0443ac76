//===- StreamCapture.cpp - Launches as a CUDA graph ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StreamCapture.h"

using namespace weir;

StatusOr<CUgraphExec> weir::captureGraph(CudaContext &context, CUstream stream,
                                         const std::function<Status()> &ask) {
  const CudaApi &api = context.api;
  WEIR_RETURN_IF_ERROR(context.check(
      api.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
      "cuStreamBeginCapture"));
  Status asked = ask();
  // The capture must end even if `ask` has failed.
  CUgraph captured = nullptr;
  Status ended = context.check(api.cuStreamEndCapture(stream, &captured),
                               "cuStreamEndCapture");
  Status status = asked.isOk() ? std::move(ended) : std::move(asked);
  CUgraphExec exec = nullptr;
  if (status.isOk())
    status = context.check(api.cuGraphInstantiateWithFlags(&exec, captured, 0),
                           "cuGraphInstantiateWithFlags");
  if (captured)
    (void)api.cuGraphDestroy(captured);
  WEIR_RETURN_IF_ERROR(status);
  return exec;
}
