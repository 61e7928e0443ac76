//===- Arenas.h - What the arenas of an entry contain -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_EXEC_TRANSFORMS_ARENAS_H
#define WEIR_DIALECT_EXEC_TRANSFORMS_ARENAS_H

#include "weir/Analysis/Liveness.h"
#include "weir/Dialect/Exec/Transforms/EntrySchedule.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

#include <vector>

namespace weir::exec {

/// The scratch buffers of one arena, and when they are live.
struct ArenaContents {
  std::vector<ScratchOp> buffers;
  std::vector<analysis::LiveBuffer> lives;
};

/// Arenas, in the order of their first buffers.
using ArenaTable = llvm::MapVector<ArenaKey, ArenaContents>;

/// The arenas of an entry, by the devices and queues of its scratch buffers. A
/// buffer that no command accesses is in no arena.
mlir::FailureOr<ArenaTable> findArenas(const EntrySchedule &entry);

/// An arena of a session. All entries share it, so its size is the largest size
/// that an entry needs. Sums and products of bytes saturate.
struct LargestArena {
  /// The arena in the entry that needs most.
  ArenaOp arena;
  /// The number of copies of the arena: one, or one for each run in flight.
  int64_t copies = 1;
  /// The bytes of all copies, and the least that any plan needs.
  int64_t bytes = 0;
  int64_t lowerBound = 0;

  EntryOp getEntry() const;
};

/// The arenas of a session, in the order in which entries have them.
llvm::MapVector<ArenaKey, LargestArena>
findLargestArenas(mlir::ModuleOp module);

/// The bytes of the arenas of all runs of `entry` that may be in flight.
int64_t countArenaBytes(EntryOp entry);

} // namespace weir::exec

#endif // WEIR_DIALECT_EXEC_TRANSFORMS_ARENAS_H
