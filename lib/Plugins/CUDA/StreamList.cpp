//===- StreamList.cpp - What a queue derives from a list -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StreamList.h"

#include <algorithm>

using namespace weir;

/// The most graphs of a stretch and frame. A caller that has two or three
/// buffers for an input or output uses them in turn, and needs a graph for
/// each.
static constexpr size_t mostGraphs = 4;

StretchGraphs::~StretchGraphs() {
  for (Captured &each : all)
    destroy(each);
}

void StretchGraphs::destroy(Captured &captured) {
  if (!captured.exec)
    return;
  context->release(
      [&] { (void)context->api.cuGraphExecDestroy(captured.exec); });
  captured.exec = nullptr;
}

StretchGraphs::Way StretchGraphs::choose(const std::vector<void *> &addresses) {
  auto found = std::ranges::find(all, addresses, &Captured::addresses);
  if (found == all.end()) {
    if (all.size() < mostGraphs)
      all.emplace_back();
    found = all.end() - 1;
    // The frame's last run has ended, so the graph is idle.
    destroy(*found);
    *found = {addresses};
  }
  std::rotate(all.begin(), found, found + 1);
  if (isGivenUp || !all[0].isKnown)
    return Way::EachStep;
  return all[0].exec ? Way::Replay : Way::Capture;
}

void StretchGraphs::noteSteps() { all[0].isKnown = true; }

Status StretchGraphs::launch(CUstream stream) const {
  return context->check(context->api.cuGraphLaunch(all[0].exec, stream),
                        "cuGraphLaunch");
}

StatusOr<StreamList *>
StreamList::of(const CommandList &list, void *const *slots,
               const std::shared_ptr<CudaContext> &context) {
  if (!list.derived) {
    std::shared_ptr<StreamList> made(new StreamList(list, context));
    WEIR_RETURN_IF_ERROR(made->prepareSteps());
    made->findStretches(slots);
    list.derived = std::move(made);
  }
  return static_cast<StreamList *>(list.derived.get());
}

Status StreamList::prepareSteps() {
  for (size_t at = 0; at < steps.size(); ++at) {
    const Step &step = list.steps[at];
    const bool isRecord = step.kind == StepKind::Record;
    if (step.kind == StepKind::Launch)
      steps[at].kernel = dynamic_cast<StreamKernel *>(step.kernel);
    if (steps[at].kernel && steps[at].kernel->hasOutcome())
      uncertain.push_back(at);
    numEvents += isRecord || step.kind == StepKind::Wait;
    // If queues of other kinds use an event, its counter says what devices have
    // done. Such an event needs no twin.
    if (step.acrossKinds || (!isRecord && step.kind != StepKind::Wait))
      continue;
    steps[at].event = StreamEvent::of(step.event);
    if (isRecord)
      WEIR_RETURN_IF_ERROR(steps[at].event->prepareRecord(context));
  }
  return Status::ok();
}

Status StreamList::outcome(void *const *slots, size_t &at) const {
  Status first;
  for (const size_t each : uncertain) {
    Status own = steps[each].kernel->outcome(slots + list.steps[each].slot);
    if (own.isOk() || !first.isOk())
      continue;
    first = std::move(own);
    at = each;
  }
  return first;
}

/// The number of slots that step `at` of a stretch uses.
size_t StreamList::numSlots(size_t at) const {
  const StepKind kind = list.steps[at].kind;
  if (kind == StepKind::Launch)
    return steps[at].kernel->numBuffers();
  return kind == StepKind::Copy ? 2 : 1;
}

bool StreamList::isOnDevice(const void *address) const {
  return context->memoryType(reinterpret_cast<CUdeviceptr>(address)) ==
         CU_MEMORYTYPE_DEVICE;
}

bool StreamList::isInStretch(size_t at, void *const *slots) const {
  const Step &step = list.steps[at];
  if (step.kind == StepKind::Launch)
    return steps[at].kernel != nullptr;
  if (step.kind != StepKind::Copy && step.kind != StepKind::Fill)
    return false;
  return step.bytes == 0 ||
         std::all_of(slots + step.slot, slots + step.slot + numSlots(at),
                     [&](const void *address) { return isOnDevice(address); });
}

void StreamList::findStretches(void *const *slots) {
  // In loops, addresses change from trip to trip, so stretches are outside of
  // loops.
  std::vector<bool> isInLoop(steps.size());
  for (size_t at = 0; at < steps.size(); ++at)
    if (const Step &step = list.steps[at]; step.kind == StepKind::Repeat)
      std::fill(isInLoop.begin() +
                    static_cast<ptrdiff_t>(step.repeat->firstStep),
                isInLoop.begin() + static_cast<ptrdiff_t>(at), true);
  // A graph of one step saves nothing.
  constexpr size_t fewest = 2;
  for (size_t at = 0; at < steps.size(); ++at) {
    const size_t begin = at;
    while (at < steps.size() && !isInLoop[at] && isInStretch(at, slots))
      ++at;
    if (at - begin < fewest)
      continue;
    stretches.push_back({begin, at});
    steps[begin].stretch = stretches.size();
  }
}

StretchGraphs &StreamList::graphs(const Stretch &stretch, void **slots) {
  auto frame = std::ranges::find(frames, slots, &FrameGraphs::slots);
  if (frame == frames.end()) {
    FrameGraphs &made = frames.emplace_back();
    made.slots = slots;
    for (size_t i = 0; i < stretches.size(); ++i)
      made.graphs.emplace_back(context);
    frame = frames.end() - 1;
  }
  return frame->graphs[static_cast<size_t>(&stretch - stretches.data())];
}

const std::vector<void *> &StreamList::addressesOf(const Stretch &stretch,
                                                   void *const *slots) {
  addresses.clear();
  for (size_t at = stretch.begin; at < stretch.end; ++at) {
    void *const *first = slots + list.steps[at].slot;
    addresses.insert(addresses.end(), first, first + numSlots(at));
  }
  return addresses;
}
