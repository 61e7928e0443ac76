//===- GpuReductions.h - How threads divide a reduction ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The points of a reduction are strips of neighbours. A unit of threads divides
// the strips: each thread takes strips at a fixed distance. A thread has a few
// running values, which take turns, so that it can wait for several strips at
// once. All running values are combined at the end, in a fixed order.
//
// The unit, the strips and the order in which elements are combined follow from
// the reduction alone: from its sizes and the layouts of its operands. So a sum
// has the same bits whatever other ops its kernel has.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUREDUCTIONS_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUREDUCTIONS_H

#include "PointEmitter.h"

namespace weir::kernels {

/// The most running values of a thread, in strips.
inline constexpr int64_t mostRunning = 4;
/// The longest rows that a warp combines.
inline constexpr int64_t warpRow = 1024;

/// Chooses the threads that compute a result of `nest`, which has a reduction;
/// nothing if each thread computes its own results.
std::optional<ThreadGroup> chooseGroup(const KernelPlan &plan,
                                       const LoopNest &nest);

/// The division of strips among the threads of a unit. In a round, each thread
/// takes one strip.
struct Rounds {
  Rounds(int64_t strips, int64_t threads)
      : whole(strips / threads), rest(strips % threads),
        running(std::clamp<int64_t>(whole + (rest != 0), 1, mostRunning)) {}

  /// The number of rounds in which all threads have a strip.
  int64_t whole;
  /// The number of strips that remain. The first threads take one strip each.
  int64_t rest;
  /// The running values of a thread.
  int64_t running;
};

/// Combines the running values of a thread: vectors of `strip` elements, or
/// single elements, strip by strip.
mlir::Value combineStrips(CodeLevels &code, mlir::Operation *combiner,
                          llvm::ArrayRef<mlir::Value> running, int64_t strip);

/// Combines the values of a warp's threads. All threads get the same value.
mlir::Value combineInWarp(CodeLevels &code, mlir::Operation *combiner,
                          mlir::Value value);

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUREDUCTIONS_H
