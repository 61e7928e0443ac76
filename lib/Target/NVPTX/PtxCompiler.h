//===- PtxCompiler.h - LLVM's back end for GPUs -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_NVPTX_PTXCOMPILER_H
#define WEIR_LIB_TARGET_NVPTX_PTXCOMPILER_H

#include "weir/Target/NVPTX/TargetGpu.h"

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// The PTX of the kernel functions of `module`. Their math ops are replaced in
/// place. Function number N becomes the entry with the name
/// artifact::gpuEntryName(N). Errors are emitted at the functions.
mlir::FailureOr<std::string> compileToPtx(mlir::ModuleOp module,
                                          const TargetGpu &gpu);

} // namespace weir

#endif // WEIR_LIB_TARGET_NVPTX_PTXCOMPILER_H
