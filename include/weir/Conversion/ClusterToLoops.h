//===- ClusterToLoops.h - Lowers clusters to kernel functions ---*- C++ -*-===//
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
// overlap neither operands nor each other. Buffers are aligned only to their
// element. The function computes the tasks [begin, end) of [0, T). Any split of
// [0, T) into ranges, computed in any order or concurrently, gives the same
// bits. `weir.grain` is the fewest tasks that are worth a thread. Each thread
// has its own scratch, which is aligned to 64 bytes and undefined before and
// after.
//
// Functions contain only arith, math, vector, memref, scf and index ops.
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
/// An attribute of the nested module of kernel functions: the CPU that they are
/// compiled for.
inline constexpr llvm::StringLiteral targetCpu = "weir.target_cpu";
} // namespace kernelattrs

/// Registers the dialects that clusters are lowered to, with the interfaces
/// that this needs.
void registerLoopDialects(mlir::DialectRegistry &registry);

/// What the loops depend on in the target machine.
struct LoopTarget {
  /// The width of a vector register: 512 bits with AVX-512, 256 with AVX2.
  int64_t vectorBits = 256;
};

/// A buffer that a kernel function takes.
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
/// then `writes`. Each buffer of the cluster occurs at most once.
struct KernelFunction {
  mlir::func::FuncOp function;
  llvm::SmallVector<ClusterBuffer> reads;
  llvm::SmallVector<ClusterBuffer> writes;
};

struct LoweredCluster {
  /// The functions in launch order.
  llvm::SmallVector<KernelFunction, 1> functions;
  /// The types of temporaries. They do not depend on the target.
  llvm::SmallVector<mlir::RankedTensorType> temporaries;
};

/// Lowers clusters, one after the other. Create it once, because patterns are
/// costly to collect.
class ClusterToLoops {
public:
  ClusterToLoops(mlir::MLIRContext *context, const LoopTarget &target);
  ~ClusterToLoops();

  /// Adds the kernel functions of `cluster` to `module`; their names begin with
  /// the cluster's. Each argument of the cluster is read. Errors are emitted at
  /// the cluster's ops.
  mlir::FailureOr<LoweredCluster> lower(mlir::func::FuncOp cluster,
                                        mlir::ModuleOp module);

private:
  struct Patterns;
  LoopTarget target;
  std::unique_ptr<Patterns> patterns;
};

} // namespace weir

#endif // WEIR_CONVERSION_CLUSTERTOLOOPS_H
