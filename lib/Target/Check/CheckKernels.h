//===- CheckKernels.h - Generated kernels check themselves ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CHECK_CHECKKERNELS_H
#define WEIR_LIB_TARGET_CHECK_CHECKKERNELS_H

#include "weir/Target/CPU/TargetCpu.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace weir {

/// What was checked.
struct KernelChecks {
  /// Clusters whose code was run, and the elements that were compared.
  int64_t clusters = 0, elements = 0;
  /// Why the code of others was not: "NAME: REASON".
  std::vector<std::string> leftOut;
};

/// Generates the code of each cluster in `clusters` for `cpu`, which must be
/// this machine's, and runs it on random operands: whole, in ranges of tasks
/// out of order, on unaligned buffers, and with results in the place of the
/// operands that they may overwrite. Compares with what the records of the ops
/// say, element by element: all up to 2^16 of a result, else the first and the
/// last ones, those around equal parts, and drawn ones. It is an error, emitted
/// at the op of a result, if an element is further off than rounding explains,
/// or if a byte beside a buffer has changed.
mlir::FailureOr<KernelChecks> checkKernels(mlir::ModuleOp clusters,
                                           const TargetCpu &cpu);

} // namespace weir

#endif // WEIR_LIB_TARGET_CHECK_CHECKKERNELS_H
