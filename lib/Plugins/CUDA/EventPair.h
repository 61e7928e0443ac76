//===- EventPair.h - Times what a stream does -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_EVENTPAIR_H
#define WEIR_LIB_PLUGINS_CUDA_EVENTPAIR_H

#include "CudaContext.h"

#include <cstdint>
#include <memory>

namespace weir {

/// Two events, between which a stream is timed. One thread at a time uses them,
/// and the context is the current one of that thread.
class EventPair {
public:
  explicit EventPair(std::shared_ptr<CudaContext> context)
      : context(std::move(context)) {}
  ~EventPair();
  EventPair(const EventPair &) = delete;
  EventPair &operator=(const EventPair &) = delete;

  /// Begins to time the work that `stream` is asked for next.
  Status begin(CUstream stream);
  /// Ends the timed work.
  Status end(CUstream stream);
  /// The time for which the stream was busy with the timed work, in ns. The
  /// work has ended.
  StatusOr<uint64_t> elapsedNs();

private:
  std::shared_ptr<CudaContext> context;
  /// Null until the first use.
  CUevent first = nullptr;
  CUevent last = nullptr;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_EVENTPAIR_H
