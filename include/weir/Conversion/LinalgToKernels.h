//===- LinalgToKernels.h - Lowers tensor functions to vector loops --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Lowers a function of linalg ops on tensors to a function on memory, in one
// step. This step decides which tensors are stored, how the work is divided
// into tasks, and which loop is vectorised. There are no patterns or passes in
// between. So a kernel of a few ops takes little time to compile, and the order
// of computation is decided here and nowhere else.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_LINALGTOKERNELS_H
#define WEIR_CONVERSION_LINALGTOKERNELS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace weir {

namespace kernelattrs {
inline constexpr llvm::StringLiteral tasks = "weir.tasks";
inline constexpr llvm::StringLiteral grain = "weir.grain";
inline constexpr llvm::StringLiteral scratch = "weir.scratch";
/// The number of threads of a block, on functions for GPUs.
inline constexpr llvm::StringLiteral threads = "weir.threads";
/// The numbers KernelFunction::overwrittenBy, if one of them is not -1.
inline constexpr llvm::StringLiteral overwrittenBy = "weir.overwritten_by";
/// The key of the function's code in a cache, if there is one. The key is valid
/// as long as results may overwrite the same operands.
inline constexpr llvm::StringLiteral cacheKey = "weir.cache_key";
/// The result of lowering a cluster, as bytes
/// (weir/Conversion/ClusterToLoops.h).
inline constexpr llvm::StringLiteral lowered = "weir.lowered";
/// An attribute of a nested module: the CPU for which its functions are made.
inline constexpr llvm::StringLiteral targetCpu = "weir.target_cpu";
/// An attribute of a nested module: the GPU architectures for which its
/// functions are made, in order.
inline constexpr llvm::StringLiteral targetGpus = "weir.target_gpus";
/// A mark on the module of kernel functions for GPUs: their code also runs on
/// the CPU, in place of a GPU.
inline constexpr llvm::StringLiteral emulatesGpu = "weir.emulates_gpu";
} // namespace kernelattrs

/// The properties of the target machine that the loops depend on.
struct LoopTarget {
  /// The width of a vector register: 512 bits with AVX-512, 256 with AVX2.
  int64_t vectorBits = 256;
  /// Whether the loops are divided among the threads of a GPU.
  bool isGpu = false;
};

/// A buffer that a kernel function is called with.
struct ClusterBuffer {
  enum class Kind {
    /// Argument `index` of the cluster.
    Operand,
    /// Result `index` of the cluster.
    Result,
    /// Memory between the functions of one cluster.
    Temporary,
  };
  Kind kind;
  unsigned index;
};

/// One launch of a lowered cluster. The function's first arguments are `reads`,
/// then `writes`. Each buffer of the cluster is among them at most once.
struct KernelFunction {
  mlir::func::FuncOp function;
  llvm::SmallVector<ClusterBuffer> reads;
  llvm::SmallVector<ClusterBuffer> writes;
  /// For each of `reads`, the index in `writes` of the result that may lie in
  /// its bytes, or -1. The operand and the result then have the same memory
  /// type. The kernel reads each element of the operand before it replaces the
  /// element.
  llvm::SmallVector<int64_t> overwrittenBy;
  /// The number of points of all loops of the function. The flops of the
  /// cluster are divided among its functions in proportion to their points.
  int64_t points = 0;
};

struct LoweredCluster {
  /// The functions in the order of launches. Each function needs the results of
  /// all functions before it.
  llvm::SmallVector<KernelFunction, 1> functions;
  /// The types of temporaries. They do not depend on the target.
  llvm::SmallVector<mlir::RankedTensorType> temporaries;
};

/// The memory of `tensor` in a kernel: signless elements, truth values as
/// bytes, row-major unless there are `strides`.
mlir::MemRefType getKernelMemory(mlir::RankedTensorType tensor,
                                 llvm::ArrayRef<int64_t> strides = {});

/// The name of kernel function `number` of a cluster. The first function has
/// the name of the cluster. For all others, a dot and the number follow that
/// name.
std::string getKernelName(llvm::StringRef cluster, size_t number);

/// Replaces `tensors` by kernel functions (weir/Conversion/ClusterToLoops.h) on
/// memory of types `operands` and `results`. The first function has all
/// operands as arguments. Each other function has only the operands that it
/// reads. Fails with an error on ops that no conversion from weir creates.
mlir::FailureOr<LoweredCluster>
emitKernels(mlir::func::FuncOp tensors,
            llvm::ArrayRef<mlir::MemRefType> operands,
            llvm::ArrayRef<mlir::MemRefType> results, const LoopTarget &target);

} // namespace weir

#endif // WEIR_CONVERSION_LINALGTOKERNELS_H
