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

/// The memory that a session would hold. Null if it could not be counted.
using CountedMemory = std::shared_ptr<const HeldMemory>;

/// Whether an option or the topology sets a memory cap for a device of the
/// planned `module`.
bool hasMemoryCaps(mlir::ModuleOp module, const CompileOptions &options);

/// Checks that the memory caps of `options` are for devices of `module`. The
/// module must already have its list of devices.
mlir::LogicalResult checkCapNames(mlir::ModuleOp module,
                                  const CompileOptions &options);

/// Sets the caps of `options` in `image`, and counts what a session on this
/// machine would hold. `image` must be valid, and already have the caps of the
/// topology. Its part number `part` must be that of the planned `module`.
CountedMemory countMemory(mlir::ModuleOp module, const CompileOptions &options,
                          ArtifactImage &image, size_t part);

/// A device that would hold more than its cap.
struct ExceededCap {
  std::string device;
  /// The number of bytes above the cap.
  uint64_t bytes = 0;
};

std::vector<ExceededCap> findExceededCaps(const HeldMemory &held);

/// For each device whose plan was changed to meet a cap, a number of bytes. A
/// cap that is larger than the held memory by this number is certain to be met.
using SpareBytes = llvm::StringMap<uint64_t>;

/// Adds `held` to `report`. Refuses a device that would hold more than its cap.
mlir::LogicalResult checkMemory(mlir::ModuleOp module,
                                const CompileOptions &options,
                                const HeldMemory &held, const SpareBytes &spare,
                                CompileReport &report);

} // namespace weir

#endif // WEIR_LIB_COMPILER_MEMORYCAPS_H
