//===- CurveTest.cpp - Series, axes and drawings of curves ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Training/Reports/CurveAxes.h"
#include "Training/Reports/CurveDrawing.h"
#include "Training/Reports/ProgressMeter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

using namespace weir;

namespace {
std::vector<std::string> labels(const CurveAxis &axis) {
  std::vector<std::string> list;
  for (const AxisTick &tick : axis.ticks)
    list.push_back(tick.label);
  return list;
}

/// A curve through `values` at the steps 1, 2, ...
Curve curveOf(const std::vector<double> &values) {
  CurveSeries series;
  for (size_t i = 0; i < values.size(); ++i)
    series.add(static_cast<int64_t>(i) + 1, values[i]);
  return {"loss", series.curve(), {}, series.numNotFinite()};
}

using Labels = std::vector<std::string>;
} // namespace

// A short series is kept as it is.
TEST(Curve, keepsFewValues) {
  const Curve curve = curveOf({3, 1, 2});
  ASSERT_EQ(curve.train.size(), 3u);
  EXPECT_EQ(curve.train[1].step, 2);
  EXPECT_EQ(curve.train[1].mean, 1);
}

// A series goes on from its numbers as if it had not been interrupted. Other
// numbers are none.
TEST(Curve, goesOn) {
  for (int count : {0, 1, 600, 5'000}) {
    CurveSeries whole, before, after;
    for (int i = 1; i <= count + 300; ++i) {
      whole.add(i, 1.0 / i);
      (i <= count ? before : after).add(i, 1.0 / i);
      if (i == count) {
        ASSERT_TRUE(after.setState(before.state()));
      }
    }
    EXPECT_EQ(after.state(), whole.state()) << count;
  }
  CurveSeries series;
  series.add(1, 2);
  const std::vector<double> state = series.state();
  for (const std::vector<double> &wrong :
       {std::vector<double>{},
        {1, 0},
        std::vector<double>(9),
        std::vector<double>(2 + 6 * 600, 1.0),
        std::vector<double>(8, std::nan(""))})
    EXPECT_FALSE(series.setState(wrong));
  EXPECT_EQ(series.state(), state);
}

// However long a series is, it takes the same memory; every value counts once,
// also the last ones.
TEST(Curve, mergesManyValues) {
  for (int count : {511, 512, 513, 1024, 1025, 99'999}) {
    CurveSeries series;
    double sum = 0;
    for (int i = 1; i <= count; ++i) {
      series.add(i, i);
      sum += i;
    }
    const std::vector<CurvePoint> points = series.curve();
    EXPECT_LE(points.size(), CurveSeries::capacity + 1) << count;
    EXPECT_GE(points.size(), std::min<size_t>(count, 256)) << count;
    double weighted = 0;
    for (const CurvePoint &point : points) {
      EXPECT_EQ(point.mean, point.step);
      weighted += point.mean * (point.most - point.least + 1);
      // All but the last point stand for equally many values.
      if (&point != &points.back()) {
        EXPECT_EQ(point.most - point.least,
                  points.front().most - points.front().least);
      }
    }
    EXPECT_EQ(weighted, sum) << count;
    EXPECT_EQ(points.front().least, 1);
    EXPECT_EQ(points.back().most, count);
  }
}

// Values that are not finite are counted and have no point.
TEST(Curve, leavesOutNaN) {
  const Curve curve = curveOf({1, std::nan(""), HUGE_VAL, 2});
  EXPECT_EQ(curve.train.size(), 2u);
  EXPECT_EQ(curveCaption(curve), "loss (2 not finite, left out)");
}

// Validations belong to the value of the same name; the others stand alone, and
// values without points are not drawn.
TEST(Curve, joinsValidations) {
  ReportedRun run;
  run.values = {{"loss"}, {"rate"}, {"unused"}};
  run.validationValues = {"accuracy", "loss"};
  RunCurves all(run);
  const double nan = std::nan("");
  const double step[] = {1, 0.1, nan}, validation[] = {0.9, 0.5};
  all.addStep(1, step);
  all.addValidation(1, validation);
  const std::vector<Curve> curves = all.curves();
  ASSERT_EQ(curves.size(), 3u);
  EXPECT_EQ(curves[0].name, "loss");
  EXPECT_EQ(curves[0].validation.at(0).mean, 0.5);
  EXPECT_EQ(curves[1].name, "rate");
  EXPECT_EQ(curves[2].name, "accuracy");
  EXPECT_TRUE(curves[2].train.empty());
  EXPECT_EQ(describeCurve(curves[2]),
            "accuracy: validation 0.9 at first, 0.9 at last");
}

// Ticks are round numbers, with as many decimals as they need, and lie around
// all values.
TEST(Curve, valueTicks) {
  EXPECT_EQ(labels(valueAxis(curveOf({0.1, 2.3}), 6)),
            (Labels{"0.0", "0.5", "1.0", "1.5", "2.0", "2.5"}));
  EXPECT_EQ(labels(valueAxis(curveOf({-1, 1}), 4)),
            (Labels{"-1.0", "-0.5", "0.0", "0.5", "1.0"}));
  EXPECT_EQ(labels(valueAxis(curveOf({100, 900}), 4)),
            (Labels{"0", "200", "400", "600", "800", "1000"}));
  EXPECT_EQ(labels(valueAxis(curveOf({1e-7, 3e-7}), 3)),
            (Labels{"1e-07", "2e-07", "3e-07"}));
  EXPECT_EQ(labels(valueAxis(curveOf({0.0301, 0.0302}), 2)),
            (Labels{"0.03010", "0.03015", "0.03020"}));
}

// Steps are whole numbers.
TEST(Curve, stepTicks) {
  EXPECT_EQ(labels(stepAxis(curveOf({1, 2, 3}), 8)), (Labels{"1", "2", "3"}));
  EXPECT_EQ(labels(stepAxis(curveOf(std::vector<double>(500, 1)), 5)),
            (Labels{"100", "200", "300", "400", "500"}));
}

// Any finite values have an axis that can be drawn.
TEST(Curve, oddRanges) {
  using limits = std::numeric_limits<double>;
  for (double first : {0.0, 1.0, -1e-300, 1e279, limits::denorm_min(),
                       limits::max(), limits::lowest(), 1e16, 0.1})
    for (double second : {first, -first, 0.0, first * (1 + 1e-12)}) {
      const Curve curve = curveOf({0, first, second});
      const CurveAxis axis = valueAxis(curve, 6);
      EXPECT_LT(axis.low, axis.high) << first << " " << second;
      EXPECT_GE(axis.ticks.size(), 2u) << first << " " << second;
      EXPECT_LE(axis.ticks.size(), 9u) << first << " " << second;
      EXPECT_FALSE(curveText(curve, "t", 60, false).empty());
      EXPECT_NE(curvePage({&curve, 1}, "t").find("</html>"), std::string::npos);
    }
}

// The plot of a straight line is a diagonal between axes with numbers.
TEST(Curve, text) {
  Curve curve = curveOf({4, 3, 2, 1, 0});
  curve.validation = {{3, 4, 4, 4}};
  EXPECT_EQ(curveText(curve, "Net", 32, false), R"(Net: loss  (● validation)
4 ┤⠑⢄            ●
  │  ⠑⢄
  │    ⠑⢄
3 ┤      ⠑⢄
  │        ⠑⢄
  │          ⠑⠢⡀
  │            ⠈⠢⡀
2 ┤              ⠈⠢⡀
  │                ⠈⠢⣀
  │                   ⠑⢄
1 ┤                     ⠑⢄
  │                       ⠑⢄
  │                         ⠑⢄
0 ┤                           ⠑⢄
  └───────┬─────────────┬───────
          2             4  steps)");
}

// No line of the plot is wider than the terminal, and the text is the same
// with colours but for these.
TEST(Curve, textFits) {
  std::vector<double> values;
  for (int i = 0; i < 2000; ++i)
    values.push_back(std::exp(-i / 300.0) + 0.1 * std::sin(i));
  for (size_t columns : {30, 72, 100, 200}) {
    const std::string text = curveText(curveOf(values), "Net", columns, false);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      size_t width = 0;
      for (char byte : line)
        width += (byte & 0xc0) != 0x80;
      EXPECT_LE(width, columns) << line;
    }
    std::string coloured = curveText(curveOf(values), "Net", columns, true);
    EXPECT_NE(coloured, text);
    for (const std::string code : {"\x1b[34m", "\x1b[33m", "\x1b[0m"})
      for (size_t at; (at = coloured.find(code)) != std::string::npos;)
        coloured.erase(at, code.size());
    EXPECT_EQ(coloured, text);
  }
}

// A title and names of any bytes cannot become part of the page.
TEST(Curve, pageEscapesNames) {
  Curve curve = curveOf({1, 2});
  curve.name = "<script>alert(1)</script>";
  const std::string page = curvePage({&curve, 1}, "a & \"b\"</title>");
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_NE(page.find("<title>a &amp; \"b\"&lt;/title&gt;</title>"),
            std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);
}
