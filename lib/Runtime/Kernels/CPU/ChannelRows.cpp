//===- ChannelRows.cpp - Sums along rows of channels ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ChannelRows.h"

#include "ProcessorCode.h"
#include "Vectors.h"

#include <algorithm>

using namespace weir;
using namespace weir::cpu;

/// The size of a tile is a compromise. A tile's part of a few channels has to
/// stay in the first cache, and there have to be enough tiles for all threads.
/// But the sums of tiles have to be few compared with the rows.
RowTiles::RowTiles(int64_t rows)
    : rows(rows), rowsPerTile(std::clamp<int64_t>((rows + 15) / 16, 8, 128)) {}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Lets `work` visit all channels, in blocks of up to four vectors. The last
/// vector may overlap the vector before it.
template <int64_t Lanes, typename Work>
WEIR_VECTOR_PART static void forBlocks(int64_t channels, const Work &work) {
  int64_t c = 0;
  for (; c + 4 * Lanes <= channels; c += 4 * Lanes)
    work.template visit<Lanes, 4>(c);
  if (channels < Lanes) {
    for (; c < channels; ++c)
      work.template visit<1, 1>(c);
    return;
  }
  for (; c < channels; c += Lanes)
    work.template visit<Lanes, 1>(std::min(c, channels - Lanes));
}

namespace {

/// Computes the mean first, and then the squared distances from it. The
/// variance as a difference of two large sums would have few exact digits.
template <typename Element> struct Moments {
  RowRange rows;
  const Element *x;
  float *mean, *squares;

  template <int64_t Lanes, int Count>
  WEIR_VECTOR_PART void visit(int64_t c) const {
    using Vector = Floats<Lanes>;
    Vector means[Count] = {}, distances[Count] = {};
    for (int64_t row = rows.begin; row < rows.end; ++row)
#pragma GCC unroll 4
      for (int i = 0; i < Count; ++i) {
        Vector value;
        load(value, x + row * rows.channels + c + i * Lanes);
        means[i] += value;
      }
    const float share = 1 / static_cast<float>(rows.end - rows.begin);
#pragma GCC unroll 4
    for (int i = 0; i < Count; ++i)
      means[i] *= share;
    for (int64_t row = rows.begin; row < rows.end; ++row)
#pragma GCC unroll 4
      for (int i = 0; i < Count; ++i) {
        Vector value;
        load(value, x + row * rows.channels + c + i * Lanes);
        value -= means[i];
        distances[i] += value * value;
      }
#pragma GCC unroll 4
    for (int i = 0; i < Count; ++i) {
      store(means[i], mean + c + i * Lanes);
      store(distances[i], squares + c + i * Lanes);
    }
  }
};

template <typename Element> struct GradientSums {
  RowRange rows;
  const Element *gradient, *x;
  const float *mean;
  float *sum, *moment;

  template <int64_t Lanes, int Count>
  WEIR_VECTOR_PART void visit(int64_t c) const {
    using Vector = Floats<Lanes>;
    Vector sums[Count] = {}, moments[Count] = {}, means[Count];
#pragma GCC unroll 4
    for (int i = 0; i < Count; ++i)
      load(means[i], mean + c + i * Lanes);
    for (int64_t row = rows.begin; row < rows.end; ++row)
#pragma GCC unroll 4
      for (int i = 0; i < Count; ++i) {
        const int64_t at = row * rows.channels + c + i * Lanes;
        Vector value, factor;
        load(value, gradient + at);
        load(factor, x + at);
        sums[i] += value;
        moments[i] += value * (factor - means[i]);
      }
#pragma GCC unroll 4
    for (int i = 0; i < Count; ++i) {
      store(sums[i], sum + c + i * Lanes);
      store(moments[i], moment + c + i * Lanes);
    }
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Lets `work` visit all elements. The last vector of a row may overlap the
/// vector before it.
template <int64_t Lanes, typename Work>
WEIR_VECTOR_PART static void forElements(const RowRange &rows,
                                         const Work &work) {
  const int64_t channels = rows.channels;
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    const int64_t first = row * channels;
    int64_t c = 0;
    for (; c + Lanes <= channels; c += Lanes)
      work.template visit<Lanes>(first + c, c);
    if (c == channels)
      continue;
    if (channels >= Lanes) {
      work.template visit<Lanes>(first + channels - Lanes, channels - Lanes);
      continue;
    }
    for (; c < channels; ++c)
      work.template visit<1>(first + c, c);
  }
}

namespace {

template <typename Element> struct Normalise {
  Normalisation what;

  template <int64_t Lanes>
  WEIR_VECTOR_PART void visit(int64_t at, int64_t c) const {
    using Vector = Floats<Lanes>;
    Vector value, mean, scale, bias;
    load(value, static_cast<const Element *>(what.x) + at);
    load(mean, what.mean + c);
    load(scale, what.scale + c);
    load(bias, what.bias + c);
    value = (value - mean) * scale + bias;
    if (what.added) {
      Vector added;
      load(added, static_cast<const Element *>(what.added) + at);
      value += added;
    }
    const Vector low = Vector{} + what.low, high = Vector{} + what.high;
    // NaN is neither below `low` nor above `high`, so it stays.
    value = value < low ? low : value;
    value = value > high ? high : value;
    store(value, static_cast<Element *>(what.y) + at);
  }
};

template <typename Element> struct Differentiate {
  NormalisationGradient what;

  template <int64_t Lanes>
  WEIR_VECTOR_PART void visit(int64_t at, int64_t c) const {
    using Vector = Floats<Lanes>;
    Vector value, x, mean, scale, shift, slope;
    load(value, static_cast<const Element *>(what.gradient) + at);
    load(x, static_cast<const Element *>(what.x) + at);
    load(mean, what.mean + c);
    load(scale, what.scale + c);
    load(shift, what.shift + c);
    load(slope, what.slope + c);
    value = (value - shift - (x - mean) * slope) * scale;
    store(value, static_cast<Element *>(what.result) + at);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Instruction sets
//===----------------------------------------------------------------------===//

#define WEIR_CHANNEL_ROWS_CODE(NAME, TARGET, LANES)                            \
  template <typename Element>                                                  \
  TARGET static void NAME##Moments(const RowRange &rows, const void *x,        \
                                   float *mean, float *squares) {              \
    forBlocks<LANES>(rows.channels,                                            \
                     Moments<Element>{rows, static_cast<const Element *>(x),   \
                                      mean, squares});                         \
  }                                                                            \
  template <typename Element>                                                  \
  TARGET static void NAME##Sums(const RowRange &rows, const void *gradient,    \
                                const void *x, const float *mean, float *sum,  \
                                float *moment) {                               \
    forBlocks<LANES>(rows.channels,                                            \
                     GradientSums<Element>{                                    \
                         rows, static_cast<const Element *>(gradient),         \
                         static_cast<const Element *>(x), mean, sum, moment}); \
  }                                                                            \
  template <typename Element>                                                  \
  TARGET static void NAME##Normalise(const RowRange &rows,                     \
                                     const Normalisation &what) {              \
    forElements<LANES>(rows, Normalise<Element>{what});                        \
  }                                                                            \
  template <typename Element>                                                  \
  TARGET static void NAME##Differentiate(const RowRange &rows,                 \
                                         const NormalisationGradient &what) {  \
    forElements<LANES>(rows, Differentiate<Element>{what});                    \
  }                                                                            \
  template <typename Element>                                                  \
  static constexpr ChannelRowsCode NAME = {                                    \
      NAME##Moments<Element>, NAME##Sums<Element>, NAME##Normalise<Element>,   \
      NAME##Differentiate<Element>};

WEIR_PROCESSOR_CODE(WEIR_CHANNEL_ROWS_CODE)

template <typename Element> static const ChannelRowsCode &findCode() {
  return *chooseCode(&avx512<Element>, &avx2<Element>, &plain<Element>);
}

const ChannelRowsCode &cpu::findChannelRowsCode(DType type) {
  return type == DType::BF16 ? findCode<uint16_t>() : findCode<float>();
}
