//===- StreamInspection.h - Looks at each step of a stream ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_STREAMINSPECTION_H
#define WEIR_LIB_PLUGINS_CUDA_STREAMINSPECTION_H

#include "CudaContext.h"
#include "EventPair.h"
#include "weir/Runtime/DeviceQueue.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weir {

/// Traces, checks and shows the steps of the runs for which this was asked. The
/// host waits for the end of each step of such a run. One thread at a time uses
/// the object, and the context is the current one of that thread.
class StreamInspection {
public:
  StreamInspection(std::shared_ptr<CudaContext> context, CUstream stream)
      : context(context), stream(stream), events(std::move(context)) {}

  /// Whether the host looks at the steps of `list`.
  static bool isWanted(const CommandList &list) {
    return list.trace || list.checkNumerics || list.observer;
  }

  /// Called before the stream is asked for a step.
  Status begin(const CommandList &list);
  /// Called after the stream was asked for step `at`. `isOnStream` says whether
  /// the stream does something in the step. The first `shown` tensors of the
  /// run were shown before.
  Status end(const Submission &submission, size_t at, bool isOnStream,
             size_t &shown);

private:
  Status trace(const CommandList &list, size_t at, bool isOnStream);
  Status checkNumerics(const Submission &submission, size_t at);
  StatusOr<const void *> fetch(const RunControl &run, const void *from,
                               size_t bytes, std::vector<std::byte> &to);

  std::shared_ptr<CudaContext> context;
  CUstream stream;
  /// The events around a step.
  EventPair events;
  uint64_t beginNs = 0;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_STREAMINSPECTION_H
