//===- CompileGpuKernels.h - Compiles kernel functions for GPUs -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TARGET_NVPTX_COMPILEGPUKERNELS_H
#define WEIR_TARGET_NVPTX_COMPILEGPUKERNELS_H

#include "weir/Target/CPU/CompileKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir {

struct CompiledGpuKernels {
  /// The blob of the artifact (weir/Artifact/GpuCode.h).
  std::string code;
  llvm::StringMap<CompiledKernel> kernels;
  /// A description of the code, such as "PTX of sm_90, machine code of sm_90".
  std::string images;
  /// Whether the code was found in the cache.
  bool isFound = false;
};

/// Compiles the kernel functions of `module` for the GPUs in its attribute
/// `weir.target_gpus`: PTX of the first one, and machine code of all, if there
/// is a program that makes it. The same functions and the same program give the
/// same bytes. Math ops of functions are replaced in place.
mlir::FailureOr<CompiledGpuKernels> compileGpuKernels(mlir::ModuleOp module,
                                                      CacheFile *cache);

/// How the kernel function with number `number` in its module is launched.
CompiledKernel describeGpuKernel(mlir::func::FuncOp function, size_t number);

/// The PTX of all kernel functions.
mlir::FailureOr<std::string> printGpuKernels(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_TARGET_NVPTX_COMPILEGPUKERNELS_H
