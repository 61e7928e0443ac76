//===- FitMemory.h - Fits plans into memory caps ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_FITMEMORY_H
#define WEIR_LIB_COMPILER_FITMEMORY_H

#include "MemoryCaps.h"

#include "mlir/IR/OwningOpRef.h"

namespace weir {

class FallbackVariant;

/// Saves scratch on each device that holds more than its cap. For this, some
/// values of the planned `module` are computed twice, and memory is planned
/// again. A remark names these values. The result is empty if nothing was
/// changed.
mlir::FailureOr<SpareBytes> fitMemory(mlir::ModuleOp module,
                                      const CompileOptions &options,
                                      const HeldMemory &held);

/// A plan that fits into the memory caps, if that is possible.
struct FittedPlan {
  /// The plan, for which no code has been generated.
  mlir::OwningOpRef<mlir::ModuleOp> plan;
  SpareBytes spare;

  /// Makes an artifact of the planned `module` and of `fallback`.
  /// `translateAll` translates both, and replaces the ops of their kernels by
  /// code. If the artifact would hold too much memory, the plans are changed
  /// and translated again.
  mlir::FailureOr<ArtifactImage>
  translate(mlir::OwningOpRef<mlir::ModuleOp> &module,
            const CompileOptions &options, FallbackVariant &fallback,
            llvm::function_ref<mlir::FailureOr<ArtifactImage>()> translateAll);
};

} // namespace weir

#endif // WEIR_LIB_COMPILER_FITMEMORY_H
