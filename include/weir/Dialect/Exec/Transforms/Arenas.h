//===- Arenas.h - What the arenas of an entry contain -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_EXEC_TRANSFORMS_ARENAS_H
#define WEIR_DIALECT_EXEC_TRANSFORMS_ARENAS_H

#include "weir/Analysis/Liveness.h"
#include "weir/Dialect/Exec/Transforms/EntrySchedule.h"

#include "llvm/ADT/MapVector.h"

#include <utility>
#include <vector>

namespace weir::exec {

/// The number of an arena's queue, or this: each run in flight has the arena.
inline constexpr int64_t eachRun = -1;

/// The device and the queue of an arena.
using ArenaKey = std::pair<mlir::StringAttr, int64_t>;

/// The key of an arena, or that of the arena of a scratch buffer.
template <typename Op> ArenaKey getArenaKey(Op op) {
  return {op.getDeviceAttr(),
          op.getQueue() ? static_cast<int64_t>(*op.getQueue()) : eachRun};
}

/// The scratch buffers of one arena, and when they are live.
struct ArenaContents {
  std::vector<ScratchOp> buffers;
  std::vector<analysis::LiveBuffer> lives;
};

/// In the order of their first buffers.
using ArenaTable = llvm::MapVector<ArenaKey, ArenaContents>;

/// The arenas of an entry by the devices and queues of its scratch buffers.
/// Buffers that no command accesses are in none.
mlir::FailureOr<ArenaTable> findArenas(const EntrySchedule &entry);

} // namespace weir::exec

#endif // WEIR_DIALECT_EXEC_TRANSFORMS_ARENAS_H
