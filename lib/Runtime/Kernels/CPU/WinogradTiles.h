//===- WinogradTiles.h - Tiles computed by the definition -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The transforms mix all cells of a tile. So one infinity or NaN would reach
// results that do not read it, and large cells overflow. Such tiles are
// computed as a convolution is defined, with the windows that the transformed
// ones come from: the product of an infinity depends on the sign of the
// smallest weight.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_WINOGRADTILES_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_WINOGRADTILES_H

#include "WinogradTransforms.h"

#include <cstddef>

namespace weir::cpu {

/// The bytes that `convolveTile` works on.
size_t tileWorkBytes(const WinogradShape &shape);

/// An image in memory and the type of its elements.
struct TypedImage {
  DType type;
  void *bytes;
};

/// Computes tile number `tile` of `result` from `input`. `windows` are
/// transformed, and `work` is of `tileWorkBytes`.
void convolveTile(const WinogradShape &shape, TypedImage input,
                  const WindowTarget &windows, const float *bias,
                  const std::vector<WinogradEpilogue> &epilogues,
                  TypedImage result, int64_t tile, float *work);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_WINOGRADTILES_H
