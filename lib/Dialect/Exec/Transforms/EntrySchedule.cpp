//===- EntrySchedule.cpp - An entry as a plain schedule ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Exec/Transforms/EntrySchedule.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace weir;
using namespace weir::exec;
using analysis::ByteRange;
using analysis::CommandKind;

/// The most commands in the schedule of an entry with repeats.
constexpr uint64_t mostCommands = uint64_t(1) << 20;

/// The number of commands that `block` carries out, including all trips of
/// repeats.
static uint64_t countCommands(Block &block) {
  uint64_t count = 0;
  for (Operation &op : block) {
    uint64_t each = 1;
    if (auto repeat = dyn_cast<RepeatOp>(op))
      each = llvm::SaturatingMultiply(countCommands(repeat.getBlock()),
                                      static_cast<uint64_t>(repeat.getTrips()));
    count = llvm::SaturatingAdd(count, each);
  }
  return count;
}

/// Checks that an entry with repeats has no more than `mostCommands` commands.
static LogicalResult checkRepeats(EntryOp entry) {
  uint64_t count = 0;
  RepeatOp first;
  for (ProgramOp program : entry.getBlock().getOps<ProgramOp>()) {
    count = llvm::SaturatingAdd(count, countCommands(program.getBlock()));
    if (auto repeats = program.getBlock().getOps<RepeatOp>();
        !first && !repeats.empty())
      first = *repeats.begin();
  }
  if (!first || count <= mostCommands)
    return success();
  return first.emitOpError("and the other commands of the entry carry out ")
         << count << " commands; at most " << mostCommands
         << " can be checked and planned";
}

FailureOr<EntrySchedule> EntrySchedule::create(EntryOp entry) {
  if (failed(checkRepeats(entry)))
    return failure();
  EntrySchedule out;
  for (Operation &op : entry.getBlock())
    if (auto buffer = dyn_cast<BufferOpInterface>(op))
      out.addBuffer(buffer);
  Loops around;
  for (ProgramOp program : entry.getBlock().getOps<ProgramOp>()) {
    out.queues.push_back({program, {}});
    out.schedule.queues.emplace_back();
    out.addCommands(program.getBlock(), around);
  }
  return out;
}

void EntrySchedule::addBuffer(BufferOpInterface buffer) {
  Value value = buffer->getResult(0);
  if (auto alias = dyn_cast<AliasOp>(buffer.getOperation())) {
    // The place is copied, because an insertion into `places` invalidates
    // references.
    Place place = places.at(alias.getSource());
    places[value] = place;
  } else if (auto version = dyn_cast<VersionOp>(buffer.getOperation())) {
    Place place = places.at(version.getSource());
    places[value] = {place.buffer, place.version + 1};
  } else {
    places[value] = {static_cast<uint32_t>(buffers.size()), 0};
    addStorage(buffer);
  }
}

void EntrySchedule::addStorage(BufferOpInterface buffer) {
  buffers.push_back(buffer);
  analysis::BufferPlace &place = schedule.buffers.emplace_back();
  place.isGiven = !isa<ScratchOp, OutputOp>(buffer.getOperation());
  if (isa<OutputOp>(buffer.getOperation()))
    place.outputBytes = buffer.getByteSize();
  auto scratch = dyn_cast<ScratchOp>(buffer.getOperation());
  if (!scratch || !scratch.getOffset())
    return;
  auto number = static_cast<uint32_t>(arenas.size());
  place.arena = arenas.try_emplace(getArenaKey(scratch), number).first->second;
  place.offset = *scratch.getOffset();
}

void EntrySchedule::addRepeat(RepeatOp repeat, Loops &around) {
  auto trips = static_cast<int64_t>(repeat.getTrips());
  auto next = static_cast<uint32_t>(schedule.tripCounts.size());
  auto [number, isNew] = repeats.try_emplace(repeat, next);
  if (isNew)
    schedule.tripCounts.push_back(trips);
  around.repeats.push_back(number->second);
  for (int64_t trip = 0; trip < trips; ++trip) {
    around.trips.push_back(trip);
    addCommands(repeat.getBlock(), around);
    around.trips.pop_back();
  }
  around.repeats.pop_back();
}

void EntrySchedule::addCommands(Block &block, Loops &around) {
  auto &ops = queues.back().commands;
  auto &queue = schedule.queues.back();
  for (Operation &op : block) {
    // A tensor op only names bytes. It accesses no memory, so the schedule
    // leaves it out.
    if (isa<TensorOp>(op))
      continue;
    if (auto repeat = dyn_cast<RepeatOp>(op)) {
      addRepeat(repeat, around);
      continue;
    }
    ops.push_back(&op);
    addCommand(&op, around, queue.emplace_back());
  }
}

/// Returns `base` plus, for each repeat, the step of the repeat times its
/// current trip.
static int64_t inTrip(int64_t base, ArrayRef<int64_t> step,
                      ArrayRef<int64_t> current) {
  for (auto [each, trip] : llvm::zip(step, current))
    base += each * trip;
  return base;
}

ByteRange EntrySchedule::rangeOf(Value buffer, int64_t begin,
                                 ArrayRef<int64_t> step,
                                 ArrayRef<int64_t> current,
                                 uint64_t bytes) const {
  Place place = places.at(buffer);
  auto first = static_cast<uint64_t>(inTrip(begin, step, current));
  return {place.buffer, first, first + bytes, place.version};
}

void EntrySchedule::addCommand(Operation *op, const Loops &around,
                               analysis::Command &command) {
  ArrayRef<int64_t> current = around.trips;
  command.trips.assign(current.begin(), current.end());
  command.repeats.assign(around.repeats.begin(), around.repeats.end());
  auto setEvent = [&](CommandKind kind, auto event) {
    command.kind = kind;
    command.event = static_cast<uint32_t>(event.getEvent());
    command.value = inTrip(static_cast<int64_t>(event.getValue()),
                           event.getStep(), current);
    schedule.numEvents = std::max(schedule.numEvents, command.event + 1);
  };
  auto range = [&](Value buffer, uint64_t begin, ArrayRef<int64_t> step,
                   uint64_t bytes) {
    return rangeOf(buffer, static_cast<int64_t>(begin), step, current, bytes);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LaunchOp launch) {
        for (unsigned i = 0; i < launch.getNumViews(); ++i) {
          View view = launch.getView(i);
          auto &ranges =
              i < launch.getReads().size() ? command.reads : command.writes;
          ranges.push_back(rangeOf(view.buffer, view.byteOffset, view.step,
                                   current,
                                   describeView(view.type).spanBytes()));
        }
        ArrayRef<int32_t> overwrites = launch.getOverwrites();
        command.overwrites.assign(overwrites.begin(), overwrites.end());
      })
      .Case([&](CopyOp copy) {
        uint64_t bytes = copy.getBytes();
        uint64_t size = buffers[places.at(copy.getFrom()).buffer].getByteSize();
        command.reads.push_back(bytes ? range(copy.getFrom(),
                                              copy.getFromOffset(),
                                              copy.getFromStep(), bytes)
                                      : range(copy.getFrom(), 0, {}, size));
        if (bytes)
          command.writes.push_back(
              range(copy.getTo(), copy.getToOffset(), copy.getToStep(), bytes));
      })
      .Case([&](FillOp fill) {
        command.writes.push_back(range(fill.getTo(), fill.getToOffset(),
                                       fill.getToStep(), fill.getBytes()));
      })
      .Case([&](RecordOp record) { setEvent(CommandKind::Record, record); })
      .Case([&](WaitOp wait) { setEvent(CommandKind::Wait, wait); });
}

void weir::exec::dropEvents(EntryOp entry) {
  for (ProgramOp program : entry.getBlock().getOps<ProgramOp>())
    for (Operation &op : llvm::make_early_inc_range(program.getBlock()))
      if (isa<RecordOp, WaitOp>(op))
        op.erase();
}
