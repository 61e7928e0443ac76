//===- ChannelRows.h - Sums along rows of channels --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// In channels-last layout, an image is rows of channels, with one row for each
// cell. Sums over cells are computed for tiles of rows, and then the tiles are
// combined in their order. So the bits do not depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_CHANNELROWS_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_CHANNELROWS_H

#include "weir/Support/TensorDesc.h"

#include <cstdint>

namespace weir::cpu {

/// Rows [begin, end) of `channels` elements.
struct RowRange {
  int64_t begin, end, channels;
};

/// The division of rows into tiles. Each tile is summed alone.
struct RowTiles {
  int64_t rows;
  int64_t rowsPerTile;

  explicit RowTiles(int64_t rows);
  int64_t count() const { return (rows + rowsPerTile - 1) / rowsPerTile; }
  int64_t sizeOf(int64_t tile) const {
    return tile + 1 < count() ? rowsPerTile : rows - tile * rowsPerTile;
  }
};

/// The normalisation of each channel's values x: (x - mean) * scale + bias,
/// plus the element of `added`. The result is clamped to [low, high].
struct Normalisation {
  const void *x;
  const float *mean, *scale, *bias;
  /// May be null.
  const void *added;
  float low, high;
  void *y;
};

/// The gradient of a normalisation: (gradient - shift - (x - mean) * slope) *
/// scale.
struct NormalisationGradient {
  const void *gradient, *x;
  const float *mean, *scale, *shift, *slope;
  void *result;
};

/// The functions for one element type and instruction set. Tensors have this
/// element type, and values of channels are f32.
struct ChannelRowsCode {
  /// The mean of each channel and the sum of squared distances from it.
  void (*moments)(const RowRange &rows, const void *x, float *mean,
                  float *squares);
  /// The sums of the gradient, and of the gradient times (x - mean).
  void (*sums)(const RowRange &rows, const void *gradient, const void *x,
               const float *mean, float *sum, float *moment);
  void (*normalise)(const RowRange &rows, const Normalisation &what);
  void (*differentiate)(const RowRange &rows,
                        const NormalisationGradient &what);
};

/// The fastest functions that this CPU runs, for f32 or bf16.
const ChannelRowsCode &findChannelRowsCode(DType type);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_CHANNELROWS_H
