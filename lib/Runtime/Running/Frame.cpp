//===- Frame.cpp - One run in flight -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Frame.h"

#include "Admission.h"

#include <algorithm>
#include <optional>

using namespace weir;

Frame::Frame(const LoadedModel &model, size_t number, Admission &admission)
    : admission(admission), devices(model.devices),
      arenas(model.memory.frameArenas(number)) {
  for (const std::unique_ptr<Plan> &plan : model.plans()) {
    Bound &to = bound.emplace_back();
    to.slots.resize(plan->slots.size());
    fillSlots(*plan);
    to.submissions = std::make_unique<Submission[]>(plan->programs.size());
    for (size_t i = 0; i < plan->programs.size(); ++i) {
      Submission &submission = to.submissions[i];
      submission.list = &plan->programs[i].list;
      submission.run = &run;
      submission.slots = to.slots.data();
      submission.context = this;
      submission.onComplete = [](Submission &done) {
        static_cast<Frame *>(done.context)->queueDone(done);
      };
    }
  }
}

/// Gives slots the contents that they have before each run.
void Frame::fillSlots(const Plan &plan) {
  std::vector<void *> &slots = bound[plan.index].slots;
  std::ranges::copy(plan.slots, slots.begin());
  for (const FramePatch &patch : plan.framePatches)
    slots[patch.slot] = arenas[patch.arena] + patch.offset;
}

void Frame::begin(const Plan &plan, std::span<const ConstTensorView> inputs,
                  std::span<const TensorView> outputs, uint32_t base) {
  current = &plan;
  run.reset(base, plan.programs.size());
  void **slots = bound[plan.index].slots.data();
  for (const PortPatch &patch : plan.inputPatches)
    // Slots are non-const pointers. The verifier has checked that nothing
    // writes to inputs.
    slots[patch.slot] =
        static_cast<std::byte *>(const_cast<void *>(inputs[patch.port].data)) +
        patch.offset;
  for (const PortPatch &patch : plan.outputPatches)
    slots[patch.slot] =
        static_cast<std::byte *>(outputs[patch.port].data) + patch.offset;
}

void Frame::submit() {
  const std::span<Submission> all = submissions();
  // Models share queues. If two runs entered the same queues in different
  // orders, each run could wait for the other.
  std::optional<ModelDevices::Entering> entering;
  if (all.size() > 1)
    entering.emplace(devices);
  for (size_t i = 0; i < all.size(); ++i)
    current->programs[i].queue->submit(all[i]);
}

bool Frame::runHere() {
  return current->programs[0].queue->runHere(submissions()[0]);
}

void Frame::cancel(Status reason) {
  run.fail(std::move(reason));
  for (size_t i = 0; i < current->numEvents; ++i)
    current->events[i].wake();
}

void Frame::queueDone(const Submission &submission) {
  // The thread that has cancelled the run may have seen this queue inside,
  // although the queue could not enter. Then the run ends when this queue is
  // done.
  if (submission.hasEntered ? run.exit() : run.isAbandoned())
    admission.runAbandoned(*this);
  // The run is under way until this queue has left it. After that, the frame
  // may be used for another run, or destroyed.
  if (run.leave())
    admission.runEnded(*this);
}

Status Frame::finish(std::span<DeviceCounts> counts) {
  if (run.isCancelled()) {
    // Some queues have not signalled their events or ended their loops.
    for (size_t i = 0; i < current->numEvents; ++i)
      current->events[i].raise(run.eventBase() + current->largestValue);
    if (current->hasLoops())
      fillSlots(*current);
    return run.takeStatus();
  }
  std::ranges::fill(counts, DeviceCounts());
  for (size_t i = 0; i < current->programs.size(); ++i) {
    const QueueCounters &counters = submissions()[i].counters;
    DeviceCounts &device = counts[current->programs[i].device];
    device.launches += counters.launches;
    device.crossings += counters.crossings;
    device.bytesCrossed += counters.bytesCrossed;
    if (current->programs[i].role == QueueRole::Compute)
      device.busyNs += counters.busyNs;
  }
  return Status::ok();
}
