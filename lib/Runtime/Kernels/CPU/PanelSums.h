//===- PanelSums.h - Sums of products with a panel of weights ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_PANELSUMS_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_PANELSUMS_H

#include "weir/Support/DType.h"

#include <cstdint>

namespace weir::cpu {

/// The most rows for which a panel's sums are computed together.
constexpr int64_t mostPanelRows = 4;

/// sums = rows x panel, in f32.
struct PanelProduct {
  /// [rows, depth], with a distance of `rowStride` elements between rows.
  const void *rows;
  int64_t rowStride;
  /// The number of products in a sum; even for bf16.
  int64_t depth;
  /// [depth, width]; for bf16 [depth / 2, width, 2].
  const void *panel;
  /// [rows, width].
  float *sums;
};

using SumPanel = void (*)(const PanelProduct &product);

/// The number of columns of the widest panel that fits into this CPU's
/// registers: a power of two, at least 32; 0 without AVX2.
int64_t widestPanel();

/// The code for `rows` rows (at most `mostPanelRows`), element type `type`
/// (f32, or bf16 with AVX-512), and panels of `width` columns (16, or more by
/// powers of two up to `widestPanel()`).
SumPanel findSumPanel(DType type, int64_t rows, int64_t width);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_PANELSUMS_H
