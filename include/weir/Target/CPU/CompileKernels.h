//===- CompileKernels.h - Compiles kernel functions to machine code -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TARGET_CPU_COMPILEKERNELS_H
#define WEIR_TARGET_CPU_COMPILEKERNELS_H

#include "weir/Target/CPU/TargetCpu.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace weir {

class CacheFile;

/// A compiled kernel function, and how it is called.
struct CompiledKernel {
  /// The index of the kernel in the table of the shared object.
  uint32_t number = 0;
  /// The values of the function's attributes
  /// (weir/Conversion/ClusterToLoops.h).
  uint64_t tasks = 1;
  uint64_t grain = 1;
  uint64_t scratchBytes = 0;
  /// The number of threads in a block if the code is for GPUs; 0 for CPUs.
  uint32_t threads = 0;
  /// For each operand, the result that may overwrite it, or -1. Empty if no
  /// result may overwrite an operand.
  std::vector<int64_t> overwrittenBy = {};
};

struct CompiledKernels {
  TargetCpu cpu;
  /// The shared object (weir/Artifact/KernelABI.h).
  std::string object;
  llvm::StringMap<CompiledKernel> kernels;
  /// The number of kernels that the cache had.
  size_t numFound = 0;
};

/// Compiles the kernel functions of `module` for the CPU in its attribute
/// `weir.target_cpu`. The same functions give the same bytes. Their math ops
/// are replaced in place. Functions may be declarations if
/// convert-clusters-to-loops has used the same `cache`.
mlir::FailureOr<CompiledKernels> compileKernels(mlir::ModuleOp module,
                                                CacheFile *cache = nullptr);

/// The optimised LLVM IR of all kernel functions, or their assembly.
mlir::FailureOr<std::string> printKernels(mlir::ModuleOp module,
                                          bool asAssembly);

} // namespace weir

#endif // WEIR_TARGET_CPU_COMPILEKERNELS_H
