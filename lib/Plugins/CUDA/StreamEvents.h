//===- StreamEvents.h - Events between streams ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_STREAMEVENTS_H
#define WEIR_LIB_PLUGINS_CUDA_STREAMEVENTS_H

#include "CudaContext.h"
#include "weir/Runtime/Event.h"

#include <atomic>
#include <memory>

namespace weir {

/// The twin of an Event that only queues of `cuda` devices use. The counter of
/// the Event says which records streams were asked for. The twin orders the
/// work of the streams.
///
/// The twin may be recorded again before a stream is asked for the wait for an
/// earlier value. That wait is then for the later record. This is enough, and
/// there can be no cycle: a queue asks for its wait for a value before anything
/// that a later record could depend on.
class StreamEvent {
public:
  /// The twin of `event`. All queues get the same twin as long as any queue has
  /// it.
  static std::shared_ptr<StreamEvent> of(const Event *event);
  ~StreamEvent();

  /// Makes the event ready to be recorded by streams of `context`. Only the
  /// queue that records it calls this.
  Status prepareRecord(std::shared_ptr<CudaContext> context);
  /// CUDA's event, or null if no queue has prepared to record it.
  CUevent get() const { return handle.load(std::memory_order_acquire); }

private:
  explicit StreamEvent(const Event *event) : event(event) {}

  const Event *event;
  std::shared_ptr<CudaContext> owner;
  std::atomic<CUevent> handle{nullptr};
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_STREAMEVENTS_H
