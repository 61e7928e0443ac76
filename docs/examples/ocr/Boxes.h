//===- Boxes.h - From the detector's map to boxes -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The detector says for each pixel how likely it belongs to text. It marks a
// core that is smaller than the text, so that lines stay apart (Liao et al.,
// 2020: differentiable binarization); here cores become boxes again.
//
//===----------------------------------------------------------------------===//

#ifndef OCR_BOXES_H
#define OCR_BOXES_H

#include "Geometry.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ocr {

/// A probability per pixel, row by row.
struct TextMap {
  int64_t width = 0, height = 0;
  std::span<const float> values;

  float at(int64_t x, int64_t y) const { return values[y * width + x]; }
};

/// The boxes around the text of a picture of `width` by `height` pixels whose
/// map is `map`, with whole coordinates, in the order in which one reads.
std::vector<Quad> findBoxes(const TextMap &map, int64_t width, int64_t height);

/// The pixels of each connected patch of text, diagonal neighbours included.
std::vector<std::vector<Point>> findPatches(const TextMap &map);

/// The mean of the map inside `box`.
double meanInside(const TextMap &map, const Quad &box);

/// How far the sides of a box lie outside those of its core.
double outset(const Rectangle &core);

/// Sorts from top to bottom, and from left to right what begins at nearly the
/// same height.
void sortForReading(std::vector<Quad> &boxes);

} // namespace ocr

#endif // OCR_BOXES_H
