//===- PanelSums.cpp - Sums of products with a panel of weights -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PanelSums.h"

#include "ProcessorCode.h"
#include "Vectors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

using namespace weir;
using namespace weir::cpu;

namespace {

/// Reads f32.
template <int64_t Lanes> struct Singles {
  using Vector = Floats<Lanes>;
  using Element = float;
  /// Elements of a sum that are read together.
  static constexpr int64_t step = 1;

  /// sums[row][i] += rows[row] x weights
  template <int NumRows, int NumVectors>
  [[gnu::always_inline]] static void add(Vector (&sums)[NumRows][NumVectors],
                                         const float *rows, int64_t stride,
                                         const float *weights) {
#pragma GCC unroll 8
    for (int i = 0; i < NumVectors; ++i) {
      Vector by;
      load(by, weights + i * Lanes);
#pragma GCC unroll 4
      for (int row = 0; row < NumRows; ++row)
        sums[row][i] += rows[row * stride] * by;
    }
  }
};

/// Reads bf16 in pairs. The first element of a pair is the lower half of a
/// word.
template <int64_t Lanes> struct Pairs {
  using Vector = Floats<Lanes>;
  using Word = Words<Lanes>;
  using Element = uint16_t;
  static constexpr int64_t step = 2;
  static constexpr uint32_t upper = 0xffff0000;

  template <int NumRows, int NumVectors>
  [[gnu::always_inline]] static void add(Vector (&sums)[NumRows][NumVectors],
                                         const uint16_t *rows, int64_t stride,
                                         const uint16_t *weights) {
#pragma GCC unroll 8
    for (int i = 0; i < NumVectors; ++i) {
      Word by;
      std::memcpy(&by, weights + i * Lanes * step, sizeof(Word));
      Vector first, second;
      copyBits(first, by << 16);
      copyBits(second, by & upper);
#pragma GCC unroll 4
      for (int row = 0; row < NumRows; ++row) {
        uint32_t pair;
        std::memcpy(&pair, rows + row * stride, sizeof(pair));
        sums[row][i] += std::bit_cast<float>(pair << 16) * first;
        sums[row][i] += std::bit_cast<float>(pair & upper) * second;
      }
    }
  }
};

} // namespace

/// Each result has several partial sums, and each partial sum adds every n-th
/// product. This hides the latency of an addition.
template <typename Reader, int NumRows, int NumVectors>
WEIR_VECTOR_PART static void sumPanel(const PanelProduct &product) {
  using Vector = typename Reader::Vector;
  using Element = typename Reader::Element;
  constexpr int64_t lanes = sizeof(Vector) / sizeof(float);
  constexpr int64_t width = lanes * NumVectors;
  constexpr int chains = std::max(1, 8 / (NumRows * NumVectors));
  constexpr int64_t step = Reader::step;
  Vector sums[chains][NumRows][NumVectors] = {};
  const auto *rows = static_cast<const Element *>(product.rows);
  const auto *panel = static_cast<const Element *>(product.panel);
  int64_t k = 0;
  for (; k + chains * step <= product.depth; k += chains * step)
#pragma GCC unroll 8
    for (int chain = 0; chain < chains; ++chain)
      Reader::add(sums[chain], rows + k + chain * step, product.rowStride,
                  panel + (k + chain * step) * width);
  for (; k < product.depth; k += step)
    Reader::add(sums[0], rows + k, product.rowStride, panel + k * width);
#pragma GCC unroll 4
  for (int row = 0; row < NumRows; ++row)
#pragma GCC unroll 8
    for (int i = 0; i < NumVectors; ++i) {
#pragma GCC unroll 8
      for (int chain = 1; chain < chains; ++chain)
        sums[0][row][i] += sums[chain][row][i];
      std::memcpy(product.sums + row * width + i * lanes, &sums[0][row][i],
                  sizeof(Vector));
    }
}

#define WEIR_PANEL_CODE(NAME, TARGET, LANES)                                   \
  template <template <int64_t> typename Reader, int NumRows, int NumVectors>   \
  TARGET static void NAME##Sum(const PanelProduct &product) {                  \
    sumPanel<Reader<LANES>, NumRows, NumVectors>(product);                     \
  }                                                                            \
  template <template <int64_t> typename Reader, int NumVectors>                \
  static constexpr std::array<SumPanel, mostPanelRows> NAME = {                \
      NAME##Sum<Reader, 1, NumVectors>, NAME##Sum<Reader, 2, NumVectors>,      \
      NAME##Sum<Reader, 3, NumVectors>, NAME##Sum<Reader, 4, NumVectors>};

WEIR_WIDE_CODE(WEIR_PANEL_CODE)

int64_t cpu::widestPanel() { return chooseCode<int64_t>(64, 32, 0); }

template <template <int64_t> typename Reader>
static SumPanel findWide(size_t row, int64_t width) {
  if (width == 16)
    return avx512<Reader, 1>[row];
  return (width == 32 ? avx512<Reader, 2> : avx512<Reader, 4>)[row];
}

SumPanel cpu::findSumPanel(DType type, int64_t rows, int64_t width) {
  const auto row = static_cast<size_t>(rows - 1);
  if (type == DType::BF16)
    return findWide<Pairs>(row, width);
  if (hasAVX512())
    return findWide<Singles>(row, width);
  return (width == 16 ? avx2<Singles, 2> : avx2<Singles, 4>)[row];
}
