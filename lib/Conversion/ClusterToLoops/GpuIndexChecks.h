//===- GpuIndexChecks.h - GPU kernels that check their indices --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_CLUSTERTOLOOPS_GPUINDEXCHECKS_H
#define WEIR_LIB_CONVERSION_CLUSTERTOLOOPS_GPUINDEXCHECKS_H

#include "weir/Support/IndexCheckAttrs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir {

/// Makes `kernel`, a function for GPUs, check all indices among its operands as
/// `checks` says. `types` are the types of the operands. The function gets one
/// more argument: a list of flags, one for each size in `checks`. It sets a
/// flag to 1 if an index into a dim of that size is out of range.
void addIndexChecks(mlir::func::FuncOp kernel, mlir::TypeRange types,
                    llvm::ArrayRef<IndexCheck> checks);

} // namespace weir

#endif // WEIR_LIB_CONVERSION_CLUSTERTOLOOPS_GPUINDEXCHECKS_H
