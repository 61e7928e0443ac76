//===- PixelCanvas.h - Lines, areas and text in pixels ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_PIXELCANVAS_H
#define WEIR_LIB_TRAINING_REPORTS_PIXELCANVAS_H

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace weir {

struct PixelColour {
  uint8_t red, green, blue;
};

/// A place in pixels from the top left corner.
struct PixelPoint {
  double x, y;
};

/// A white image. Parts of drawings outside of the image are left out.
class PixelCanvas {
public:
  /// The size of a letter of text, in pixels. All letters have this width.
  static constexpr int letterWidth = 12;
  static constexpr int letterHeight = 16;

  PixelCanvas(int width, int height)
      : width(width), height(height),
        pixels(static_cast<size_t>(width) * static_cast<size_t>(height) * 3,
               0xff) {}

  /// A line through `points` with round ends. `breadth` is in pixels.
  void addLine(std::span<const PixelPoint> points, double breadth,
               PixelColour colour);
  /// The area between two lines through points that lie above each other.
  void addBand(std::span<const PixelPoint> upper,
               std::span<const PixelPoint> lower, PixelColour colour,
               double opacity);
  /// Text whose top left corner is at (x, y). A character that is not ASCII is
  /// drawn as '?'.
  void addText(int x, int y, std::string_view text, PixelColour colour);

  /// The rows from top to bottom, three bytes for each pixel.
  const std::vector<uint8_t> &rgb() const { return pixels; }

private:
  void blend(int x, int y, PixelColour colour, double opacity);

  int width;
  int height;
  std::vector<uint8_t> pixels;
};

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_PIXELCANVAS_H
