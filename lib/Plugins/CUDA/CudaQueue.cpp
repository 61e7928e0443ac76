//===- CudaQueue.cpp - A stream, and the threads that serve it -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaQueue.h"

#include "StreamCapture.h"
#include "weir/Runtime/Guarded.h"
#include "weir/Runtime/StepWalk.h"
#include "weir/Support/BlockedSignals.h"
#include "weir/Support/Trace.h"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>

using namespace weir;

/// How often the thread polls for another queue before it parks: about 10 us.
static constexpr int spins = 300;
/// How often the thread polls for a submission before it parks: about 60 us.
static constexpr int spinsForWork = 2000;

StatusOr<std::unique_ptr<CudaQueue>>
CudaQueue::create(std::shared_ptr<CudaContext> context, Remarks &remarks) {
  std::unique_ptr<CudaQueue> queue(new CudaQueue(std::move(context), remarks));
  WEIR_RETURN_IF_ERROR(queue->start().withContext(queue->context->name));
  return queue;
}

Status CudaQueue::start() {
  {
    const CudaContext::Use use(*context);
    WEIR_RETURN_IF_ERROR(use.status());
    // The stream does not wait for streams of libraries in the same process.
    WEIR_RETURN_IF_ERROR(context->check(
        context->api.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
        "cuStreamCreate"));
  }
  inspection = std::make_unique<StreamInspection>(context, stream);
  watch = std::make_unique<StreamWatch>(
      context, stream, [this](const SubmissionEnd &last) { end(last); });
  WEIR_RETURN_IF_ERROR(watch->start());
  try {
    const BlockedSignals blocked;
    thread = std::thread([this] { drive(); });
  } catch (const std::system_error &error) {
    return resourceExhausted(
        fmt::format("cannot start a thread: {}; raise the limits of the "
                    "process",
                    error.code().message()));
  }
  started.wait();
  return startStatus;
}

CudaQueue::~CudaQueue() {
  if (thread.joinable()) {
    backlog.end();
    thread.join();
  }
  watch.reset();
  inspection.reset();
  if (!stream)
    return;
  context->release([&] { (void)context->api.cuStreamDestroy(stream); });
}

void CudaQueue::reportOutcome(const SubmissionEnd &end) {
  Submission &submission = *end.submission;
  if (submission.hasEntered && submission.run->isCancelled() &&
      !context->answers())
    (void)guarded("an error's description", [&] {
      submission.run->addError(context->checkPresent());
      return Status::ok();
    });
  if (!end.derived)
    return;
  size_t at = 0;
  Status outcome = end.derived->outcome(submission.slots, at);
  if (!outcome.isOk())
    submission.run->fail(std::move(outcome).withContext(
        describeStep(*submission.list, at, context->name)));
}

void CudaQueue::end(const SubmissionEnd &end) {
  Submission &submission = *end.submission;
  reportOutcome(end);
  // The backlog learns of the end first. A caller who learns of the end may
  // submit again at once, and has to find the queue idle.
  backlog.finish();
  submission.onComplete(submission);
}

/// Whether `list` has no wait for another queue, and no record for another
/// queue.
static bool isAlone(const CommandList &list) {
  if (list.derived)
    return static_cast<StreamList *>(list.derived.get())->isAlone();
  return std::ranges::none_of(list.steps, [](const Step &step) {
    return step.kind == StepKind::Record || step.kind == StepKind::Wait;
  });
}

bool CudaQueue::runHere(Submission &submission) {
  if (!backlog.beginTurn())
    return false;
  {
    const CudaContext::Use use(*context);
    // If the context cannot be used, the thread of the queue reports the error.
    if (!use.status().isOk() || !isAlone(*submission.list)) {
      backlog.endTurn();
      return false;
    }
    const SubmissionEnd end = carryOut(submission);
    watch->reachHere(end);
    reportOutcome(end);
  }
  backlog.endTurn();
  // The queue may be destroyed when this returns.
  submission.onComplete(submission);
  return true;
}

void CudaQueue::drive() {
  startStatus = context->makeCurrent();
  const bool isReady = startStatus.isOk();
  started.notify();
  if (!isReady)
    return;
  while (Submission *submission = backlog.take(spinsForWork))
    watch->mark(carryOut(*submission));
}

Status CudaQueue::begin(Submission &submission, StreamList *&derived) {
  WEIR_RETURN_IF_ERROR(context->checkPresent());
  WEIR_ASSIGN_OR_RETURN(
      derived, StreamList::of(*submission.list, submission.slots, context));
  return Status::ok();
}

SubmissionEnd CudaQueue::carryOut(Submission &submission) {
  const CommandList &list = *submission.list;
  SubmissionEnd end;
  end.submission = &submission;
  end.beginNs = monotonicNs();
  submission.counters = {};
  submission.hasEntered = submission.run->enter();
  if (!submission.hasEntered)
    return end;
  StreamList *derived = nullptr;
  Status status =
      guarded("the begin of a run", [&] { return begin(submission, derived); });
  if (!status.isOk())
    submission.run->fail(guarded("an error's description", [&] {
      return std::move(status).withContext(
          list.steps.empty() ? context->name
                             : describeStep(list, 0, context->name));
    }));
  if (!derived)
    return end;
  end.derived = derived;
  Walk walk{submission, *derived, StreamInspection::isWanted(list)};
  this->walk(walk);
  end.step = walk.at;
  end.waitedNs = walk.waitedNs;
  end.times = &derived->endTimes;
  return end;
}

void CudaQueue::walk(Walk &walk) {
  const CommandList &list = *walk.submission.list;
  RunControl &run = *walk.submission.run;
  for (size_t next = 0; next < list.steps.size() && !run.isCancelled();) {
    walk.at = next;
    const Stretch *stretch =
        walk.isObserved ? nullptr : walk.derived.stretchAt(next);
    StatusOr<size_t> done = guarded("a step", [&] {
      return stretch ? doStretch(walk, *stretch) : doStep(walk);
    });
    if (done) {
      next = *done;
      continue;
    }
    run.fail(guarded("an error's description", [&] {
      return std::move(done).status().withContext(
          describeStep(list, walk.at, context->name));
    }));
  }
}

void CudaQueue::count(const Walk &walk, size_t at) {
  const Step &step = walk.submission.list->steps[at];
  QueueCounters &counters = walk.submission.counters;
  if (step.writesVariable)
    counters.variableSteps = std::max(counters.variableSteps, at + 1);
  counters.launches += step.kind == StepKind::Launch;
  if (step.kind == StepKind::Copy && step.crossing) {
    ++counters.crossings;
    counters.bytesCrossed += step.bytes;
  }
}

StatusOr<size_t> CudaQueue::doStep(Walk &walk) {
  const size_t at = walk.at;
  const CommandList &list = *walk.submission.list;
  const Step &step = list.steps[at];
  if (walk.isObserved)
    WEIR_RETURN_IF_ERROR(inspection->begin(list));
  count(walk, at);
  switch (step.kind) {
  case StepKind::Launch:
  case StepKind::Copy:
  case StepKind::Fill:
    WEIR_RETURN_IF_ERROR(enqueue(walk, at));
    break;
  case StepKind::Record:
    WEIR_RETURN_IF_ERROR(record(walk));
    break;
  case StepKind::Wait:
    WEIR_RETURN_IF_ERROR(waitFor(walk));
    break;
  case StepKind::Repeat: {
    const size_t last = nextTrip(*step.repeat, walk.submission.slots, at);
    walk.shown = firstTensorFrom(list, last + 1);
    return last + 1;
  }
  }
  if (walk.isObserved)
    WEIR_RETURN_IF_ERROR(
        inspection->end(walk.submission, at, isOnStream(walk, at), walk.shown));
  return at + 1;
}

bool CudaQueue::isOnStream(const Walk &walk, size_t at) {
  switch (walk.submission.list->steps[at].kind) {
  case StepKind::Launch:
    return walk.derived.kernel(at) != nullptr;
  case StepKind::Copy:
  case StepKind::Fill:
    return true;
  default:
    return false;
  }
}

bool CudaQueue::waitsInDriver(CUdeviceptr to, CUdeviceptr from,
                              uint64_t bytes) const {
  // From pageable memory, the driver copies up to this many bytes aside, and
  // returns at once.
  constexpr uint64_t mostKept = uint64_t(64) << 10;
  return !context->memoryType(to) ||
         (bytes > mostKept && !context->memoryType(from));
}

Status CudaQueue::enqueue(const Walk &walk, size_t at) {
  const Submission &submission = walk.submission;
  const Step &step = submission.list->steps[at];
  void **slots = submission.slots + step.slot;
  const CudaApi &api = context->api;
  if (step.kind == StepKind::Launch) {
    const KernelArgs args{slots, submission.list->workspace};
    if (StreamKernel *kernel = walk.derived.kernel(at))
      return kernel->enqueue(args, stream);
    // A kernel on the host may read results that the stream has not computed
    // yet.
    WEIR_ASSIGN_OR_RETURN(const bool isDone, context->awaitUnlessCancelled(
                                                 *submission.run, stream));
    return isDone ? step.kernel->run(args) : Status::ok();
  }
  if (step.bytes == 0)
    return Status::ok();
  const auto address = [&](int index) {
    return reinterpret_cast<CUdeviceptr>(slots[index]);
  };
  if (step.kind == StepKind::Fill)
    return context->check(
        api.cuMemsetD8Async(address(0), 0, step.bytes, stream),
        "cuMemsetD8Async");
  // Otherwise the driver would wait for the stream, and a cancelled run could
  // not end that wait.
  if (waitsInDriver(address(1), address(0), step.bytes)) {
    WEIR_ASSIGN_OR_RETURN(const bool isDone, context->awaitUnlessCancelled(
                                                 *submission.run, stream));
    if (!isDone)
      return Status::ok();
  }
  // All addresses of the process are different, so the driver knows which
  // memory each one is in.
  return context->check(
      api.cuMemcpyAsync(address(1), address(0), step.bytes, stream),
      "cuMemcpyAsync");
}

Status CudaQueue::enqueueAll(Walk &walk, const Stretch &stretch) {
  for (size_t at = stretch.begin; at < stretch.end; ++at) {
    walk.at = at;
    WEIR_RETURN_IF_ERROR(enqueue(walk, at));
  }
  return Status::ok();
}

StatusOr<size_t> CudaQueue::doStretch(Walk &walk, const Stretch &stretch) {
  StretchGraphs &graphs = walk.derived.graphs(stretch, walk.submission.slots);
  using Way = StretchGraphs::Way;
  Way way =
      graphs.choose(walk.derived.addressesOf(stretch, walk.submission.slots));
  if (way == Way::Capture)
    way = capture(walk, stretch, graphs) ? Way::Replay : Way::EachStep;
  for (size_t at = stretch.begin; at < stretch.end; ++at)
    count(walk, at);
  if (way == Way::EachStep) {
    WEIR_RETURN_IF_ERROR(enqueueAll(walk, stretch));
    graphs.noteSteps();
    return stretch.end;
  }
  walk.at = stretch.end - 1;
  WEIR_RETURN_IF_ERROR(graphs.launch(stream));
  return stretch.end;
}

bool CudaQueue::capture(Walk &walk, const Stretch &stretch,
                        StretchGraphs &graphs) {
  Status status = tryCapture(walk, stretch, graphs);
  if (status.isOk())
    return true;
  graphs.giveUp();
  remarks.addFirst(
      {"not-captured",
       fmt::format("launches are not captured as a CUDA graph, which makes "
                   "runs slower: {}",
                   status.message())});
  return false;
}

Status CudaQueue::orderBehind(CUevent event) {
  const std::lock_guard lock(capturing);
  return context->check(context->api.cuStreamWaitEvent(stream, event, 0),
                        "cuStreamWaitEvent");
}

Status CudaQueue::tryCapture(Walk &walk, const Stretch &stretch,
                             StretchGraphs &graphs) {
  const std::lock_guard lock(capturing);
  WEIR_ASSIGN_OR_RETURN(CUgraphExec exec, captureGraph(*context, stream, [&] {
                          return enqueueAll(walk, stretch);
                        }));
  graphs.keep(exec);
  return Status::ok();
}

Status CudaQueue::record(Walk &walk) {
  const Step &step = walk.submission.list->steps[walk.at];
  const uint32_t value =
      walk.submission.run->eventBase() +
      static_cast<uint32_t>(eventValue(step, walk.submission.slots));
  if (step.acrossKinds) {
    watch->mark(
        EventMark{{&walk.submission, walk.at, &walk.derived.times(walk.at)},
                  step.event,
                  value});
    return Status::ok();
  }
  WEIR_RETURN_IF_ERROR(context->check(
      context->api.cuEventRecord(walk.derived.event(walk.at).get(), stream),
      "cuEventRecord"));
  step.event->signal(value);
  return Status::ok();
}

Status CudaQueue::waitFor(Walk &walk) {
  const Step &step = walk.submission.list->steps[walk.at];
  const RunControl &run = *walk.submission.run;
  const int64_t value = eventValue(step, walk.submission.slots);
  if (value < 1)
    return Status::ok();
  const uint32_t wanted = run.eventBase() + static_cast<uint32_t>(value);
  if (!step.event->hasReached(wanted)) {
    const uint64_t begin = monotonicNs();
    step.event->waitUnless(wanted, spins, run.cancelFlag());
    walk.waitedNs += monotonicNs() - begin;
  }
  // A cancelled run may lack the record, so there may be nothing to wait for.
  if (step.acrossKinds || run.isCancelled())
    return Status::ok();
  return context->check(context->api.cuStreamWaitEvent(
                            stream, walk.derived.event(walk.at).get(), 0),
                        "cuStreamWaitEvent");
}
