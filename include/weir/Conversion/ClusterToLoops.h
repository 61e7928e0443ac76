//===- ClusterToLoops.h - Clusters of ops as kernel functions -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A cluster is a function of weir ops on tensors that a device runs as one
// launch. It becomes one kernel function, or a short list of them where a
// step needs all of the one before (a total reduction: partial results over a
// fixed number of tiles, then their combination).
//
// A kernel function works on memory:
//
//   func.func @k(%operand..., %result..., %begin: index, %end: index,
//                %scratch: memref<Nxi8>)
//       attributes {weir.tasks = T : i64, weir.grain = G : i64,
//                   weir.scratch = N : i64}
//
// Buffers are memrefs of static shape whose strides are those of the tensors'
// layouts. Elements are signless; an i1 is an i8 that is 0 or 1. Results
// overlap neither operands nor each other, and nothing is aligned to more than
// its element. The function does the tasks [begin, end) of [0, T); any split
// of [0, T) into ranges, done in any order or at once, gives the same bits.
// `weir.grain` is the fewest tasks that are worth a thread. Scratch is a
// thread's own, aligned to 64 bytes, and undefined before and after.
//
// Functions hold arith, math, vector, memref, scf and index ops only.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_CLUSTERTOLOOPS_H
#define WEIR_CONVERSION_CLUSTERTOLOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace weir {

namespace kernelattrs {
inline constexpr llvm::StringLiteral tasks = "weir.tasks";
inline constexpr llvm::StringLiteral grain = "weir.grain";
inline constexpr llvm::StringLiteral scratch = "weir.scratch";
/// On the nested module of kernel functions: the CPU they are made for.
inline constexpr llvm::StringLiteral targetCpu = "weir.target_cpu";
} // namespace kernelattrs

/// Adds the dialects that clusters are lowered to, and how.
void registerLoopDialects(mlir::DialectRegistry &registry);

/// What loops must know of the machine that they are for.
struct LoopTarget {
  /// Bits of a vector register: 512 with AVX-512, 256 with AVX2.
  int64_t vectorBits = 256;
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
/// then `writes`; each buffer of the cluster is there at most once.
struct KernelFunction {
  mlir::func::FuncOp function;
  llvm::SmallVector<ClusterBuffer> reads;
  llvm::SmallVector<ClusterBuffer> writes;
};

struct LoweredCluster {
  /// In the order in which they are launched.
  llvm::SmallVector<KernelFunction, 1> functions;
  /// The types of temporaries. They do not depend on the target.
  llvm::SmallVector<mlir::RankedTensorType> temporaries;
};

/// Lowers clusters, one after the other; made once because patterns are costly
/// to collect.
class ClusterToLoops {
public:
  ClusterToLoops(mlir::MLIRContext *context, const LoopTarget &target);
  ~ClusterToLoops();

  /// Adds the kernel functions of `cluster` to `module`, named after it. Each
  /// argument of the cluster is read. Errors are told of the cluster's ops.
  mlir::FailureOr<LoweredCluster> lower(mlir::func::FuncOp cluster,
                                        mlir::ModuleOp module);

private:
  struct Patterns;
  LoopTarget target;
  std::unique_ptr<Patterns> patterns;
};

} // namespace weir

#endif // WEIR_CONVERSION_CLUSTERTOLOOPS_H
