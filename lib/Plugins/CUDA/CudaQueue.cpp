//===- CudaQueue.cpp - A stream, and the threads that serve it -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaQueue.h"

#include "../../Runtime/BlockedSignals.h"
#include "../../Runtime/Guarded.h"
#include "weir/Runtime/StepWalk.h"
#include "weir/Support/Trace.h"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>

using namespace weir;

/// How often the thread polls for another queue before it parks: about 10 us.
static constexpr int spins = 300;

void Remarks::addFirst(const std::string &remark) {
  const std::lock_guard lock(mutex);
  if (text.empty())
    text = remark;
}

std::string Remarks::get() const {
  const std::lock_guard lock(mutex);
  return text;
}

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
    // The stream does not wait for those of libraries in the same process.
    WEIR_RETURN_IF_ERROR(context->check(
        context->api.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
        "cuStreamCreate"));
  }
  watch = std::make_unique<StreamWatch>(context, stream);
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
    {
      const std::lock_guard lock(mutex);
      work.signal(++numSubmitted);
    }
    thread.join();
  }
  watch.reset();
  if (!stream)
    return;
  const CudaContext::Use use(*context);
  (void)context->api.cuStreamDestroy(stream);
}

void CudaQueue::submit(Submission &submission) {
  {
    const std::lock_guard lock(mutex);
    submission.next = nullptr;
    (tail ? tail->next : head) = &submission;
    tail = &submission;
    work.advance(++numSubmitted);
  }
  // The woken thread needs the mutex immediately.
  work.wake();
}

Submission *CudaQueue::take() {
  const std::lock_guard lock(mutex);
  Submission *taken = head;
  if (taken)
    head = taken->next;
  if (!head)
    tail = nullptr;
  return taken;
}

void CudaQueue::drive() {
  startStatus = context->makeCurrent();
  const bool isReady = startStatus.isOk();
  started.notify();
  for (uint32_t next = 1; isReady; ++next) {
    work.wait(next, 0);
    Submission *submission = take();
    if (!submission)
      return;
    carryOut(*submission);
  }
}

Status CudaQueue::begin(Submission &submission, StreamList *&derived) {
  WEIR_RETURN_IF_ERROR(context->checkPresent());
  WEIR_ASSIGN_OR_RETURN(
      derived, StreamList::of(*submission.list, submission.slots, context));
  return Status::ok();
}

void CudaQueue::carryOut(Submission &submission) {
  const uint64_t beginNs = monotonicNs();
  const CommandList &list = *submission.list;
  submission.counters = {};
  submission.hasEntered = submission.run->enter();
  StreamMark end{&submission, 0, nullptr, 0, beginNs, 0};
  if (submission.hasEntered) {
    StreamList *derived = nullptr;
    Status status = guarded("the begin of a run",
                            [&] { return begin(submission, derived); });
    if (!status.isOk() && list.steps.empty())
      submission.run->fail(std::move(status).withContext(context->name));
    else if (!status.isOk())
      submission.run->fail(
          std::move(status).withContext(describeStep(list, 0, context->name)));
    if (derived) {
      Walk walk{submission, *derived,
                list.trace || list.checkNumerics || list.observer, beginNs};
      this->walk(walk);
      end.step = walk.at;
      end.waitedNs = walk.waitedNs;
    }
  }
  watch->mark(end);
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
  const Step &step = walk.submission.list->steps[at];
  const uint64_t beginNs = monotonicNs();
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
    walk.shown = firstTensorFrom(*walk.submission.list, last + 1);
    return last + 1;
  }
  }
  if (walk.isObserved)
    WEIR_RETURN_IF_ERROR(inspect(walk, beginNs));
  return at + 1;
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
    // A kernel on the host may read what the stream has still to do.
    WEIR_RETURN_IF_ERROR(synchronize());
    return step.kernel->run(args);
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
  StretchGraph &graph = walk.derived.graph(stretch, walk.submission.slots);
  using Way = StretchGraph::Way;
  Way way =
      graph.choose(walk.derived.addressesOf(stretch, walk.submission.slots));
  if (way == Way::Capture) {
    capture(walk, stretch, graph);
    way = graph.isReady() ? Way::Replay : Way::EachStep;
  }
  for (size_t at = stretch.begin; at < stretch.end; ++at)
    count(walk, at);
  walk.at = stretch.end - 1;
  if (way == Way::Replay)
    WEIR_RETURN_IF_ERROR(graph.launch(stream));
  else
    WEIR_RETURN_IF_ERROR(enqueueAll(walk, stretch));
  return stretch.end;
}

void CudaQueue::capture(Walk &walk, const Stretch &stretch,
                        StretchGraph &graph) {
  Status status = tryCapture(walk, stretch, graph);
  if (status.isOk())
    return;
  graph.giveUp();
  remarks.addFirst(fmt::format(
      "launches are not captured as a CUDA graph, which makes runs slower: {}",
      status.message()));
}

Status CudaQueue::tryCapture(Walk &walk, const Stretch &stretch,
                             StretchGraph &graph) {
  const CudaApi &api = context->api;
  WEIR_RETURN_IF_ERROR(context->check(
      api.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
      "cuStreamBeginCapture"));
  Status enqueued = enqueueAll(walk, stretch);
  // Ends the capture in any case.
  CUgraph captured = nullptr;
  Status ended = context->check(api.cuStreamEndCapture(stream, &captured),
                                "cuStreamEndCapture");
  Status status = enqueued.isOk() ? std::move(ended) : std::move(enqueued);
  if (status.isOk())
    status = graph.instantiate(captured);
  if (captured)
    (void)api.cuGraphDestroy(captured);
  return status;
}

Status CudaQueue::record(Walk &walk) {
  const Step &step = walk.submission.list->steps[walk.at];
  const uint32_t value =
      walk.submission.run->eventBase() +
      static_cast<uint32_t>(eventValue(step, walk.submission.slots));
  if (step.acrossKinds) {
    watch->mark({&walk.submission, walk.at, step.event, value});
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
  // Without the record of this run, there is nothing to wait for.
  if (step.acrossKinds || run.isCancelled())
    return Status::ok();
  return context->check(context->api.cuStreamWaitEvent(
                            stream, walk.derived.event(walk.at).get(), 0),
                        "cuStreamWaitEvent");
}

Status CudaQueue::synchronize() {
  return context->check(context->api.cuStreamSynchronize(stream),
                        "cuStreamSynchronize");
}

Status CudaQueue::inspect(Walk &walk, uint64_t beginNs) {
  const Submission &submission = walk.submission;
  const CommandList &list = *submission.list;
  const Step &step = list.steps[walk.at];
  WEIR_RETURN_IF_ERROR(synchronize());
  if (list.trace) {
    const bool moves =
        step.kind == StepKind::Copy || step.kind == StepKind::Fill;
    list.trace->record({list.infos[walk.at].op, stepCategory(step), beginNs,
                        monotonicNs(), moves ? step.bytes : 0,
                        list.infos[walk.at].detail});
  }
  if (list.checkNumerics && step.kind == StepKind::Launch)
    WEIR_RETURN_IF_ERROR(checkNumerics(walk));
  if (!list.observer)
    return Status::ok();
  std::vector<std::byte> bytes;
  showTensors(submission, walk.at, walk.shown, [&](const StepTensor &tensor) {
    return fetch(submission.slots[tensor.slot], tensor.bytes, bytes);
  });
  return Status::ok();
}

StatusOr<const void *> CudaQueue::fetch(const void *from, size_t bytes,
                                        std::vector<std::byte> &to) {
  to.resize(std::max<size_t>(bytes, 1));
  if (bytes == 0)
    return static_cast<const void *>(to.data());
  WEIR_RETURN_IF_ERROR(context->check(
      context->api.cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(to.data()),
                                 reinterpret_cast<CUdeviceptr>(from), bytes,
                                 stream),
      "cuMemcpyAsync"));
  WEIR_RETURN_IF_ERROR(synchronize());
  return static_cast<const void *>(to.data());
}

Status CudaQueue::checkNumerics(const Walk &walk) {
  const CommandList &list = *walk.submission.list;
  const KernelSpec &spec = *list.infos[walk.at].spec;
  void *const *slots = walk.submission.slots + list.steps[walk.at].slot;
  const size_t numOperands = spec.operands.size();
  std::vector<std::vector<std::byte>> results(spec.results.size());
  std::vector<void *> buffers(slots, slots + numOperands);
  for (size_t i = 0; i < results.size(); ++i) {
    WEIR_RETURN_IF_ERROR(
        fetch(slots[numOperands + i], spec.results[i].spanBytes(), results[i])
            .status());
    buffers.push_back(results[i].data());
  }
  return checkResults(spec, buffers.data());
}
