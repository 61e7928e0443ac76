//===- EntrySchedule.h - An entry as a plain schedule -----------*- C++ -*-===//
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

/// An entry as `analysis` sees it, and the ops its numbers stand for. An alias
/// is not a buffer of its own. A copy of 0 bytes reads its source: what it
/// passes on must be there.
struct EntrySchedule {
  explicit EntrySchedule(EntryOp entry);

  analysis::Schedule schedule;
  /// By schedule.queues.
  std::vector<ProgramOp> programs;
  /// By queue and index, as in schedule.queues.
  std::vector<std::vector<mlir::Operation *>> commands;
  /// By schedule.buffers.
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
