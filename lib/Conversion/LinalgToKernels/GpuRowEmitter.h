//===- GpuRowEmitter.h - Emits rows that warps compute ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUROWEMITTER_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUROWEMITTER_H

#include "GpuReductions.h"
#include "GpuTasks.h"

namespace weir::kernels {

/// Emits the nests of a section whose tasks are rows of warps. The dims of its
/// tasks must have values already.
class GpuRowEmitter {
public:
  /// `member` is the number of the thread in its warp.
  GpuRowEmitter(PointEmitter &point, const Section &section, mlir::Value member)
      : point(point), code(point.code), lanes(point.lanes), section(section),
        row(*section.warpRow), member(member),
        rounds(row.size / row.strip, warpThreads) {}

  /// Emits all nests, in order.
  void emit();

private:
  /// The elements of the row that this thread computes in one round: a vector,
  /// or one element.
  struct Piece {
    LinearIndex at;
    /// The round to which the piece belongs, and the number of the element in
    /// its strip.
    int64_t round, place;
    /// Whether the thread has elements in this round. Null if it has some in
    /// any case.
    mlir::Value isOwn;
  };

  void addPieces(int64_t round, const LinearIndex &first, mlir::Value isOwn);
  void makePieces();
  Indices at(const Indices &indices, const Piece &piece) const;
  void emitElements(const LoopNest &nest);
  void emitReduction(const LoopNest &nest);
  void emitElement(const LoopNest &nest, mlir::Value value);
  void store(const LoopNest &nest, const Indices &at, mlir::Value value,
             mlir::Value condition);

  PointEmitter &point;
  CodeLevels &code;
  LaneEmitter &lanes;
  const Section &section;
  const WarpRow &row;
  mlir::Value member;
  Rounds rounds;
  llvm::SmallVector<Piece> pieces;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_GPUROWEMITTER_H
