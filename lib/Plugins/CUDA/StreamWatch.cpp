//===- StreamWatch.cpp - Learns what a stream has done -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StreamWatch.h"

#include "weir/Runtime/Guarded.h"
#include "weir/Runtime/StepWalk.h"
#include "weir/Support/BlockedSignals.h"
#include "weir/Support/Trace.h"

#include <chrono>
#include <fmt/format.h>
#include <set>
#include <system_error>

using namespace weir;

/// How long a thread asks the driver again and again, beyond the time that the
/// last run took, before it sleeps. A thread that sleeps until an event learns
/// of the event 15 to 45 us late.
static constexpr uint64_t pollNs = 2'000'000;
/// The longest sleep. Nobody can end a sleep early, and the run may be
/// cancelled.
static constexpr uint64_t mostSleepNs = 50'000'000;
/// The most by which a thread wakes too late from a sleep.
static constexpr uint64_t sleepLateNs = 100'000;
/// How often the thread polls for a place before it parks: about 60 us.
static constexpr int spins = 2000;
/// The most places under way.
static constexpr size_t mostPlaces = 256;

namespace {
/// All objects that watch a stream.
struct Watches {
  std::mutex mutex;
  std::set<StreamWatch *> all;

  static Watches &get() {
    // Never destroyed, since sessions may be closed while the process ends.
    static Watches &watches = *new Watches;
    return watches;
  }
};
} // namespace

StreamWatch::StreamWatch(std::shared_ptr<CudaContext> context, CUstream stream,
                         std::function<void(const SubmissionEnd &)> onEnd)
    : context(std::move(context)), stream(stream), onEnd(std::move(onEnd)),
      ring(mostPlaces) {
  // Besides the events of the ring, one event is being recorded, and one is
  // being waited for.
  unused.reserve(mostPlaces + 2);
  const std::lock_guard lock(Watches::get().mutex);
  Watches::get().all.insert(this);
}

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
  {
    const std::lock_guard lock(Watches::get().mutex);
    Watches::get().all.erase(this);
  }
  context->release([&] {
    for (CUevent event : unused)
      (void)context->api.cuEventDestroy(event);
  });
}

void StreamWatch::append(const Place &place) {
  {
    std::unique_lock lock(mutex);
    hasRoom.wait(lock, [&] { return numPlaces < ring.size(); });
    ring[(first + numPlaces++) % ring.size()] = place;
    work.advance(++numMarked);
  }
  work.wake();
}

std::optional<StreamWatch::Place> StreamWatch::take() {
  const std::lock_guard lock(mutex);
  if (numPlaces == 0)
    return std::nullopt;
  const Place place = ring[first];
  current = place.where().submission->run;
  first = (first + 1) % ring.size();
  if (numPlaces-- == ring.size())
    hasRoom.notify_one();
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
  release(event);
  return status;
}

void StreamWatch::release(CUevent event) {
  const std::lock_guard lock(mutex);
  unused.push_back(event);
}

std::string StreamWatch::describe(const StreamPlace &place) const {
  const CommandList &list = *place.submission->list;
  return list.steps.empty() ? context->name
                            : describeStep(list, place.step, context->name);
}

void StreamWatch::fail(const StreamPlace &place, Status status,
                       std::string_view more) {
  place.submission->run->fail(guarded("an error's description", [&] {
    return std::move(status).withContext(describe(place).append(more));
  }));
}

StreamWatch::Place StreamWatch::begin(const Mark &mark) {
  Place place{mark};
  const Submission &submission = *place.where().submission;
  if (!submission.hasEntered)
    return place;
  StatusOr<CUevent> event = recordEvent();
  if (event) {
    place.reached = *event;
    return place;
  }
  fail(place.where(), std::move(event).status(), "");
  // When the run ends, none of its work may be under way.
  reachAll();
  RunWait wait = waitOf(submission);
  context->drain(wait, stream);
  return place;
}

void StreamWatch::reachHere(const SubmissionEnd &end) {
  RunWait wait = waitOf(*end.submission);
  reach(begin(end), wait);
}

RunWait StreamWatch::waitOf(const Submission &submission) {
  return {submission.run, isBehindOthers};
}

bool StreamWatch::isBehindOthers(const RunControl &run) {
  Watches &watches = Watches::get();
  const std::lock_guard lock(watches.mutex);
  return std::ranges::any_of(
      watches.all, [&](StreamWatch *watch) { return watch->keepsBehind(run); });
}

bool StreamWatch::keepsBehind(const RunControl &run) {
  const std::lock_guard lock(mutex);
  // On two streams, each of two runs may be behind the other run. If both runs
  // are cancelled, both have to end.
  if (!current || current == &run || current->isCancelled())
    return false;
  for (size_t i = 0; i < numPlaces; ++i)
    if (ring[(first + i) % ring.size()].where().submission->run == &run)
      return true;
  return false;
}

void StreamWatch::reachAll() {
  const auto isBusy = [&] {
    const std::lock_guard lock(mutex);
    return current || numPlaces > 0;
  };
  while (isBusy())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void StreamWatch::watch() {
  startStatus = context->makeCurrent();
  const bool isReady = startStatus.isOk();
  started.notify();
  // The wait for the places of one submission, whose run is cancelled only
  // once.
  RunWait wait;
  for (uint32_t next = 1; isReady; ++next) {
    work.wait(next, spins);
    const std::optional<Place> place = take();
    if (!place)
      return;
    if (!wait.run)
      wait = waitOf(*place->where().submission);
    reach(*place, wait);
    {
      const std::lock_guard lock(mutex);
      current = nullptr;
    }
    if (std::holds_alternative<SubmissionEnd>(place->mark))
      wait = {};
    arrive(*place);
  }
}

/// Sleeps until `endNs`, or until `run` is cancelled. Returns whether it slept
/// until the end.
static bool sleepUnlessCancelled(const RunControl &run, uint64_t endNs) {
  for (uint64_t now = monotonicNs(); now < endNs; now = monotonicNs()) {
    if (run.isCancelled())
      return false;
    std::this_thread::sleep_for(
        std::chrono::nanoseconds(std::min(endNs - now, mostSleepNs)));
  }
  return true;
}

Status StreamWatch::waitFor(const Place &place, RunWait &wait) {
  WaitTimes *const times = place.where().times;
  const uint64_t begin = monotonicNs(),
                 expected = times ? times->expectedNs() : 0;
  uint64_t restlessUntil = begin + expected + pollNs;
  if (const uint64_t most = expected / 5 * 4;
      most > 2 * sleepLateNs &&
      !sleepUnlessCancelled(*wait.run, begin + most - sleepLateNs))
    restlessUntil = monotonicNs() + pollNs;
  Status status = context->await(
      wait, "cuEventQuery",
      [&] { return context->api.cuEventQuery(place.reached); }, restlessUntil);
  if (times)
    times->add(monotonicNs() - begin);
  return status;
}

void StreamWatch::reach(const Place &place, RunWait &wait) {
  if (place.reached) {
    Status status = waitFor(place, wait);
    if (!status.isOk()) {
      fail(place.where(), std::move(status), ", or a step before it");
      // The error does not say whether the stream is still at work. The thread
      // asks about the event, and not about the stream, because the stream may
      // be captured for the next run.
      context->awaitSurely(
          wait, [&] { return context->api.cuEventQuery(place.reached); });
    }
    release(place.reached);
  }
  if (const auto *end = std::get_if<SubmissionEnd>(&place.mark);
      end && end->submission->hasEntered)
    end->submission->counters.busyNs =
        monotonicNs() - end->beginNs - end->waitedNs;
}

void StreamWatch::arrive(const Place &place) {
  if (const auto *end = std::get_if<SubmissionEnd>(&place.mark))
    return onEnd(*end);
  const EventMark &mark = std::get<EventMark>(place.mark);
  if (!mark.submission->run->isCancelled())
    mark.event->signal(mark.value);
}
