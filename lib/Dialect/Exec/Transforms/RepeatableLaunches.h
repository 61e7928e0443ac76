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

/// No queue, one queue, or several.
class QueueSet {
public:
  void add(uint32_t added) {
    queue = queue == none || queue == added ? added : several;
  }
  bool isEmpty() const { return queue == none; }
  bool hasOthers(uint32_t than) const { return !isEmpty() && queue != than; }

private:
  static constexpr uint32_t none = ~0u, several = ~0u - 1;
  uint32_t queue = none;
};

/// What the schedule does with a buffer.
struct BufferUsage {
  uint32_t numWriters = 0;
  bool hasVersions = false;
  QueueSet users;
  /// The queues that write later versions of the buffer.
  QueueSet updaters;
  /// The first step that writes a later version, among the steps of all queues.
  uint32_t firstUpdate = ~0u;

  /// The first step of `queue` from which on the buffer may have other contents
  /// than at the beginning. This is step 0 if another queue writes other
  /// contents, because that queue would not wait for a repetition.
  uint32_t firstUpdateSeenBy(uint32_t queue) const {
    return updaters.hasOthers(queue) ? 0 : firstUpdate;
  }
};

/// The usage of each buffer of `entry`.
std::vector<BufferUsage> findUsages(const EntrySchedule &entry);

/// An arena, and the launches of the compute queue of its device.
class ArenaLaunches {
public:
  /// `queue` is the number of the program in the schedule. The construction
  /// takes time that grows with that program and with the arena, but not with
  /// the rest of the entry.
  ArenaLaunches(const EntrySchedule &entry, llvm::ArrayRef<BufferUsage> usages,
                const ArenaContents &contents, uint32_t queue,
                const CommandTimes &times);

  analysis::RecomputeProblem problem;
  /// The op of each buffer of the problem.
  std::vector<ScratchOp> buffers;
  /// The op of each step of the problem.
  llvm::ArrayRef<mlir::Operation *> commands;

private:
  void addStep(uint32_t index, const CommandTimes &times);
  uint32_t findLastRepeat(const analysis::Command &command) const;
  void addBuffers(const ArenaContents &contents);

  const EntrySchedule &entry;
  llvm::ArrayRef<BufferUsage> usages;
  uint32_t queue;
  /// The number of each of the arena's buffers in the problem. The key is the
  /// number of the buffer in the schedule.
  llvm::DenseMap<uint32_t, uint32_t> numbers;
  /// The last step that accesses each buffer, by the buffer's number in the
  /// schedule.
  llvm::DenseMap<uint32_t, uint32_t> lastUses;
};

} // namespace weir::exec

#endif // WEIR_LIB_DIALECT_EXEC_TRANSFORMS_REPEATABLELAUNCHES_H
