//===- Executor.cpp - Executes the runs of a loaded entry -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

using namespace weir;

Executor::Executor(LoadedEntry &entry)
    : entry(entry),
      submissions(std::make_unique<Submission[]>(entry.programs.size())) {
  for (size_t i = 0; i < entry.programs.size(); ++i) {
    submissions[i].list = &entry.programs[i].list;
    submissions[i].run = &run;
    submissions[i].context = this;
    submissions[i].onComplete = [](void *self) {
      static_cast<Executor *>(self)->queueDone();
    };
  }
}

void Executor::begin(std::span<const ConstTensorView> inputs,
                     std::span<const TensorView> outputs,
                     void (*whenDone)(void *), void *whose) {
  onDone = whenDone;
  context = whose;
  run.reset(++epoch);
  for (const PortPatch &patch : entry.inputPatches)
    // Slots are non-const pointers. The verifier has checked that nothing
    // writes to inputs.
    entry.slots[patch.slot] =
        static_cast<std::byte *>(const_cast<void *>(inputs[patch.port].data)) +
        patch.offset;
  for (const PortPatch &patch : entry.outputPatches)
    entry.slots[patch.slot] =
        static_cast<std::byte *>(outputs[patch.port].data) + patch.offset;

  numRunning.store(entry.programs.size(), std::memory_order_relaxed);
}

void Executor::start() {
  for (size_t i = 0; i < entry.programs.size(); ++i)
    entry.programs[i].queue->submit(submissions[i]);
}

void Executor::runHere() {
  // Queues that wait for one another need a thread each.
  if (entry.programs.size() != 1 ||
      !entry.programs[0].queue->runHere(submissions[0]))
    start();
}

void Executor::queueDone() {
  if (numRunning.fetch_sub(1, std::memory_order_acq_rel) == 1)
    onDone(context);
}

Status Executor::finish(std::span<DeviceStats> stats) {
  Status status = run.takeStatus();
  if (!status.isOk())
    return status;
  for (DeviceStats &counts : stats)
    counts.launches = counts.crossings = counts.bytesCrossed = counts.busyNs =
        0;
  for (size_t i = 0; i < entry.programs.size(); ++i) {
    const QueueCounters &counters = submissions[i].counters;
    DeviceStats &counts = stats[entry.programs[i].device];
    counts.launches += counters.launches;
    counts.crossings += counters.crossings;
    counts.bytesCrossed += counters.bytesCrossed;
    if (entry.programs[i].queueIndex == 0)
      counts.busyNs += counters.busyNs;
  }
  return status;
}
