//===- ClusterToLoops.h - Lowers clusters to kernel functions ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A cluster is a function of weir ops on tensors for which code is generated.
// It becomes one kernel function, or several if a function needs all results of
// the function before it. A reduction to few elements is such a case: its first
// function computes partial results over tiles, and the second combines them.
// The number of tiles follows from sizes and layouts alone.
//
// A kernel function works on memory:
//
//   func.func @k(%operand..., %result..., %begin: index, %end: index,
//                %scratch: memref<Nxi8>)
//       attributes {weir.tasks = T : i64, weir.grain = G : i64,
//                   weir.scratch = N : i64}
//
// Buffers are memrefs of static shape whose strides are those of the tensors'
// layouts. Elements are signless; an i1 is an i8 that is 0 or 1. Results do not
// overlap each other. A result overlaps no operand, with one exception: the
// array `weir.overwritten_by` has for each operand the number of the result
// that may have exactly the same bytes, or -1. Buffers are aligned only to
// their element. The function computes the tasks [begin, end) of [0, T). Any
// split of [0, T) into ranges, computed in any order or concurrently, gives the
// same bits. `weir.grain` is the fewest tasks that are worth a thread. Each
// thread has its own scratch, which is aligned to 64 bytes and undefined before
// and after.
//
// Functions contain only arith, math, vector, memref, scf and index ops.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_CLUSTERTOLOOPS_H
#define WEIR_CONVERSION_CLUSTERTOLOOPS_H

#include "weir/Conversion/LinalgToKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <optional>

namespace weir {

/// Adds the dialects to which clusters are lowered, with the interfaces that
/// lowering needs.
void registerLoopDialects(mlir::DialectRegistry &registry);

/// Lowers clusters, one after the other. One object serves all of them, because
/// it takes long to collect the patterns.
class ClusterToLoops {
public:
  ClusterToLoops(mlir::MLIRContext *context, const LoopTarget &target);
  ~ClusterToLoops();

  /// Adds the kernel functions of `cluster` to `module`. Their names begin with
  /// the name of the cluster. The first function has all arguments of the
  /// cluster. Errors are emitted at the cluster's ops.
  mlir::FailureOr<LoweredCluster> lower(mlir::func::FuncOp cluster,
                                        mlir::ModuleOp module);

private:
  struct Patterns;
  LoopTarget target;
  std::unique_ptr<Patterns> patterns;
};

/// Stores `lowered`, the result of lowering `cluster`, in its attribute
/// `weir.lowered`.
void keepLowering(mlir::func::FuncOp cluster, const LoweredCluster &lowered);

/// The result that `keepLowering` has stored, with declarations in `kernels`.
/// Nothing if `cluster` has no stored result.
std::optional<LoweredCluster> findLowering(mlir::func::FuncOp cluster,
                                           mlir::ModuleOp kernels);

} // namespace weir

#endif // WEIR_CONVERSION_CLUSTERTOLOOPS_H
