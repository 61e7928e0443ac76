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

/// The most rows that the sums of a panel are computed for.
constexpr int64_t mostPanelRows = 4;

/// sums = rows x panel, in f32.
struct PanelProduct {
  /// [rows, depth], `rowStride` elements from row to row.
  const void *rows;
  int64_t rowStride;
  /// Products in a sum; even in bf16.
  int64_t depth;
  /// [depth, width]; in bf16 [depth / 2, width, 2].
  const void *panel;
  /// [rows, width].
  float *sums;
};

using SumPanel = void (*)(const PanelProduct &product);

/// The columns of the widest panel that this CPU computes with its registers: a
/// power of two, at least 32; 0 where it has no AVX2.
int64_t widestPanel();

/// The code for `rows`, at most `mostPanelRows`, of `type`, f32 or with AVX-512
/// bf16, and panels of `width` columns: 16, or more by powers of two up to
/// `widestPanel()`.
SumPanel findSumPanel(DType type, int64_t rows, int64_t width);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_PANELSUMS_H
