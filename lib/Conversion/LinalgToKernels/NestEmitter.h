//===- NestEmitter.h - Emits the loops of a nest ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_NESTEMITTER_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_NESTEMITTER_H

#include "PointEmitter.h"
#include "Tasks.h"

namespace weir::kernels {

/// The iterations of a loop: from `begin` to `end`, in steps of `step`. `size`
/// is the largest possible difference of `end` and `begin`.
struct LoopRange {
  int symbol;
  mlir::Value begin, end;
  int64_t size, step;
};

/// Emits the loops of a nest at the current position of `point`. Parallel
/// loops are outermost, then the vectors, and reduction loops are innermost,
/// with running values in registers.
class NestEmitter {
public:
  /// `ends` has a value for each task dim of the section: the size of the
  /// task's block if the last block is shorter, else null.
  NestEmitter(PointEmitter &point, const ScheduledNest &nest,
              llvm::ArrayRef<mlir::Value> ends);

  void emit();
  /// Emits the nest without the loops `bound` and without the loop of the
  /// vectors. The variables of these loops must have values already.
  void emitAt(llvm::ArrayRef<int> bound, const Mask &mask);

protected:
  using Values = llvm::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<void()>;

  mlir::Value getEnd(const NestLoop &loop);
  /// `end` rounded down to a multiple of `step`.
  mlir::Value roundDown(const NestLoop &loop, mlir::Value end, int64_t step);
  void emitShortened(int symbol, int64_t count, Body body);
  void emitLoop(int symbol, mlir::Value begin, mlir::Value end, int64_t step,
                Body body);
  Values emitCarrying(int symbol, mlir::Value begin, mlir::Value end,
                      int64_t step, Values running,
                      llvm::function_ref<Values(Values)> body);
  Values emitCombining(const LoopRange &range, int64_t terms, Values running,
                       llvm::function_ref<Values(Values)> body);

  bool isOfRows(const NestLoop &loop) const;
  void emitOuter(size_t number);
  void emitRows(const NestLoop &loop, size_t number);
  llvm::SmallVector<Place> findBlocks(const NestLoop &loop) const;
  void emitVectors();
  void emitBlock(int64_t vectors, const Mask &mask);
  void emitInterleaved(const Mask &mask);
  void emitElement(int64_t row, int64_t vector, const Mask &mask);
  mlir::Value computeSource(int64_t row, int64_t vector, const Mask &mask);

  void emitReduction(int64_t vectors, const Mask &mask);
  void emitScan(int64_t vectors, const Mask &mask);
  mlir::Value getStart(int64_t row, int64_t vector, const Mask &mask);
  mlir::Value addPoint(int64_t row, int64_t vector, const Mask &mask,
                       mlir::Value running);
  Values emitReductionLoops(size_t number, int64_t terms, Values running,
                            llvm::function_ref<Values(Values)> innermost);
  void emitLaneReduction();
  Values emitLaneLoop(Values running);
  mlir::Value combineLanes(Values running);

  Indices shifted(llvm::ArrayRef<LinearIndex> at, int64_t row,
                  int64_t vector) const;

  PointEmitter &point;
  CodeLevels &code;
  LaneEmitter &lanes;
  const ScheduledNest &nest;
  llvm::ArrayRef<mlir::Value> ends;
  llvm::SmallVector<NestLoop> outer, reductions;
  /// The addition of a sum of floats; null in other nests.
  mlir::Operation *addition = nullptr;
  /// The number of rows that are emitted together now.
  int64_t rows = 1;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_NESTEMITTER_H
