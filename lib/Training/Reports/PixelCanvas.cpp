//===- PixelCanvas.cpp - Lines, areas and text in pixels --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PixelCanvas.h"

#include "PixelFont.h"

#include <algorithm>
#include <cmath>

using namespace weir;

void PixelCanvas::blend(int x, int y, PixelColour colour, double opacity) {
  if (x < 0 || y < 0 || x >= width || y >= height)
    return;
  uint8_t *pixel = pixels.data() + (static_cast<size_t>(y) * width + x) * 3;
  const uint8_t wanted[] = {colour.red, colour.green, colour.blue};
  for (int i = 0; i < 3; ++i)
    pixel[i] = static_cast<uint8_t>(
        std::lround(pixel[i] + (wanted[i] - pixel[i]) * opacity));
}

/// The distance of `point` from the line between `a` and `b`.
static double distance(PixelPoint point, PixelPoint a, PixelPoint b) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double along =
      square > 0 ? ((point.x - a.x) * dx + (point.y - a.y) * dy) / square : 0;
  const double at = std::clamp(along, 0.0, 1.0);
  return std::hypot(point.x - a.x - at * dx, point.y - a.y - at * dy);
}

void PixelCanvas::addLine(std::span<const PixelPoint> points, double breadth,
                          PixelColour colour) {
  // Where parts of the line meet, the pixels count once.
  std::vector<float> cover(static_cast<size_t>(width) * height);
  const double reach = breadth / 2 + 0.5;
  const auto limit = [](double value, int end) {
    return std::clamp(static_cast<int>(value), 0, end - 1);
  };
  for (size_t i = 0; i < points.size(); ++i) {
    const PixelPoint a = points[i ? i - 1 : 0], b = points[i];
    const int endX = limit(std::max(a.x, b.x) + reach, width);
    const int endY = limit(std::max(a.y, b.y) + reach, height);
    for (int y = limit(std::min(a.y, b.y) - reach, height); y <= endY; ++y)
      for (int x = limit(std::min(a.x, b.x) - reach, width); x <= endX; ++x) {
        float &covered = cover[static_cast<size_t>(y) * width + x];
        const double away = distance({x + 0.5, y + 0.5}, a, b);
        covered = std::max(
            covered, static_cast<float>(std::clamp(reach - away, 0.0, 1.0)));
      }
  }
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      if (const float covered = cover[static_cast<size_t>(y) * width + x])
        blend(x, y, colour, covered);
}

void PixelCanvas::addBand(std::span<const PixelPoint> upper,
                          std::span<const PixelPoint> lower, PixelColour colour,
                          double opacity) {
  for (size_t i = 1; i < upper.size(); ++i) {
    const double from = upper[i - 1].x, length = upper[i].x - from;
    for (int x = static_cast<int>(std::ceil(from)); x < upper[i].x; ++x) {
      const double at = (x - from) / length;
      const double top = std::lerp(upper[i - 1].y, upper[i].y, at);
      const double bottom = std::lerp(lower[i - 1].y, lower[i].y, at);
      for (int y = static_cast<int>(top); y < bottom; ++y)
        blend(x, y, colour, opacity);
    }
  }
}

void PixelCanvas::addText(int x, int y, std::string_view text,
                          PixelColour colour) {
  constexpr int scale = 2;
  for (char character : text) {
    // A character of several bytes is drawn at its first byte.
    const auto byte = static_cast<uint8_t>(character);
    if ((byte & 0xc0) == 0x80)
      continue;
    const bool isKnown = byte >= ' ' && byte <= '~';
    const PixelLetter &letter = pixelFont[(isKnown ? byte : '?') - ' '];
    for (int i = 0; i < 5 * scale; ++i)
      for (int j = 0; j < 8 * scale; ++j)
        if (letter.columns[i / scale] >> (j / scale) & 1)
          blend(x + i, y + j, colour, 1);
    x += letterWidth;
  }
}
