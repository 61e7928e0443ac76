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

namespace weir {

/// Whether a device of the planned `module` has a memory cap, by an option or
/// by the topology.
bool hasMemoryCaps(mlir::ModuleOp module, const CompileOptions &options);

/// Checks that the memory caps of `options` are for devices of `module`, which
/// has its device list.
mlir::LogicalResult checkCapNames(mlir::ModuleOp module,
                                  const CompileOptions &options);

/// Sets the caps of `options` in `image`, which has those of the topology.
/// Counts what a session on this machine would hold and adds it to `report`.
/// Refuses a device that would hold more than its cap. `image` is valid, and
/// its part number `part` is that of the planned `module`.
mlir::LogicalResult checkMemory(mlir::ModuleOp module,
                                const CompileOptions &options,
                                ArtifactImage &image, size_t part,
                                CompileReport &report);

} // namespace weir

#endif // WEIR_LIB_COMPILER_MEMORYCAPS_H
