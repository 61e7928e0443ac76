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

namespace weir::exec {

/// An entry as `analysis` sees it, and the ops for its numbers. An alias is not
/// a buffer of its own. A copy of 0 bytes still reads its source, because the
/// bytes that it makes available must be complete.
struct EntrySchedule {
  explicit EntrySchedule(EntryOp entry);

  analysis::Schedule schedule;
  /// Indexed as schedule.queues.
  std::vector<ProgramOp> programs;
  /// Indexed by queue and command, as in schedule.queues.
  std::vector<std::vector<mlir::Operation *>> commands;
  /// Indexed as schedule.buffers.
  std::vector<BufferOpInterface> buffers;

  mlir::Operation *getOp(analysis::CommandId id) const {
    return commands[id.queue][id.index];
  }

private:
  void addBuffer(BufferOpInterface buffer);
  void addCommand(mlir::Operation *op, analysis::Command &command);
  analysis::ByteRange rangeOf(mlir::Value buffer, uint64_t begin,
                              uint64_t bytes) const;

  llvm::DenseMap<mlir::Operation *, uint32_t> numbers;
  llvm::DenseMap<mlir::StringAttr, uint32_t> arenas;
};

} // namespace weir::exec

#endif // WEIR_DIALECT_EXEC_TRANSFORMS_ENTRYSCHEDULE_H
