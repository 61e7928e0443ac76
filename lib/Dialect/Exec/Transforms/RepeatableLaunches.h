//===- RepeatableLaunches.h - Which launches may run twice ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_EXEC_TRANSFORMS_REPEATABLELAUNCHES_H
#define WEIR_LIB_DIALECT_EXEC_TRANSFORMS_REPEATABLELAUNCHES_H

#include "CommandTimes.h"
#include "weir/Analysis/Recomputation.h"
#include "weir/Dialect/Exec/Transforms/Arenas.h"

namespace weir::exec {

/// An arena, and the launches of the compute queue of its device.
class ArenaLaunches {
public:
  /// `program` is number `queue` of the schedule.
  ArenaLaunches(const EntrySchedule &entry, const ArenaContents &contents,
                uint32_t queue, const CommandTimes &times);

  analysis::RecomputeProblem problem;
  /// The op of each buffer of the problem.
  std::vector<ScratchOp> buffers;
  /// The op of each step of the problem.
  llvm::ArrayRef<mlir::Operation *> commands;

private:
  /// What the schedule does with a buffer.
  struct Usage {
    /// Its number in the problem, if it is in the arena.
    uint32_t number = ~0u;
    bool isOtherScratch = false;
    uint32_t numWriters = 0;
    bool isUsedElsewhere = false;
    bool hasVersions = false;
    /// The last step that accesses it.
    uint32_t lastUse = 0;
    /// The first step that writes other contents than those of the beginning.
    uint32_t firstUpdate = ~0u;
  };

  void findUsages(const EntrySchedule &entry, uint32_t queue);
  void addStep(const EntrySchedule &entry, uint32_t queue, uint32_t index,
               const CommandTimes &times);
  uint32_t findLastRepeat(const analysis::Command &command) const;
  void addBuffers(const ArenaContents &contents);

  /// The usage of each buffer of the schedule.
  std::vector<Usage> usages;
};

} // namespace weir::exec

#endif // WEIR_LIB_DIALECT_EXEC_TRANSFORMS_REPEATABLELAUNCHES_H
