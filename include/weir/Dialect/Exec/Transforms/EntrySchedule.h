//===- EntrySchedule.h - Converts an entry to a plain schedule --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_EXEC_TRANSFORMS_ENTRYSCHEDULE_H
#define WEIR_DIALECT_EXEC_TRANSFORMS_ENTRYSCHEDULE_H

#include "weir/Analysis/Schedule.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace weir::exec {

/// An entry in the form that `analysis` reads, with the ops of its commands and
/// buffers. Aliases and versions are not buffers of their own. A copy of 0
/// bytes still reads its source, because the bytes that it makes available must
/// be complete. Each trip of a repeat has commands of its own.
class EntrySchedule {
public:
  /// It is an error if repeats carry out too many commands.
  static mlir::FailureOr<EntrySchedule> create(EntryOp entry);

  analysis::Schedule schedule;
  /// The ops of a queue.
  struct Queue {
    ProgramOp program;
    /// The ops of the commands, in the order of the commands in the schedule.
    std::vector<mlir::Operation *> commands;
  };
  /// The queues, in the order of schedule.queues.
  std::vector<Queue> queues;
  /// The buffers, in the order of schedule.buffers.
  std::vector<BufferOpInterface> buffers;

  mlir::Operation *getOp(analysis::CommandId id) const {
    return queues[id.queue].commands[id.index];
  }
  /// The number of a buffer in schedule.buffers.
  uint32_t getNumber(BufferOpInterface buffer) const {
    return places.at(buffer->getResult(0)).buffer;
  }
  /// The trips of the repeats around a command, the outermost first, from 0.
  llvm::ArrayRef<int64_t> getTrips(analysis::CommandId id) const {
    return schedule.queues[id.queue][id.index].trips;
  }

private:
  /// A version of a buffer.
  struct Place {
    uint32_t buffer = 0;
    uint32_t version = 0;
  };
  /// The repeats around a command, and the current trip of each.
  struct Loops {
    llvm::SmallVector<int64_t, 2> trips;
    llvm::SmallVector<uint32_t, 2> repeats;
  };

  EntrySchedule() = default;
  void addBuffer(BufferOpInterface buffer);
  void addStorage(BufferOpInterface buffer);
  void addCommands(mlir::Block &block, Loops &around);
  void addRepeat(RepeatOp repeat, Loops &around);
  void addCommand(mlir::Operation *op, const Loops &around,
                  analysis::Command &command);
  analysis::ByteRange rangeOf(mlir::Value buffer, int64_t begin,
                              llvm::ArrayRef<int64_t> step,
                              llvm::ArrayRef<int64_t> current,
                              uint64_t bytes) const;

  llvm::DenseMap<mlir::Value, Place> places;
  /// The numbers of repeats in `schedule`.
  llvm::DenseMap<mlir::Operation *, uint32_t> repeats;
  llvm::DenseMap<ArenaKey, uint32_t> arenas;
};

/// Removes the records and waits of an entry without repeats.
void dropEvents(EntryOp entry);

} // namespace weir::exec

#endif // WEIR_DIALECT_EXEC_TRANSFORMS_ENTRYSCHEDULE_H
