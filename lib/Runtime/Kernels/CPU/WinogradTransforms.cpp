//===- WinogradTransforms.cpp - Transforms of F(4x4, 3x3) -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The matrices are those of Lavin and Gray (Winograd.h) for the points 0, 1,
// -1, 2 and -2. Sums that occur twice are computed once. A vector holds the
// same cell of 16 or 8 channels.
//
//===----------------------------------------------------------------------===//

#include "WinogradTransforms.h"

#include "ProcessorCode.h"
#include "Vectors.h"

#include <algorithm>
#include <cstring>

using namespace weir;
using namespace weir::cpu;

//===----------------------------------------------------------------------===//
// Rows and columns of a tile
//===----------------------------------------------------------------------===//

template <typename Vector>
WEIR_VECTOR_PART static void transformInputLine(const Vector *from,
                                                Vector *to) {
  Vector evenFar = from[4] - 4 * from[2], oddFar = from[3] - 4 * from[1];
  Vector even = from[4] - from[2], odd = 2 * (from[3] - from[1]);
  to[0] = 4 * from[0] - 5 * from[2] + from[4];
  to[1] = evenFar + oddFar;
  to[2] = evenFar - oddFar;
  to[3] = even + odd;
  to[4] = even - odd;
  to[5] = 4 * from[1] - 5 * from[3] + from[5];
}

/// A quarter of each cell. Cells whose quarter would be 0 stay as they are,
/// because a corner of a window has to keep its sign and must not become 0.
template <typename Vector>
WEIR_VECTOR_PART static void quarter(const Vector &cells, Vector &to) {
  to = cells * (1.0f / 4);
  to = to == 0 ? cells : to;
}

template <typename Vector>
WEIR_VECTOR_PART static void transformWindowLine(const Vector *from,
                                                 Vector *to) {
  Vector outer = from[0] + from[2], far = from[0] + 4 * from[2];
  quarter(from[0], to[0]);
  to[1] = (outer + from[1]) * (-1.0f / 6);
  to[2] = (outer - from[1]) * (-1.0f / 6);
  to[3] = (far + 2 * from[1]) * (1.0f / 24);
  to[4] = (far - 2 * from[1]) * (1.0f / 24);
  to[5] = from[2];
}

template <typename Vector>
WEIR_VECTOR_PART static void transformResultLine(const Vector *from,
                                                 Vector *to) {
  Vector even = from[1] + from[2], odd = from[1] - from[2];
  Vector evenFar = from[3] + from[4], oddFar = from[3] - from[4];
  to[0] = from[0] + even + evenFar;
  to[1] = odd + 2 * oddFar;
  to[2] = even + 4 * evenFar;
  to[3] = odd + 8 * oddFar + from[5];
}

/// Column `j` of transformed lines.
template <int64_t from, int64_t to, typename Vector>
WEIR_VECTOR_PART static void takeColumn(const Vector (*lines)[to], int64_t j,
                                        Vector *column) {
  for (int64_t i = 0; i < from; ++i)
    column[i] = lines[i][j];
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// The position of a tile's cells in the result.
struct TilePlace {
  int64_t image, y, x;
};

WEIR_VECTOR_PART static TilePlace placeTile(const WinogradShape &shape,
                                            int64_t tile) {
  const int64_t x = tile % shape.tilesX(), row = tile / shape.tilesX();
  return {row / shape.tilesY(), row % shape.tilesY() * resultTile,
          x * resultTile};
}

/// Reads line `y` of the input cells of a tile that begins at column `left`.
/// Cells outside of the image are zero.
template <typename Vector, typename Element>
WEIR_VECTOR_PART static void readLine(const WinogradShape &shape,
                                      const Element *image, int64_t y,
                                      int64_t left, Vector *line) {
  if (y < 0 || y >= shape.inputHeight) {
    for (int64_t i = 0; i < inputTile; ++i)
      line[i] = Vector{};
    return;
  }
  const Element *row = image + y * shape.inputWidth * shape.channels;
  for (int64_t i = 0; i < inputTile; ++i) {
    const int64_t x = left + i;
    if (x < 0 || x >= shape.inputWidth)
      line[i] = Vector{};
    else
      load(line[i], row + x * shape.channels);
  }
}

/// Transforms the tile at `top` and `left`. `image` points to the first of the
/// channels to transform.
template <typename Vector, typename Element>
WEIR_VECTOR_PART static void
transformInputTile(const WinogradShape &shape, const Element *image,
                   int64_t top, int64_t left, float *to) {
  Vector lines[inputTile][inputTile];
  for (int64_t i = 0; i < inputTile; ++i) {
    Vector line[inputTile];
    readLine(shape, image, top + i, left, line);
    transformInputLine(line, lines[i]);
  }
  const int64_t step = shape.block * shape.channels;
  for (int64_t j = 0; j < inputTile; ++j) {
    Vector column[inputTile], done[inputTile];
    takeColumn<inputTile>(lines, j, column);
    transformInputLine(column, done);
    for (int64_t i = 0; i < inputTile; ++i)
      store(done[i], to + (i * inputTile + j) * step);
  }
}

template <typename Element>
WEIR_VECTOR_PART static void transformInput(const WinogradShape &shape,
                                            const Element *image, float *to,
                                            int64_t first, int64_t count) {
  for (int64_t tile = 0; tile < count; ++tile) {
    const TilePlace place = placeTile(shape, first + tile);
    const Element *source = image + place.image * shape.inputHeight *
                                        shape.inputWidth * shape.channels;
    const int64_t top = place.y - shape.padTop, left = place.x - shape.padLeft;
    float *target = to + tile * shape.channels;
    int64_t c = 0;
    for (; c + 16 <= shape.channels; c += 16)
      transformInputTile<Floats<16>>(shape, source + c, top, left, target + c);
    if (c < shape.channels)
      transformInputTile<Floats<8>>(shape, source + c, top, left, target + c);
  }
}

/// Stores one position of the transformed windows at `to`. Element i of `cells`
/// is the value for output `first` + i.
template <typename Vector>
WEIR_VECTOR_PART static void storeWindows(const Vector &cells,
                                          const WindowTarget &target, float *to,
                                          int64_t first) {
  constexpr int64_t count = sizeof(Vector) / sizeof(float);
  const int64_t *offsets = target.outputOffsets.data() + first;
  if (offsets[count - 1] - offsets[0] == count - 1)
    return store(cells, to + offsets[0]);
  for (int64_t o = 0; o < count; ++o)
    to[offsets[o]] = cells[o];
}

/// Keeps the `summedTaps` of channel `c` for several outputs from `first` on.
template <int64_t count, typename Element>
WEIR_VECTOR_PART static void keepTaps(const Element (*cells)[count],
                                      const WindowTarget &target, int64_t first,
                                      int64_t c) {
  const auto outputs = static_cast<int64_t>(target.outputOffsets.size());
  auto *to = static_cast<Element *>(target.taps) + first;
  int64_t row = c * static_cast<int64_t>(summedTaps.size());
  for (int64_t tap : summedTaps)
    std::memcpy(to + row++ * outputs, cells[tap], sizeof(cells[tap]));
}

/// Transforms the windows of channel `c` for as many outputs as a vector has
/// elements.
template <typename Vector, typename Element>
WEIR_VECTOR_PART static void
transformChannel(const Element *windows, const int64_t strides[4],
                 const WindowTarget &target, int64_t first, int64_t c) {
  constexpr int64_t count = sizeof(Vector) / sizeof(float);
  Element cells[9][count];
  Vector lines[3][inputTile];
  for (int64_t i = 0; i < 3; ++i) {
    Vector line[3];
    for (int64_t j = 0; j < 3; ++j) {
      Element *cell = cells[i * 3 + j];
      for (int64_t o = 0; o < count; ++o)
        cell[o] = windows[(first + o) * strides[0] + c * strides[1] +
                          i * strides[2] + j * strides[3]];
      load(line[j], cell);
    }
    transformWindowLine(line, lines[i]);
  }
  keepTaps<count>(cells, target, first, c);
  float *to = target.cells + target.channelOffsets[static_cast<size_t>(c)];
  for (int64_t j = 0; j < inputTile; ++j) {
    Vector column[3], done[inputTile];
    takeColumn<3>(lines, j, column);
    transformWindowLine(column, done);
    for (int64_t i = 0; i < inputTile; ++i)
      storeWindows(done[i], target, to + (i * inputTile + j) * target.placeStep,
                   first);
  }
}

template <typename Element>
WEIR_VECTOR_PART static void
transformWindows(const WinogradShape &shape, const Element *windows,
                 const int64_t strides[4], const WindowTarget &target,
                 int64_t first) {
  const bool isWide = first + 16 <= shape.outputs;
  for (int64_t c = 0; c < shape.channels; ++c)
    if (isWide)
      transformChannel<Floats<16>>(windows, strides, target, first, c);
    else
      transformChannel<Floats<8>>(windows, strides, target, first, c);
}

namespace {

/// The epilogues of results, and the image in which results are stored.
template <typename Element> struct ResultTarget {
  const float *bias;
  const std::vector<WinogradEpilogue> &epilogues;
  Element *image;
};

} // namespace

/// Applies the epilogues to `value`, whose offset in the result is `at`.
template <typename Vector, typename Element>
WEIR_VECTOR_PART static void finish(Vector &value, int64_t at,
                                    const ResultTarget<Element> &target) {
  for (const WinogradEpilogue &epilogue : target.epilogues)
    if (epilogue.kind == WinogradEpilogue::Kind::Add) {
      Vector added;
      load(added, static_cast<const Element *>(epilogue.image) + at);
      value += added;
    } else {
      value = value < 0 ? Vector{} : value;
    }
}

/// Transforms the tile at `place` back, for channels from `c` on.
template <typename Vector, typename Element>
WEIR_VECTOR_PART static void
transformResultTile(const WinogradShape &shape, const float *from,
                    const TilePlace &place, int64_t c,
                    const ResultTarget<Element> &target) {
  const int64_t step = shape.block * shape.outputs;
  Vector lines[inputTile][resultTile];
  for (int64_t i = 0; i < inputTile; ++i) {
    Vector line[inputTile];
    for (int64_t j = 0; j < inputTile; ++j)
      load(line[j], from + (i * inputTile + j) * step + c);
    transformResultLine(line, lines[i]);
  }
  Vector bias{};
  if (target.bias)
    load(bias, target.bias + c);
  const int64_t rows = std::min(resultTile, shape.resultHeight - place.y);
  const int64_t columns = std::min(resultTile, shape.resultWidth - place.x);
  for (int64_t j = 0; j < columns; ++j) {
    Vector column[inputTile], done[resultTile];
    takeColumn<inputTile>(lines, j, column);
    transformResultLine(column, done);
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t row = place.image * shape.resultHeight + place.y + i;
      const int64_t at =
          (row * shape.resultWidth + place.x + j) * shape.outputs + c;
      done[i] += bias;
      finish(done[i], at, target);
      store(done[i], target.image + at);
    }
  }
}

template <typename Vector>
WEIR_VECTOR_PART static bool areFinite(const WinogradShape &shape,
                                       const float *from) {
  constexpr int64_t lanes = sizeof(Vector) / sizeof(float);
  const int64_t step = shape.block * shape.outputs;
  // Infinity times 0 is NaN, and every sum with a NaN is NaN.
  Vector sum{};
  for (int64_t place = 0; place < tilePlaces; ++place) {
    Vector value;
    load(value, from + place * step);
    sum += value * 0.0f;
  }
  bool isZero = true;
  for (int64_t lane = 0; lane < lanes; ++lane)
    isZero &= sum[lane] == 0;
  return isZero;
}

WEIR_VECTOR_PART static int64_t
countFiniteTiles(const WinogradShape &shape, const float *from, int64_t count) {
  int64_t tile = 0;
  while (tile < count &&
         areFinite<Floats<8>>(shape, from + tile * shape.outputs))
    ++tile;
  return tile;
}

template <typename Element>
WEIR_VECTOR_PART static void
transformResult(const WinogradShape &shape, const float *from,
                const ResultTarget<Element> &target, int64_t first,
                int64_t count) {
  for (int64_t tile = 0; tile < count; ++tile) {
    const TilePlace place = placeTile(shape, first + tile);
    const float *source = from + tile * shape.outputs;
    int64_t c = 0;
    for (; c + 16 <= shape.outputs; c += 16)
      transformResultTile<Floats<16>>(shape, source, place, c, target);
    if (c < shape.outputs)
      transformResultTile<Floats<8>>(shape, source, place, c, target);
  }
}

#define WEIR_WINOGRAD_CODE(NAME, TARGET, LANES)                                \
  template <typename Element>                                                  \
  TARGET static void NAME##Input(const WinogradShape &shape,                   \
                                 const void *image, float *to, int64_t first,  \
                                 int64_t count) {                              \
    transformInput(shape, static_cast<const Element *>(image), to, first,      \
                   count);                                                     \
  }                                                                            \
  template <typename Element>                                                  \
  TARGET static void NAME##Windows(                                            \
      const WinogradShape &shape, const void *windows,                         \
      const int64_t strides[4], const WindowTarget &target, int64_t first) {   \
    transformWindows(shape, static_cast<const Element *>(windows), strides,    \
                     target, first);                                           \
  }                                                                            \
  template <typename Element>                                                  \
  TARGET static void NAME##Result(                                             \
      const WinogradShape &shape, const float *from, const float *bias,        \
      const std::vector<WinogradEpilogue> &epilogues, void *image,             \
      int64_t first, int64_t count) {                                          \
    const ResultTarget<Element> target{bias, epilogues,                        \
                                       static_cast<Element *>(image)};         \
    transformResult(shape, from, target, first, count);                        \
  }                                                                            \
  TARGET static int64_t NAME##CountFinite(const WinogradShape &shape,          \
                                          const float *from, int64_t count) {  \
    return countFiniteTiles(shape, from, count);                               \
  }                                                                            \
  template <typename Element>                                                  \
  static constexpr WinogradCode NAME = {                                       \
      NAME##Input<Element>, NAME##Windows<Element>, NAME##CountFinite,         \
      NAME##Result<Element>};

WEIR_WIDE_CODE(WEIR_WINOGRAD_CODE)

const WinogradCode *cpu::findWinogradCode(DType type) {
  using Code = const WinogradCode *;
  return type == DType::BF16
             ? chooseCode<Code>(&avx512<uint16_t>, nullptr, nullptr)
             : chooseCode<Code>(&avx512<float>, &avx2<float>, nullptr);
}
