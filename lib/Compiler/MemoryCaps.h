//===- MemoryCaps.h - Compares held memory with caps ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_MEMORYCAPS_H
#define WEIR_LIB_COMPILER_MEMORYCAPS_H

#include "weir/Compiler/Compiler.h"
#include "weir/Target/Artifact/Translation.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>
#include <vector>

namespace weir {

struct HeldMemory;

/// What a session would hold; null if it could not be counted.
using CountedMemory = std::shared_ptr<const HeldMemory>;

/// Whether a device of the planned `module` has a memory cap, by an option or
/// by the topology.
bool hasMemoryCaps(mlir::ModuleOp module, const CompileOptions &options);

/// Checks that the memory caps of `options` are for devices of `module`, which
/// has its device list.
mlir::LogicalResult checkCapNames(mlir::ModuleOp module,
                                  const CompileOptions &options);

/// Sets the caps of `options` in `image`, which already has the caps of the
/// topology. Counts what a session on this machine would hold. `image` is
/// valid, and its part number `part` is that of the planned `module`.
CountedMemory countMemory(mlir::ModuleOp module, const CompileOptions &options,
                          ArtifactImage &image, size_t part);

/// A device that would hold more than its cap.
struct ExceededCap {
  std::string device;
  /// The number of bytes by which it exceeds the cap.
  uint64_t bytes = 0;
};

std::vector<ExceededCap> findExceededCaps(const HeldMemory &held);

/// For each device, the number of bytes above `held` that would suffice as its
/// cap. Empty if no plan was changed to meet a cap.
using SpareBytes = llvm::StringMap<uint64_t>;

/// Adds `held` to `report`. Refuses a device that would hold more than its cap.
mlir::LogicalResult checkMemory(mlir::ModuleOp module,
                                const CompileOptions &options,
                                const HeldMemory &held, const SpareBytes &spare,
                                CompileReport &report);

} // namespace weir

#endif // WEIR_LIB_COMPILER_MEMORYCAPS_H
