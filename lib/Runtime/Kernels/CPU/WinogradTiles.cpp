//===- WinogradTiles.cpp - Tiles computed by the definition -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "WinogradTiles.h"

#include <algorithm>

using namespace weir;
using namespace weir::cpu;

static constexpr int64_t numTaps = 9, numResults = resultTile * resultTile;

size_t cpu::tileWorkBytes(const WinogradShape &shape) {
  return static_cast<size_t>((numTaps + numResults) * shape.outputs) *
         sizeof(float);
}

namespace {
/// A corner of a window: cell `tap`. At position `place`, a transformed window
/// has the corner alone, divided by the power of two `scale`. If the quotient
/// would be 0, the number at that position has at least the sign of the corner.
struct Corner {
  int64_t tap, place;
  float scale;
};
} // namespace

static constexpr Corner corners[] = {{0, 0, 16},
                                     {2, inputTile - 1, 4},
                                     {6, tilePlaces - inputTile, 4},
                                     {8, tilePlaces - 1, 1}};

/// Writes the windows of channel `c` to `taps`: for each tap, a number for each
/// output. `type` is the type of the windows before the transform.
static void restoreWindows(const WinogradShape &shape, DType type,
                           const WindowTarget &windows, int64_t c,
                           float *taps) {
  const float *cells =
      windows.cells + windows.channelOffsets[static_cast<size_t>(c)];
  for (const Corner &corner : corners)
    for (int64_t o = 0; o < shape.outputs; ++o)
      taps[corner.tap * shape.outputs + o] =
          corner.scale * cells[corner.place * windows.placeStep +
                               windows.outputOffsets[static_cast<size_t>(o)]];
  int64_t at = c * static_cast<int64_t>(summedTaps.size()) * shape.outputs;
  for (int64_t tap : summedTaps)
    for (int64_t o = 0; o < shape.outputs; ++o)
      taps[tap * shape.outputs + o] =
          static_cast<float>(loadFloat(type, windows.taps, at++));
}

namespace {
/// The place of a tile in the result, and the number of its rows and columns
/// that are inside of the result.
struct Tile {
  int64_t image, y, x, rows, columns;
};
} // namespace

static Tile findTile(const WinogradShape &shape, int64_t tile) {
  const int64_t row = tile / shape.tilesX();
  const int64_t y = row % shape.tilesY() * resultTile,
                x = tile % shape.tilesX() * resultTile;
  return {row / shape.tilesY(), y, x,
          std::min(resultTile, shape.resultHeight - y),
          std::min(resultTile, shape.resultWidth - x)};
}

/// Adds the products of input channel `c` to `sums`, which has a number for
/// each output of each cell in the tile's result. Nothing outside of the image
/// is read.
static void addChannel(const WinogradShape &shape, TypedImage input,
                       const Tile &tile, int64_t c, const float *taps,
                       float *sums) {
  for (int64_t number = 0; number < tile.rows * tile.columns; ++number) {
    const int64_t y = tile.y + number / tile.columns - shape.padTop;
    const int64_t x = tile.x + number % tile.columns - shape.padLeft;
    for (int64_t tap = 0; tap < numTaps; ++tap) {
      const int64_t row = y + tap / 3, column = x + tap % 3;
      if (row < 0 || row >= shape.inputHeight || column < 0 ||
          column >= shape.inputWidth)
        continue;
      const int64_t at =
          ((tile.image * shape.inputHeight + row) * shape.inputWidth + column) *
              shape.channels +
          c;
      const auto cell =
          static_cast<float>(loadFloat(input.type, input.bytes, at));
      const float *factors = taps + tap * shape.outputs;
      float *to = sums + number * shape.outputs;
      for (int64_t o = 0; o < shape.outputs; ++o)
        to[o] += cell * factors[o];
    }
  }
}

/// Stores `sums` with bias and epilogues.
static void finishTile(const WinogradShape &shape, const Tile &tile,
                       const float *sums, const float *bias,
                       const std::vector<WinogradEpilogue> &epilogues,
                       TypedImage result) {
  for (int64_t number = 0; number < tile.rows * tile.columns; ++number) {
    const int64_t row =
        tile.image * shape.resultHeight + tile.y + number / tile.columns;
    const int64_t first =
        (row * shape.resultWidth + tile.x + number % tile.columns) *
        shape.outputs;
    for (int64_t o = 0; o < shape.outputs; ++o) {
      float value = sums[number * shape.outputs + o] + (bias ? bias[o] : 0);
      for (const WinogradEpilogue &epilogue : epilogues)
        if (epilogue.kind == WinogradEpilogue::Kind::Add)
          value += static_cast<float>(
              loadFloat(result.type, epilogue.image, first + o));
        else
          value = value < 0 ? 0 : value;
      storeFloat(result.type, result.bytes, first + o, value);
    }
  }
}

void cpu::convolveTile(const WinogradShape &shape, TypedImage input,
                       const WindowTarget &windows, const float *bias,
                       const std::vector<WinogradEpilogue> &epilogues,
                       TypedImage result, int64_t tile, float *work) {
  const Tile place = findTile(shape, tile);
  float *taps = work, *sums = work + numTaps * shape.outputs;
  std::fill_n(sums, numResults * shape.outputs, 0.0f);
  for (int64_t c = 0; c < shape.channels; ++c) {
    restoreWindows(shape, input.type, windows, c, taps);
    addChannel(shape, input, place, c, taps, sums);
  }
  finishTile(shape, place, sums, bias, epilogues, result);
}
