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

#include <vector>

namespace weir::exec {

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
