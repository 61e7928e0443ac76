//===- Boxes.cpp - Finds boxes in the detector's map ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The constants are those of rapidocr-onnxruntime's config.yaml.
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"

#include <algorithm>
#include <cmath>

using namespace ocr;

/// A pixel above this probability is text, and a patch with at least this mean
/// becomes a box.
static constexpr float pixelThreshold = 0.3f;
static constexpr double boxThreshold = 0.5;
/// The least shorter side of a core and of a box, in pixels of the map, and the
/// least shorter side of a box in pixels of the picture.
static constexpr double minCoreSide = 3, minBoxSide = 5;
static constexpr int minPictureSide = 4;
/// In training, boxes were shrunk by area times this over perimeter.
static constexpr double outsetRatio = 1.6;
/// Boxes are in one line if their first corners differ by less than this in
/// height.
static constexpr double lineTolerance = 10;

//===----------------------------------------------------------------------===//
// Patches
//===----------------------------------------------------------------------===//

/// A mask of the pixels that are text, or have a text pixel to the left, above,
/// or diagonally between these. So nearby patches grow together.
static std::vector<uint8_t> markText(const TextMap &map) {
  std::vector<uint8_t> marks(map.values.size());
  for (int64_t y = 0; y < map.height; ++y)
    for (int64_t x = 0; x < map.width; ++x)
      if (map.at(x, y) > pixelThreshold)
        for (int64_t j = y; j < std::min(y + 2, map.height); ++j)
          for (int64_t i = x; i < std::min(x + 2, map.width); ++i)
            marks[j * map.width + i] = 1;
  return marks;
}

/// Removes the patch around `seed` from the mask and returns its pixels.
static std::vector<Point> takePatch(std::vector<uint8_t> &marks, int64_t seed,
                                    const TextMap &map) {
  std::vector<Point> patch;
  std::vector<int64_t> open{seed};
  marks[seed] = 0;
  while (!open.empty()) {
    int64_t x = open.back() % map.width, y = open.back() / map.width;
    open.pop_back();
    patch.push_back({static_cast<double>(x), static_cast<double>(y)});
    for (int64_t j = std::max<int64_t>(y - 1, 0);
         j <= std::min(y + 1, map.height - 1); ++j)
      for (int64_t i = std::max<int64_t>(x - 1, 0);
           i <= std::min(x + 1, map.width - 1); ++i)
        if (uint8_t &mark = marks[j * map.width + i]) {
          mark = 0;
          open.push_back(j * map.width + i);
        }
  }
  return patch;
}

std::vector<std::vector<Point>> ocr::findPatches(const TextMap &map) {
  std::vector<std::vector<Point>> patches;
  std::vector<uint8_t> marks = markText(map);
  for (size_t i = 0; i < marks.size(); ++i)
    if (marks[i])
      patches.push_back(takePatch(marks, static_cast<int64_t>(i), map));
  return patches;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

double ocr::meanInside(const TextMap &map, const Quad &box) {
  auto [left, right] = std::ranges::minmax(box, {}, &Point::x);
  auto [top, bottom] = std::ranges::minmax(box, {}, &Point::y);
  auto last = [](double value, int64_t size) {
    return std::min(static_cast<int64_t>(std::ceil(value)), size - 1);
  };
  double sum = 0;
  int64_t count = 0;
  for (int64_t y = std::max<int64_t>(0, std::floor(top.y));
       y <= last(bottom.y, map.height); ++y)
    for (int64_t x = std::max<int64_t>(0, std::floor(left.x));
         x <= last(right.x, map.width); ++x)
      if (contains(box, {static_cast<double>(x), static_cast<double>(y)})) {
        sum += map.at(x, y);
        ++count;
      }
  return count ? sum / static_cast<double>(count) : 0;
}

double ocr::outset(const Rectangle &core) {
  double perimeter = 2 * (core.width + core.height);
  return perimeter > 0 ? core.width * core.height * outsetRatio / perimeter : 0;
}

/// Converts `box` from the map to the picture, and keeps it inside of the
/// picture.
static Quad inPicture(const Quad &box, const TextMap &map, int64_t width,
                      int64_t height) {
  auto scale = [](double value, int64_t from, int64_t to) {
    double scaled = std::nearbyint(value / from * to);
    return std::clamp(scaled, 0.0, static_cast<double>(to - 1));
  };
  Quad result;
  for (size_t i = 0; i < 4; ++i)
    result[i] = {scale(box[i].x, map.width, width),
                 scale(box[i].y, map.height, height)};
  return inReadingOrder(result);
}

std::vector<Quad> ocr::findBoxes(const TextMap &map, int64_t width,
                                 int64_t height) {
  std::vector<Quad> boxes;
  for (std::vector<Point> &patch : findPatches(map)) {
    Rectangle core = minAreaRectangle(convexHull(std::move(patch)));
    if (std::min(core.width, core.height) < minCoreSide ||
        meanInside(map, core.corners()) < boxThreshold)
      continue;
    Rectangle whole = core.grown(outset(core));
    if (std::min(whole.width, whole.height) < minBoxSide)
      continue;
    Quad box = inPicture(whole.corners(), map, width, height);
    if (distance(box[0], box[1]) >= minPictureSide &&
        distance(box[0], box[3]) >= minPictureSide)
      boxes.push_back(box);
  }
  sortForReading(boxes);
  return boxes;
}

void ocr::sortForReading(std::vector<Quad> &boxes) {
  std::ranges::stable_sort(boxes, [](const Quad &a, const Quad &b) {
    return a[0].y < b[0].y || (a[0].y == b[0].y && a[0].x < b[0].x);
  });
  // Boxes of one line may begin at slightly different heights.
  for (size_t i = 1; i < boxes.size(); ++i)
    for (size_t j = i; j > 0; --j) {
      const Point &here = boxes[j][0], &before = boxes[j - 1][0];
      if (std::abs(here.y - before.y) >= lineTolerance || here.x >= before.x)
        break;
      std::swap(boxes[j], boxes[j - 1]);
    }
}
