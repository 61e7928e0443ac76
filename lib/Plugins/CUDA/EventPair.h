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

/// Two events, between which a stream is timed. One thread at a time uses it,
/// and the context is the current one of that.
class EventPair {
public:
  explicit EventPair(std::shared_ptr<CudaContext> context)
      : context(std::move(context)) {}
  ~EventPair();
  EventPair(const EventPair &) = delete;
  EventPair &operator=(const EventPair &) = delete;

  /// What `stream` is asked for next is timed.
  Status begin(CUstream stream);
  /// That was all.
  Status end(CUstream stream);
  /// How long the stream was busy, in ns. It has ended.
  StatusOr<uint64_t> elapsedNs();

private:
  std::shared_ptr<CudaContext> context;
  /// Null until the first use.
  CUevent first = nullptr;
  CUevent last = nullptr;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_EVENTPAIR_H
