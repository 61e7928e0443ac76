//===- CapErrors.h - Errors about exceeded memory caps ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_CAPERRORS_H
#define WEIR_LIB_COMPILER_CAPERRORS_H

#include "MemoryCaps.h"

#include "weir/Dialect/Exec/Transforms/Arenas.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>
#include <string_view>

namespace weir {

struct DeviceHeld;

/// What the arenas of entries contain. Each entry is analysed only once.
class EntryArenas {
public:
  /// The contents of `arena`, or null if they are not known.
  const exec::ArenaContents *find(exec::ArenaOp arena);

private:
  llvm::DenseMap<mlir::Operation *, mlir::FailureOr<exec::ArenaTable>> tables;
};

/// Errors about devices of a planned module that would hold more than their
/// caps.
class CapErrors {
public:
  CapErrors(mlir::ModuleOp module, const CompileOptions &options,
            const HeldMemory &held, const SpareBytes &spare);

  /// Reports an error about `device`. The error names the largest tensors, and
  /// says what the user can do.
  mlir::LogicalResult refuse(const DeviceHeld &device);

private:
  /// The flags that move ops to other devices.
  std::string_view namePlacingFlags() const;
  std::string suggestFlags(const DeviceHeld &device) const;
  /// What the user can do so that `device` fits into its cap.
  std::string suggestRepair(const DeviceHeld &device, size_t numArenas) const;

  mlir::ModuleOp module;
  const CompileOptions &options;
  const HeldMemory &held;
  const SpareBytes &spare;
  /// The flags that set caps. The keys are devices. Other caps come from the
  /// topology.
  std::map<std::string, std::string> flags;
  EntryArenas arenas;
};

} // namespace weir

#endif // WEIR_LIB_COMPILER_CAPERRORS_H
