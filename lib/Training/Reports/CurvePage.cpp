//===- CurvePage.cpp - A page with the curves of a run ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The drawings are SVG inside of the page. A script shows the values under the
// pointer. Without the script, the page lacks only these values.
//
//===----------------------------------------------------------------------===//

#include "CurveAxes.h"
#include "CurveDrawing.h"
#include "PageText.h"

#include "weir/Support/Printable.h"

#include <fmt/format.h>

#include <iterator>

using namespace weir;

namespace {
/// The drawing's size and the part of it between the axes.
constexpr double pageWidth = 800, pageHeight = 340;
constexpr double plotLeft = 70, plotRight = 784, plotTop = 12, plotBottom = 296;

std::string escape(std::string_view text) {
  std::string escaped;
  for (char character : printable(text))
    switch (character) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    default:
      escaped += character;
    }
  return escaped;
}

/// Draws one curve into the text of a page.
class PageDrawing {
public:
  PageDrawing(std::string &out, const Curve &curve)
      : out(out), curve(curve), steps(stepAxis(curve, 8)),
        values(valueAxis(curve, 6)) {}

  void addTo(size_t index) {
    add("<figure>\n<figcaption id=\"caption-{0}\">{1}</figcaption>\n"
        "<svg viewBox=\"0 0 {2} {3}\" role=\"img\" "
        "aria-labelledby=\"caption-{0} text-{0}\">\n",
        index, escape(curveCaption(curve)), pageWidth, pageHeight);
    addValueTicks();
    addStepTicks();
    addBand();
    addLine();
    for (const CurvePoint &point : curve.validation)
      add("<circle class=\"validation\" cx=\"{:.1f}\" cy=\"{:.1f}\" "
          "r=\"4\"/>\n",
          column(point.step), row(point.mean));
    add("<g class=\"pointer\" hidden></g>\n</svg>\n"
        "<p id=\"text-{}\">{}</p>\n",
        index, escape(describeCurve(curve)));
    addKey();
    out += "</figure>\n";
  }

  /// The numbers of the curve for the script.
  void addData() {
    add("{{\"steps\":[{},{}],\"values\":[{},{}],\"train\":[", steps.low,
        steps.high, values.low, values.high);
    addPoints(curve.train);
    out += "],\"validation\":[";
    addPoints(curve.validation);
    out += "]}";
  }

private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(out), format,
                   std::forward<Args>(args)...);
  }
  double column(double step) const {
    return plotLeft + steps.place(step) * (plotRight - plotLeft);
  }
  double row(double value) const {
    return plotBottom - values.place(value) * (plotBottom - plotTop);
  }

  void addPoints(const std::vector<CurvePoint> &points) {
    std::string_view separator;
    for (const CurvePoint &point : points) {
      add("{}[{},{:.6g},{:.6g},{:.6g}]", separator, point.step, point.mean,
          point.least, point.most);
      separator = ",";
    }
  }

  void addValueTicks() {
    for (const AxisTick &tick : values.ticks)
      add("<path class=\"grid\" d=\"M{0} {1:.1f}H{2}\"/>"
          "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
          plotLeft, row(tick.at), plotRight, plotLeft - 8, row(tick.at) + 4,
          tick.label);
  }

  void addStepTicks() {
    add("<path class=\"axis\" d=\"M{} {}V{}H{}\"/>\n", plotLeft, plotTop,
        plotBottom, plotRight);
    for (const AxisTick &tick : steps.ticks)
      add("<path class=\"axis\" d=\"M{0:.1f} {1}v5\"/>"
          "<text x=\"{0:.1f}\" y=\"{2}\" text-anchor=\"middle\">{3}</text>\n",
          column(tick.at), plotBottom, plotBottom + 20, tick.label);
    add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">steps</text>\n",
        (plotLeft + plotRight) / 2, pageHeight - 6);
  }

  /// The area between the least and the largest values, for points that stand
  /// for several values.
  void addBand() {
    if (curve.train.size() < 2)
      return;
    out += "<path class=\"band\" d=\"";
    char command = 'M';
    for (const CurvePoint &point : curve.train) {
      add("{}{:.1f} {:.1f}", command, column(point.step), row(point.most));
      command = 'L';
    }
    for (auto point = curve.train.rbegin(); point != curve.train.rend();
         ++point)
      add("L{:.1f} {:.1f}", column(point->step), row(point->least));
    out += "Z\"/>\n";
  }

  void addLine() {
    if (curve.train.empty())
      return;
    const CurvePoint &first = curve.train.front();
    // Round caps show also a single point.
    add("<path class=\"train\" d=\"M{:.1f} {:.1f}h0", column(first.step),
        row(first.mean));
    for (const CurvePoint &point : curve.train)
      add("L{:.1f} {:.1f}", column(point.step), row(point.mean));
    out += "\"/>\n";
  }

  void addKey() {
    out += "<p class=\"key\">";
    if (!curve.train.empty())
      out += "<span class=\"train\">training</span> ";
    if (!curve.validation.empty())
      out += "<span class=\"validation\">validation</span>";
    out += "</p>\n";
  }

  std::string &out;
  const Curve &curve;
  CurveAxis steps;
  CurveAxis values;
};
} // namespace

std::string weir::curvePage(std::span<const Curve> curves,
                            std::string_view title) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      escape(title), pageStyle);
  std::string data;
  for (size_t i = 0; i < curves.size(); ++i) {
    PageDrawing(page, curves[i]).addTo(i);
    data += i ? ",\n" : "";
    PageDrawing(data, curves[i]).addData();
  }
  if (curves.empty())
    page += "<p>No step has ended, so there is nothing to draw.</p>\n";
  return page + fmt::format(
                    "<script>\nconst curves = [\n{}\n];\n"
                    "const box = {{left: {}, right: {}, top: {}, bottom: {}}};"
                    "{}</script>\n</body>\n</html>\n",
                    data, plotLeft, plotRight, plotTop, plotBottom, pageScript);
}
