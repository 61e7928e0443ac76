//===- GpuNestEmitter.h - Divides a nest among threads ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUNESTEMITTER_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUNESTEMITTER_H

#include "GpuReductions.h"
#include "GpuTasks.h"
#include "NestEmitter.h"

namespace weir::kernels {

/// The position of a thread in a launch.
struct GpuPosition {
  /// The number of the block in its section, and the number of the thread in
  /// its block.
  mlir::Value block, thread;
  int64_t threads;
  /// The shared memory in which threads combine values, of `combineBytes` or
  /// `combineColumnBytes`.
  mlir::Value shared;
};

/// Emits a nest for one thread. The points of the nest have numbers. A point is
/// computed by a unit of threads: a thread, a warp or the block.
class GpuNestEmitter : private NestEmitter {
public:
  GpuNestEmitter(PointEmitter &point, const ScheduledNest &nest,
                 const GpuPosition &position);

  /// Emits one point for each unit of the launch.
  void emitSpread();
  /// Emits all points of a block.
  void emitInBlock();

  /// The number of blocks of the launch that `emitSpread` needs.
  static int64_t countBlocks(const KernelPlan &plan, const ScheduledNest &nest,
                             int64_t threads);

private:
  const NestLoop *findItemLane() const;
  void emitIf(mlir::Value condition, llvm::function_ref<void()> body);
  mlir::Value isBelow(mlir::Value number, int64_t end);
  void bindLoops(llvm::ArrayRef<NestLoop> loops, mlir::Value number,
                 int64_t total, int64_t step);
  void findUnit();
  mlir::Value limitNumber(mlir::Value number);
  void emitItem(mlir::Value number);
  void emitPoints(const Mask &mask);
  Indices bindStrip(mlir::Value number, int64_t most);
  void addStrip(const Indices &loops, int64_t turn, Values &running);
  void addStrips(mlir::Value first, int64_t shift, int64_t count,
                 Values &running);
  void addWholeRounds(const Rounds &rounds, Values &running);
  void addRest(const Rounds &rounds, Values &running);
  void emitCombined();
  mlir::Value combineInBlock(mlir::Value value);
  mlir::Value combineColumns(mlir::Value value);
  mlir::Value exchange(mlir::Value value, int64_t count, mlir::Value place,
                       mlir::Value isWriter, mlir::Value first, int64_t step);

  const GpuPosition &position;
  /// The loops of items: points, or vectors of points. The last loop is the
  /// loop of the vectors.
  llvm::SmallVector<NestLoop> items;
  /// The number of items.
  int64_t count;
  /// The number of threads of a unit, and the number of units of a block.
  int64_t unitThreads, units;
  /// The number of this thread's unit in its block, and the thread's number in
  /// the unit.
  mlir::Value unit, member;
  /// For columns: whether the element of the thread exists.
  mlir::Value isOwn;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUNESTEMITTER_H
