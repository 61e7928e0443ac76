//===- CurveImage.cpp - A curve as a PNG file -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CurveAxes.h"
#include "CurveDrawing.h"
#include "PixelCanvas.h"

#include "weir/Support/Printable.h"

#include <fmt/format.h>

#if WEIR_HAS_PNG
#include <png.h>
#endif

using namespace weir;

namespace {
/// The image, and the part of it between the axes, in pixels.
constexpr int imageWidth = 1200, imageHeight = 640;
constexpr double left = 130, right = 1170, top = 60, bottom = 560;
constexpr PixelColour textColour{0x22, 0x22, 0x22},
    gridColour{0xdd, 0xdd, 0xdd}, trainColour{0x00, 0x63, 0xb1},
    validationColour{0xc2, 0x57, 0x0c};

/// Draws one curve.
class ImageDrawing {
public:
  explicit ImageDrawing(const Curve &curve)
      : curve(curve), steps(stepAxis(curve, 8)), values(valueAxis(curve, 6)),
        canvas(imageWidth, imageHeight) {}

  const PixelCanvas &draw(std::string_view title) {
    addAxes();
    const auto upper = place(curve.train, &CurvePoint::most);
    const auto lower = place(curve.train, &CurvePoint::least);
    canvas.addBand(upper, lower, trainColour, 0.2);
    canvas.addLine(place(curve.train, &CurvePoint::mean), 3, trainColour);
    for (const PixelPoint &point : place(curve.validation, &CurvePoint::mean))
      canvas.addLine({&point, 1}, 11, validationColour);
    addTitle(title);
    return canvas;
  }

private:
  double column(double step) const {
    return left + steps.place(step) * (right - left);
  }
  double row(double value) const {
    return bottom - values.place(value) * (bottom - top);
  }
  std::vector<PixelPoint> place(const std::vector<CurvePoint> &points,
                                double CurvePoint::*value) const {
    std::vector<PixelPoint> places;
    for (const CurvePoint &point : points)
      places.push_back({column(point.step), row(point.*value)});
    return places;
  }

  static int widthOf(std::string_view text) {
    return static_cast<int>(text.size()) * PixelCanvas::letterWidth;
  }
  /// Text with its middle or its right end at `x`.
  void addCentred(double x, double y, std::string_view text) {
    canvas.addText(static_cast<int>(x) - widthOf(text) / 2, static_cast<int>(y),
                   text, textColour);
  }
  void addRight(double x, double y, std::string_view text) {
    canvas.addText(static_cast<int>(x) - widthOf(text), static_cast<int>(y),
                   text, textColour);
  }
  void addRule(PixelPoint from, PixelPoint to, PixelColour colour) {
    const PixelPoint points[] = {from, to};
    canvas.addLine(points, 1, colour);
  }

  void addAxes() {
    for (const AxisTick &tick : values.ticks) {
      addRule({left, row(tick.at)}, {right, row(tick.at)}, gridColour);
      addRight(left - 8, row(tick.at) - PixelCanvas::letterHeight / 2.0,
               tick.label);
    }
    addRule({left, top}, {left, bottom}, textColour);
    addRule({left, bottom}, {right, bottom}, textColour);
    for (const AxisTick &tick : steps.ticks) {
      addRule({column(tick.at), bottom}, {column(tick.at), bottom + 8},
              textColour);
      addCentred(column(tick.at), bottom + 14, tick.label);
    }
    addCentred((left + right) / 2, bottom + 44, "steps");
  }

  void addTitle(std::string_view title) {
    const std::string text =
        fmt::format("{}: {}", printable(title), curveCaption(curve));
    canvas.addText(static_cast<int>(left), 20, text, textColour);
    if (curve.validation.empty())
      return;
    const PixelPoint mark = {right - widthOf("validation") - 14, 28};
    canvas.addLine({&mark, 1}, 11, validationColour);
    addRight(right, 20, "validation");
  }

  const Curve &curve;
  CurveAxis steps;
  CurveAxis values;
  PixelCanvas canvas;
};
} // namespace

#if WEIR_HAS_PNG
bool weir::hasImages() { return true; }

static StatusOr<std::string> encode(const PixelCanvas &canvas) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = imageWidth;
  image.height = imageHeight;
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string file(size, '\0');
  if (!png_image_write_to_memory(&image, file.data(), &size, 0,
                                 canvas.rgb().data(), 0, nullptr))
    return internalError(
        fmt::format("libpng cannot make an image: {}", image.message));
  file.resize(size);
  return file;
}
#else
bool weir::hasImages() { return false; }

static StatusOr<std::string> encode(const PixelCanvas &) {
  return unimplemented("this build of Weir is without libpng");
}
#endif

StatusOr<std::string> weir::curveImage(const Curve &curve,
                                       std::string_view title) {
  return encode(ImageDrawing(curve).draw(title));
}
