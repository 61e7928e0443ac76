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

std::vector<BufferUsage> weir::exec::findUsages(const EntrySchedule &entry) {
  std::vector<BufferUsage> usages(entry.buffers.size());
  const auto &queues = entry.schedule.queues;
  for (uint32_t queue = 0; queue < queues.size(); ++queue)
    for (uint32_t step = 0; step < queues[queue].size(); ++step) {
      const Command &command = queues[queue][step];
      for (const auto *ranges : {&command.reads, &command.writes})
        for (const ByteRange &range : *ranges) {
          BufferUsage &usage = usages[range.buffer];
          usage.users.add(queue);
          usage.hasVersions |= range.version != 0;
        }
      for (const ByteRange &range : command.writes) {
        BufferUsage &usage = usages[range.buffer];
        ++usage.numWriters;
        if (range.version == 0)
          continue;
        usage.updaters.add(queue);
        usage.firstUpdate = std::min(usage.firstUpdate, step);
      }
    }
  return usages;
}

ArenaLaunches::ArenaLaunches(const EntrySchedule &entry,
                             ArrayRef<BufferUsage> usages,
                             const ArenaContents &contents, uint32_t queue,
                             const CommandTimes &times)
    : buffers(contents.buffers), commands(entry.queues[queue].commands),
      entry(entry), usages(usages), queue(queue) {
  for (auto [number, scratch] : llvm::enumerate(buffers))
    numbers[entry.getNumber(scratch)] = static_cast<uint32_t>(number);
  for (auto [step, command] : llvm::enumerate(entry.schedule.queues[queue]))
    for (const auto *ranges : {&command.reads, &command.writes})
      for (const ByteRange &range : *ranges)
        lastUses[range.buffer] = static_cast<uint32_t>(step);
  for (uint32_t index = 0; index < commands.size(); ++index)
    addStep(index, times);
  addBuffers(contents);
}

/// The last step before which `command` may be repeated; 0 if the command must
/// not be repeated.
uint32_t ArenaLaunches::findLastRepeat(const Command &command) const {
  uint32_t last = static_cast<uint32_t>(commands.size());
  // A command may be repeated only if the buffers that it writes are in the
  // arena, and no other command writes them.
  for (const ByteRange &range : command.writes) {
    const BufferUsage &usage = usages[range.buffer];
    if (!numbers.contains(range.buffer) || usage.numWriters != 1 ||
        usage.hasVersions)
      return 0;
  }
  if (llvm::any_of(command.overwrites, [](int32_t by) { return by >= 0; }))
    return 0;
  for (const ByteRange &range : command.reads) {
    const BufferUsage &usage = usages[range.buffer];
    const bool isOurs = numbers.contains(range.buffer);
    if (range.version != 0 || (isOurs && usage.hasVersions))
      return 0;
    last = std::min(last, usage.firstUpdateSeenBy(queue));
    // Scratch in another arena may have other contents after its last use.
    BufferOpInterface buffer = entry.buffers[range.buffer];
    if (!isOurs && isa<ScratchOp>(buffer.getOperation()))
      last = std::min(last, lastUses.lookup(range.buffer));
  }
  return last;
}

void ArenaLaunches::addStep(uint32_t index, const CommandTimes &times) {
  const Command &command = entry.schedule.queues[queue][index];
  analysis::RecomputeStep &step = problem.steps.emplace_back();
  auto add = [&](const std::vector<ByteRange> &ranges,
                 std::vector<uint32_t> &buffers) {
    for (const ByteRange &range : ranges)
      if (auto known = numbers.find(range.buffer); known != numbers.end())
        buffers.push_back(known->second);
    llvm::sort(buffers);
    buffers.erase(llvm::unique(buffers), buffers.end());
  };
  add(command.reads, step.reads);
  add(command.writes, step.writes);
  auto launch = dyn_cast<LaunchOp>(commands[index]);
  if (!launch || launch.getWrites().empty())
    return;
  step.seconds = times.secondsOf(launch, entry.queues[queue].program);
  step.lastRepeat = findLastRepeat(command);
}

void ArenaLaunches::addBuffers(const ArenaContents &contents) {
  problem.buffers.resize(buffers.size());
  for (auto [buffer, life] : llvm::zip(problem.buffers, contents.lives))
    buffer.bytes = life.bytes;
  for (const analysis::RecomputeStep &step : problem.steps)
    for (uint32_t number : step.writes)
      problem.buffers[number].mayBeFreed = step.lastRepeat != 0;
  for (auto [place, number] : numbers) {
    if (!usages[place].users.hasOthers(queue))
      continue;
    analysis::RecomputeBuffer &buffer = problem.buffers[number];
    const analysis::LiveBuffer &life = contents.lives[number];
    buffer.mayBeFreed = false;
    buffer.first = life.first;
    buffer.last = life.last;
  }
}
