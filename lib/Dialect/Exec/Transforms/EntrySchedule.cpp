//===- EntrySchedule.cpp - An entry as a plain schedule ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Exec/Transforms/EntrySchedule.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace weir;
using namespace weir::exec;
using analysis::ByteRange;
using analysis::CommandKind;

EntrySchedule::EntrySchedule(EntryOp entry) {
  for (Operation &op : entry.getBlock())
    if (auto buffer = dyn_cast<BufferOpInterface>(op);
        buffer && !isa<AliasOp>(op))
      addBuffer(buffer);
  for (ProgramOp program : entry.getBlock().getOps<ProgramOp>()) {
    programs.push_back(program);
    auto &ops = commands.emplace_back();
    auto &queue = schedule.queues.emplace_back();
    for (Operation &op : program.getBlock()) {
      // A tensor op only names bytes. It accesses no memory, so the schedule
      // leaves it out.
      if (isa<TensorOp>(op))
        continue;
      ops.push_back(&op);
      addCommand(&op, queue.emplace_back());
    }
  }
}

void EntrySchedule::addBuffer(BufferOpInterface buffer) {
  numbers[buffer] = static_cast<uint32_t>(buffers.size());
  buffers.push_back(buffer);
  analysis::BufferPlace &place = schedule.buffers.emplace_back();
  auto scratch = dyn_cast<ScratchOp>(buffer.getOperation());
  if (!scratch || !scratch.getOffset())
    return;
  auto number = static_cast<uint32_t>(arenas.size());
  place.arena =
      arenas.try_emplace(scratch.getDeviceAttr(), number).first->second;
  place.offset = *scratch.getOffset();
}

ByteRange EntrySchedule::rangeOf(Value buffer, uint64_t begin,
                                 uint64_t bytes) const {
  return {numbers.at(getStorage(buffer)), begin, begin + bytes};
}

void EntrySchedule::addCommand(Operation *op, analysis::Command &command) {
  auto setEvent = [&](CommandKind kind, uint64_t event) {
    command.kind = kind;
    command.event = static_cast<uint32_t>(event);
    schedule.numEvents =
        std::max(schedule.numEvents, static_cast<uint32_t>(event + 1));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LaunchOp launch) {
        for (unsigned i = 0; i < launch.getNumViews(); ++i) {
          View view = launch.getView(i);
          auto &ranges =
              i < launch.getReads().size() ? command.reads : command.writes;
          ranges.push_back(rangeOf(view.buffer,
                                   static_cast<uint64_t>(view.byteOffset),
                                   describeView(view.type).spanBytes()));
        }
      })
      .Case([&](CopyOp copy) {
        uint64_t bytes = copy.getBytes();
        uint64_t size = getStorage(copy.getFrom()).getByteSize();
        command.reads.push_back(
            bytes ? rangeOf(copy.getFrom(), copy.getFromOffset(), bytes)
                  : rangeOf(copy.getFrom(), 0, size));
        if (bytes)
          command.writes.push_back(
              rangeOf(copy.getTo(), copy.getToOffset(), bytes));
      })
      .Case([&](FillOp fill) {
        command.writes.push_back(
            rangeOf(fill.getTo(), fill.getToOffset(), fill.getBytes()));
      })
      .Case([&](RecordOp record) {
        setEvent(CommandKind::Record, record.getEvent());
      })
      .Case([&](WaitOp wait) { setEvent(CommandKind::Wait, wait.getEvent()); });
}
