//===- StreamEvents.cpp - Events between streams -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StreamEvents.h"

#include <map>
#include <mutex>

using namespace weir;

namespace {
/// All twins of the process.
struct Twins {
  std::mutex mutex;
  std::map<const Event *, std::weak_ptr<StreamEvent>> byEvent;

  static Twins &get() {
    // Never destroyed, since devices may outlive statics.
    static auto *twins = new Twins;
    return *twins;
  }
};
} // namespace

std::shared_ptr<StreamEvent> StreamEvent::of(const Event *event) {
  Twins &twins = Twins::get();
  const std::lock_guard lock(twins.mutex);
  std::weak_ptr<StreamEvent> &known = twins.byEvent[event];
  std::shared_ptr<StreamEvent> twin = known.lock();
  if (!twin) {
    twin.reset(new StreamEvent(event));
    known = twin;
  }
  return twin;
}

StreamEvent::~StreamEvent() {
  Twins &twins = Twins::get();
  {
    const std::lock_guard lock(twins.mutex);
    // Another Event may lie at the address by now.
    if (const auto known = twins.byEvent.find(event);
        known != twins.byEvent.end() && known->second.expired())
      twins.byEvent.erase(known);
  }
  if (!owner)
    return;
  owner->release([&] { (void)owner->api.cuEventDestroy(handle); });
}

Status StreamEvent::prepareRecord(std::shared_ptr<CudaContext> context) {
  if (owner)
    return Status::ok();
  CUevent made = nullptr;
  WEIR_RETURN_IF_ERROR(
      context->check(context->api.cuEventCreate(&made, CU_EVENT_DISABLE_TIMING),
                     "cuEventCreate"));
  owner = std::move(context);
  handle.store(made, std::memory_order_release);
  return Status::ok();
}
