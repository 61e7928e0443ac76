//===- RepeatableLaunches.cpp - Which launches may run twice ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RepeatableLaunches.h"

#include <algorithm>

using namespace mlir;
using namespace weir;
using namespace weir::exec;
using analysis::ByteRange;
using analysis::Command;

ArenaLaunches::ArenaLaunches(const EntrySchedule &entry,
                             const ArenaContents &contents, uint32_t queue,
                             const CommandTimes &times)
    : buffers(contents.buffers), commands(entry.commands[queue]),
      usages(entry.buffers.size()) {
  llvm::DenseMap<Operation *, uint32_t> numbers;
  for (auto [number, scratch] : llvm::enumerate(contents.buffers))
    numbers[scratch] = static_cast<uint32_t>(number);
  for (auto [usage, buffer] : llvm::zip(usages, entry.buffers)) {
    Operation *op = BufferOpInterface(buffer).getOperation();
    if (auto known = numbers.find(op); known != numbers.end())
      usage.number = known->second;
    else
      usage.isOtherScratch = isa<ScratchOp>(op);
  }
  findUsages(entry, queue);
  for (uint32_t index = 0; index < commands.size(); ++index)
    addStep(entry, queue, index, times);
  addBuffers(contents);
}

void ArenaLaunches::findUsages(const EntrySchedule &entry, uint32_t queue) {
  const auto &queues = entry.schedule.queues;
  for (uint32_t number = 0; number < queues.size(); ++number)
    for (uint32_t step = 0; step < queues[number].size(); ++step) {
      const Command &command = queues[number][step];
      for (const auto *ranges : {&command.reads, &command.writes})
        for (const ByteRange &range : *ranges) {
          Usage &usage = usages[range.buffer];
          usage.isUsedElsewhere |= number != queue;
          usage.hasVersions |= range.version != 0;
          if (number == queue)
            usage.lastUse = step;
        }
      for (const ByteRange &range : command.writes) {
        Usage &usage = usages[range.buffer];
        ++usage.numWriters;
        // Other queues know nothing of a repetition and would not wait for it.
        if (range.version != 0)
          usage.firstUpdate =
              std::min(usage.firstUpdate, number == queue ? step : 0);
      }
    }
}

/// The last step in front of which `command` may be carried out again. 0: it
/// must not.
uint32_t ArenaLaunches::findLastRepeat(const Command &command) const {
  uint32_t last = static_cast<uint32_t>(commands.size());
  // What it writes is nothing but values of its own.
  for (const ByteRange &range : command.writes) {
    const Usage &usage = usages[range.buffer];
    if (usage.number == ~0u || usage.numWriters != 1 || usage.hasVersions)
      return 0;
  }
  if (llvm::any_of(command.overwrites, [](int32_t by) { return by >= 0; }))
    return 0;
  for (const ByteRange &range : command.reads) {
    const Usage &usage = usages[range.buffer];
    const bool isOurs = usage.number != ~0u;
    if (range.version != 0 || (isOurs && usage.hasVersions))
      return 0;
    last = std::min(last, usage.firstUpdate);
    // Another arena has other contents there after the last use.
    if (usage.isOtherScratch)
      last = std::min(last, usage.lastUse);
  }
  return last;
}

void ArenaLaunches::addStep(const EntrySchedule &entry, uint32_t queue,
                            uint32_t index, const CommandTimes &times) {
  const Command &command = entry.schedule.queues[queue][index];
  analysis::RecomputeStep &step = problem.steps.emplace_back();
  auto add = [&](const std::vector<ByteRange> &ranges,
                 std::vector<uint32_t> &numbers) {
    for (const ByteRange &range : ranges)
      if (uint32_t number = usages[range.buffer].number; number != ~0u)
        numbers.push_back(number);
    llvm::sort(numbers);
    numbers.erase(llvm::unique(numbers), numbers.end());
  };
  add(command.reads, step.reads);
  add(command.writes, step.writes);
  auto launch = dyn_cast<LaunchOp>(commands[index]);
  if (!launch || launch.getWrites().empty())
    return;
  step.seconds = times.secondsOf(launch, entry.programs[queue]);
  step.lastRepeat = findLastRepeat(command);
}

void ArenaLaunches::addBuffers(const ArenaContents &contents) {
  problem.buffers.resize(buffers.size());
  for (auto [buffer, life] : llvm::zip(problem.buffers, contents.lives))
    buffer.bytes = life.bytes;
  for (const analysis::RecomputeStep &step : problem.steps)
    for (uint32_t number : step.writes)
      problem.buffers[number].mayBeFreed = step.lastRepeat != 0;
  for (const Usage &usage : usages) {
    if (usage.number == ~0u || !usage.isUsedElsewhere)
      continue;
    analysis::RecomputeBuffer &buffer = problem.buffers[usage.number];
    const analysis::LiveBuffer &life = contents.lives[usage.number];
    buffer.mayBeFreed = false;
    buffer.first = life.first;
    buffer.last = life.last;
  }
}
