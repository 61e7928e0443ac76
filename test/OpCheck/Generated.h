//===- Generated.h - Code of clusters for CPUs and GPUs ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_OPCHECK_GENERATED_H
#define WEIR_TEST_OPCHECK_GENERATED_H

#include "Target/Check/CheckKernels.h"

namespace weir::opcheck {

/// Where generated kernels run.
enum class Machine { Cpu, EmulatedGpu };

/// The code of `clusters` for `machine`. That for GPUs is also compiled to PTX
/// for the oldest and the newest one, and to machine code if `isAssembled`.
StatusOr<ClusterCode> generateCode(llvm::ArrayRef<mlir::func::FuncOp> clusters,
                                   Machine machine, bool isAssembled);

} // namespace weir::opcheck

#endif // WEIR_TEST_OPCHECK_GENERATED_H
