//===- HeldMemory.h - The memory that a model holds -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Counts what the runtime allocates for a module, as ModelMemory of the runtime
// does. The entries share all of it.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_EXEC_TRANSFORMS_HELDMEMORY_H
#define WEIR_DIALECT_EXEC_TRANSFORMS_HELDMEMORY_H

#include "weir/Dialect/Exec/Transforms/Arenas.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

#include <string>

namespace weir::exec {

/// An arena as the runtime allocates it.
struct HeldArena {
  /// Of the entry that needs most.
  ArenaOp largest;
  /// How often it exists: once, or once for each run in flight.
  uint64_t copies = 1;

  uint64_t getBytes() const;
};

/// The bytes that a model holds on one device, by kind.
struct DeviceMemory {
  /// Copies of parameters; a device that shares the host's memory has none.
  uint64_t parameters = 0;
  uint64_t variables = 0;
  /// Arenas of one queue, or of all queues if one run is in flight.
  uint64_t scratch = 0;
  /// Arenas of which each of several runs in flight has its own.
  uint64_t carried = 0;
  /// By queue.
  llvm::MapVector<int64_t, HeldArena> arenas;

  uint64_t getTotal() const;
  /// Such as "1024 bytes (768 of scratch, 256 of variables)".
  std::string toText() const;
};

/// The devices of the planned `module` in the order of their lists, by name.
using HeldMemory = llvm::MapVector<mlir::StringAttr, DeviceMemory>;

HeldMemory countHeldMemory(mlir::ModuleOp module);

} // namespace weir::exec

#endif // WEIR_DIALECT_EXEC_TRANSFORMS_HELDMEMORY_H
