//===- CurveDrawing.h - A curve as text, page and image ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_CURVEDRAWING_H
#define WEIR_LIB_TRAINING_REPORTS_CURVEDRAWING_H

#include "CurveSeries.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace weir {

/// `curve` in characters of Braille, at most `columns` wide, with axes. Each
/// line but the last ends with a line feed. With `hasColours`, the text has the
/// escape codes of terminals for colours.
std::string curveText(const Curve &curve, std::string_view title,
                      size_t columns, bool hasColours);

/// A page of HTML with one drawing for each curve. It needs no other file.
std::string curvePage(std::span<const Curve> curves, std::string_view title);

/// `curve` as a PNG file.
StatusOr<std::string> curveImage(const Curve &curve, std::string_view title);

/// Whether this build can make a PNG file.
bool hasImages();

/// The text of a drawing about `curve`: "loss: 2.3 at first, 0.05 at last".
std::string describeCurve(const Curve &curve);

/// "loss, of which 3 values were not finite", or the name alone.
std::string curveCaption(const Curve &curve);

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_CURVEDRAWING_H
