//===- Boxes.h - Finds boxes in the detector's map --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// For each pixel, the detector returns the probability that it belongs to text.
// It marks a core that is smaller than the text, so that lines stay apart (Liao
// et al., 2020: differentiable binarization). Here cores become boxes again.
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

/// The boxes around the text of a picture of `width` by `height` pixels with
/// the map `map`. They have integer coordinates and are in reading order.
std::vector<Quad> findBoxes(const TextMap &map, int64_t width, int64_t height);

/// The pixels of each connected patch of text; diagonal neighbours are
/// connected.
std::vector<std::vector<Point>> findPatches(const TextMap &map);

/// The mean of the map inside `box`.
double meanInside(const TextMap &map, const Quad &box);

/// The distance from the sides of a core to those of its box.
double outset(const Rectangle &core);

/// Sorts boxes from top to bottom. Boxes that begin at nearly the same height
/// are sorted from left to right.
void sortForReading(std::vector<Quad> &boxes);

} // namespace ocr

#endif // OCR_BOXES_H
