//===- LaneMemory.h - Emits loads and stores of points ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_LANEMEMORY_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_LANEMEMORY_H

#include "LaneEmitter.h"

namespace weir::kernels {

/// For a symbol, the number above 1 of which all values of the symbol are
/// multiples, if there is one.
using Factors = llvm::DenseMap<int, int64_t>;

/// The largest power of two up to `most` that divides `address` times `bytes`.
int64_t getAlignment(const LinearIndex &address, const Factors &factors,
                     int64_t bytes, int64_t most);

/// An element of `buffer`, which has one dim.
struct Place {
  mlir::Value buffer;
  LinearIndex address;

  bool operator==(const Place &other) const {
    return buffer == other.buffer && address == other.address;
  }
};

/// Emits accesses to the places of a point. If the lanes are neighbours in
/// memory, an access is one vector. If the rows are neighbours, blocks of rows
/// are accessed and transposed. In all other cases, an access is one element.
class LaneMemory {
public:
  LaneMemory(CodeLevels &code, LaneEmitter &lanes) : code(code), lanes(lanes) {}

  /// Begins code for `count` rows that are emitted together. Each of `blocks`
  /// is the place of the first row of a block. All rows of a block are read,
  /// and they are adjacent in memory, so they are loaded at once and
  /// transposed.
  void setRows(int64_t count, llvm::SmallVector<Place> blocks = {});
  /// Sets the row to which the next points belong.
  void selectRow(int64_t row) { shift = row; }
  /// From here on, all buffers are aligned to `bytes`, and vectors say how they
  /// are aligned.
  void setBufferAlignment(int64_t bytes) { bufferAlignment = bytes; }
  /// Notes that the values of `symbol` are multiples of `factor`.
  void setFactor(int symbol, int64_t factor) { factors[symbol] = factor; }

  /// The elements of `place`, which are of `type`.
  mlir::Value load(const Place &place, mlir::Type type, const Mask &mask);
  /// The elements at `offsets` from `place` on.
  mlir::Value gather(const Place &place, mlir::Value offsets, mlir::Type type,
                     const Mask &mask);
  /// Stores a scalar or vector.
  void store(const Place &place, mlir::Value value, const Mask &mask);
  /// Stores lane 0 of all `rows` from `place` on, then lane 1 of all rows, and
  /// so on.
  void storeInterleaved(const Place &place, llvm::SmallVector<mlir::Value> rows,
                        const Mask &mask);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  bool isInBlock(const Place &place) const;
  llvm::MaybeAlign alignmentOf(const Place &place) const;
  mlir::Value gatherElements(const Place &place, mlir::Value offsets,
                             const Mask &mask);
  mlir::Value loadVector(const Place &place, const Mask &mask);
  mlir::Value loadTransposed(const Place &place, const Mask &mask);
  Values loadSquare(const Place &origin, int64_t step, const Mask &mask);
  Values loadInterleaved(const Place &origin, const Mask &mask);
  Values interleaveHalves(llvm::ArrayRef<mlir::Value> rows);
  Values interleave(Values rows);
  mlir::Value gatherLanes(llvm::ArrayRef<mlir::Value> vectors,
                          llvm::function_ref<int64_t(int64_t)> getPlace);
  mlir::Value fromMemory(mlir::Value value, mlir::Type type);
  mlir::Value toMemory(mlir::Value value);

  CodeLevels &code;
  LaneEmitter &lanes;
  /// The number of rows, the first rows of blocks, and the current row.
  int64_t height = 1;
  llvm::SmallVector<Place> blocks;
  int64_t shift = 0;
  int64_t bufferAlignment = 0;
  Factors factors;
};

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_LANEMEMORY_H
