//===- StreamWatch.cpp - Learns what a stream has done -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StreamWatch.h"

#include "../../Runtime/BlockedSignals.h"
#include "weir/Runtime/StepWalk.h"
#include "weir/Support/Trace.h"

#include <fmt/format.h>
#include <system_error>

using namespace weir;

/// How long a thread asks the driver again and again before it sleeps. A thread
/// that sleeps learns of the end 15 to 45 us later.
static constexpr uint64_t spinNs = 50'000;

StreamWatch::StreamWatch(std::shared_ptr<CudaContext> context, CUstream stream)
    : context(std::move(context)), stream(stream), ring(16) {}

Status StreamWatch::start() {
  try {
    const BlockedSignals blocked;
    thread = std::thread([this] { watch(); });
  } catch (const std::system_error &error) {
    return resourceExhausted(fmt::format(
        "cannot start a thread for {}: {}; raise the limits of the process",
        context->name, error.code().message()));
  }
  started.wait();
  return startStatus;
}

StreamWatch::~StreamWatch() {
  if (thread.joinable()) {
    work.signal(numMarked + 1);
    thread.join();
  }
  const CudaContext::Use use(*context);
  for (CUevent event : unused)
    (void)context->api.cuEventDestroy(event);
}

void StreamWatch::append(const Place &place) {
  {
    const std::lock_guard lock(mutex);
    if (numPlaces == ring.size()) {
      std::vector<Place> larger(2 * ring.size());
      for (size_t i = 0; i < numPlaces; ++i)
        larger[i] = ring[(first + i) % ring.size()];
      ring = std::move(larger);
      first = 0;
    }
    ring[(first + numPlaces++) % ring.size()] = place;
    work.advance(++numMarked);
  }
  work.wake();
}

StreamWatch::Place StreamWatch::take() {
  const std::lock_guard lock(mutex);
  if (numPlaces == 0)
    return {};
  const Place place = ring[first];
  first = (first + 1) % ring.size();
  --numPlaces;
  return place;
}

StatusOr<CUevent> StreamWatch::recordEvent() {
  CUevent event = nullptr;
  {
    const std::lock_guard lock(mutex);
    if (!unused.empty()) {
      event = unused.back();
      unused.pop_back();
    }
  }
  if (!event)
    WEIR_RETURN_IF_ERROR(context->check(
        context->api.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING |
                                               CU_EVENT_BLOCKING_SYNC),
        "cuEventCreate"));
  Status status = context->check(context->api.cuEventRecord(event, stream),
                                 "cuEventRecord");
  if (status.isOk())
    return event;
  const std::lock_guard lock(mutex);
  unused.push_back(event);
  return status;
}

std::string StreamWatch::describe(const StreamMark &mark) const {
  const CommandList &list = *mark.submission->list;
  return list.steps.empty() ? context->name
                            : describeStep(list, mark.step, context->name);
}

void StreamWatch::mark(const StreamMark &place) {
  Submission &submission = *place.submission;
  if (!submission.hasEntered)
    return append({place});
  StatusOr<CUevent> event = recordEvent();
  if (event)
    return append({place, *event});
  submission.run->fail(std::move(event).status().withContext(describe(place)));
  // Nothing of the run may be under way when it ends. If this fails, the device
  // does nothing any more.
  (void)context->check(context->api.cuStreamSynchronize(stream),
                       "cuStreamSynchronize");
  append({place});
}

void StreamWatch::watch() {
  startStatus = context->makeCurrent();
  const bool isReady = startStatus.isOk();
  started.notify();
  for (uint32_t next = 1; isReady; ++next) {
    work.wait(next, 0);
    Place place = take();
    if (!place.mark.submission)
      return;
    arrive(place);
  }
}

Status StreamWatch::waitFor(CUevent event) {
  for (const uint64_t begin = monotonicNs(); monotonicNs() - begin < spinNs;) {
    const CUresult result = context->api.cuEventQuery(event);
    if (result != CUDA_ERROR_NOT_READY)
      return context->check(result, "cuEventQuery");
  }
  return context->check(context->api.cuEventSynchronize(event),
                        "cuEventSynchronize");
}

void StreamWatch::arrive(Place &place) {
  const StreamMark &mark = place.mark;
  Submission &submission = *mark.submission;
  RunControl &run = *submission.run;
  if (place.reached) {
    Status status = waitFor(place.reached);
    if (!status.isOk()) {
      run.fail(std::move(status).withContext(describe(mark) +
                                             ", or a step before it"));
      // It is not known to have ended its work.
      (void)context->check(context->api.cuStreamSynchronize(stream),
                           "cuStreamSynchronize");
    }
    const std::lock_guard lock(mutex);
    unused.push_back(place.reached);
  }
  if (mark.event) {
    if (!run.isCancelled())
      mark.event->signal(mark.value);
    return;
  }
  if (submission.hasEntered)
    submission.counters.busyNs = monotonicNs() - mark.beginNs - mark.waitedNs;
  submission.onComplete(submission);
}
