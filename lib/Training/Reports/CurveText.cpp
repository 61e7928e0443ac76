//===- CurveText.cpp - A curve in characters of Braille ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CurveAxes.h"
#include "CurveDrawing.h"
#include "ProgressMeter.h"

#include "weir/Support/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace weir;

namespace {
constexpr std::string_view trainEscape = "\x1b[34m";
constexpr std::string_view validationEscape = "\x1b[33m";
constexpr std::string_view noColour = "\x1b[0m";
constexpr std::string_view mark = "●";

/// A grid of cells of two by four dots. Dots are counted from the top left.
class DotCanvas {
public:
  DotCanvas(size_t width, size_t height)
      : width(width), height(height), dots(width * height),
        marks(width * height) {}

  int dotColumns() const { return static_cast<int>(width) * 2; }
  int dotRows() const { return static_cast<int>(height) * 4; }

  void addLine(int x, int y, int toX, int toY) {
    const int steps = std::max({std::abs(toX - x), std::abs(toY - y), 1});
    for (int i = 0; i <= steps; ++i)
      addDot(x + divide((toX - x) * i, steps),
             y + divide((toY - y) * i, steps));
  }
  void addMark(int x, int y) { marks[cellAt(x, y)] = true; }

  std::string row(size_t index, bool hasColours) const {
    std::string text;
    std::string_view colour;
    for (size_t i = index * width; i < (index + 1) * width; ++i) {
      const std::string_view wanted = marks[i]  ? validationEscape
                                      : dots[i] ? trainEscape
                                                : colour;
      if (hasColours && wanted != colour)
        text += colour = wanted;
      text += marks[i] ? std::string(mark) : cellText(dots[i]);
    }
    while (text.ends_with(' '))
      text.pop_back();
    return colour.empty() ? text : text.append(noColour);
  }

private:
  static int divide(int a, int b) {
    return static_cast<int>(std::lround(static_cast<double>(a) / b));
  }
  size_t cellAt(int x, int y) const {
    return static_cast<size_t>(y / 4) * width + static_cast<size_t>(x / 2);
  }
  void addDot(int x, int y) {
    // The bits of U+2800 and the characters after it.
    constexpr uint8_t bits[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    dots[cellAt(x, y)] |= bits[y % 4][x % 2];
  }
  static std::string cellText(uint8_t bits) {
    if (bits == 0)
      return " ";
    return {'\xe2', static_cast<char>(0xa0 | bits >> 6),
            static_cast<char>(0x80 | (bits & 0x3f))};
  }

  size_t width;
  size_t height;
  std::vector<uint8_t> dots;
  std::vector<bool> marks;
};

void drawCurve(DotCanvas &canvas, const Curve &curve, const CurveAxis &steps,
               const CurveAxis &values) {
  const auto column = [&](const CurvePoint &point) {
    return static_cast<int>(
        std::lround(steps.place(point.step) * (canvas.dotColumns() - 1)));
  };
  const auto row = [&](const CurvePoint &point) {
    return static_cast<int>(
        std::lround((1 - values.place(point.mean)) * (canvas.dotRows() - 1)));
  };
  for (size_t i = 0; i < curve.train.size(); ++i) {
    const CurvePoint &to = curve.train[i], &from = curve.train[i ? i - 1 : 0];
    canvas.addLine(column(from), row(from), column(to), row(to));
  }
  for (const CurvePoint &point : curve.validation)
    canvas.addMark(column(point), row(point));
}

/// The label of the value axis in front of row `index`, or spaces.
std::string rowLabel(const CurveAxis &axis, size_t index, size_t rows,
                     size_t width) {
  for (const AxisTick &tick : axis.ticks)
    if (std::lround((1 - axis.place(tick.at)) *
                    static_cast<double>(rows - 1)) == static_cast<long>(index))
      return fmt::format("{:>{}} ┤", tick.label, width);
  return fmt::format("{:>{}} │", "", width);
}

/// The axis of the steps and the line of its labels.
std::string stepAxisText(const CurveAxis &axis, size_t margin, size_t columns) {
  std::vector<bool> hasTick(columns);
  std::string labels;
  const size_t room = columns - std::min<size_t>(columns, 6);
  for (const AxisTick &tick : axis.ticks) {
    const auto at = static_cast<size_t>(
        std::lround(axis.place(tick.at) * static_cast<double>(columns - 1)));
    const size_t half = tick.label.size() / 2;
    const size_t begin = at > half ? at - half : 0;
    if (begin < labels.size() + (labels.empty() ? 0 : 2) ||
        begin + tick.label.size() > room)
      continue;
    labels.resize(begin, ' ');
    labels += tick.label;
    hasTick[at] = true;
  }
  labels.resize(columns - std::min<size_t>(columns, 5), ' ');
  std::string line(margin, ' ');
  line += "└";
  for (bool tick : hasTick)
    line += tick ? "┬" : "─";
  return fmt::format("{}\n{:{}}{}steps", line, "", margin + 1, labels);
}
} // namespace

std::string weir::describeCurve(const Curve &curve) {
  std::string text = printable(curve.name) + ":";
  const auto add = [&](std::string_view what,
                       const std::vector<CurvePoint> &points) {
    if (!points.empty())
      text += fmt::format("{} {:.4g} at first, {:.4g} at last", what,
                          points.front().mean, points.back().mean);
  };
  add("", curve.train);
  add(curve.train.empty() ? " validation" : "; validation", curve.validation);
  return text;
}

std::string weir::curveCaption(const Curve &curve) {
  const std::string name = printable(curve.name);
  if (curve.numNotFinite == 0)
    return name;
  return fmt::format("{} ({} not finite, left out)", name, curve.numNotFinite);
}

std::string weir::curveText(const Curve &curve, std::string_view title,
                            size_t columns, bool hasColours) {
  constexpr size_t rows = 14, leastColumns = 20;
  const CurveAxis values = valueAxis(curve, 6);
  size_t margin = 0;
  for (const AxisTick &tick : values.ticks)
    margin = std::max(margin, tick.label.size());
  const size_t width =
      std::max(columns, margin + 2 + leastColumns) - margin - 2;
  const CurveAxis steps = stepAxis(curve, std::max<size_t>(width / 12, 2));
  DotCanvas canvas(width, rows);
  drawCurve(canvas, curve, steps, values);

  std::string text =
      fmt::format("{}: {}", printable(title), curveCaption(curve));
  if (!curve.validation.empty())
    text += fmt::format("  ({} validation)", mark);
  for (size_t i = 0; i < rows; ++i)
    text += fmt::format("\n{}{}", rowLabel(values, i, rows, margin),
                        canvas.row(i, hasColours));
  return fmt::format("{}\n{}", text, stepAxisText(steps, margin + 1, width));
}
