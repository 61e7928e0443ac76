//===- WinogradTiles.h - Tiles computed by the definition -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The transforms mix all cells of a tile. So one infinity or NaN would reach
// results that do not read it, and large cells would overflow. Such tiles are
// computed by the definition of a convolution. This takes the windows before
// the transform, because the product of an infinity depends on the sign of even
// the smallest weight.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_WINOGRADTILES_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_WINOGRADTILES_H

#include "WinogradTransforms.h"

#include <cstddef>

namespace weir::cpu {

/// The number of bytes on which `convolveTile` works.
size_t tileWorkBytes(const WinogradShape &shape);

/// An image in memory and the type of its elements.
struct TypedImage {
  DType type;
  void *bytes;
};

/// Computes tile number `tile` of `result` from `input`. `windows` are
/// transformed windows, and `work` has `tileWorkBytes` bytes.
void convolveTile(const WinogradShape &shape, TypedImage input,
                  const WindowTarget &windows, const float *bias,
                  const std::vector<WinogradEpilogue> &epilogues,
                  TypedImage result, int64_t tile, float *work);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_WINOGRADTILES_H
