//===- CurveSeries.h - The values of a run, in little memory ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_CURVESERIES_H
#define WEIR_LIB_TRAINING_REPORTS_CURVESERIES_H

#include "weir/Training/StepReports.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weir {

/// A point of a curve. It stands for one value, or for several neighbouring
/// values.
struct CurvePoint {
  /// The middle of the steps of these values.
  double step = 0;
  double mean = 0;
  double least = 0;
  double most = 0;
};

/// A series of values. It has at most `capacity` points. If there are more
/// values, each point stands for the same number of values. To add a value
/// allocates nothing.
class CurveSeries {
public:
  static constexpr size_t capacity = 512;

  CurveSeries() { points.reserve(capacity); }
  CurveSeries(CurveSeries &&) = default;

  void add(int64_t step, double value);
  /// The points so far. The last point may stand for fewer values than other
  /// points.
  std::vector<CurvePoint> curve() const;
  /// The number of values that were NaN, infinite or nearly infinite. No point
  /// stands for them.
  int64_t numNotFinite() const { return notFinite; }

  /// `state` returns the whole series as numbers, and `setState` restores the
  /// series from `numbers`. If `numbers` are no state of a series, `setState`
  /// returns false and changes nothing.
  std::vector<double> state() const;
  bool setState(std::span<const double> numbers);

private:
  struct Bin {
    int64_t firstStep = 0;
    int64_t lastStep = 0;
    int64_t count = 0;
    double sum = 0;
    double least = 0;
    double most = 0;
    void add(const Bin &other);
  };
  void mergePairs();

  std::vector<Bin> points;
  Bin open;
  /// The number of values for which a point stands.
  int64_t binSize = 1;
  int64_t notFinite = 0;
};

/// A value of the steps, of validations, or of both.
struct Curve {
  std::string name;
  std::vector<CurvePoint> train;
  std::vector<CurvePoint> validation;
  int64_t numNotFinite = 0;
};

/// The series of all values of a run.
class RunCurves {
public:
  explicit RunCurves(const ReportedRun &run);

  void addStep(int64_t step, std::span<const double> values);
  void addValidation(int64_t step, std::span<const double> values);
  /// Add the value called `name`. A name that the run does not have is ignored.
  void addStep(int64_t step, std::string_view name, double value);
  void addValidation(int64_t step, std::string_view name, double value);

  /// Calls `function` for each series. Its arguments are whether the series is
  /// of validations, the name, and the series.
  template <typename Function> void visit(Function function) {
    for (size_t i = 0; i < names.size(); ++i)
      function(false, names[i], series[i]);
    for (size_t i = 0; i < validationNames.size(); ++i)
      function(true, validationNames[i], validationSeries[i]);
  }

  /// The curves that have points, in the order of the values of steps. Curves
  /// that only validations have come last.
  std::vector<Curve> curves() const;

private:
  std::vector<std::string> names;
  std::vector<std::string> validationNames;
  std::vector<CurveSeries> series;
  std::vector<CurveSeries> validationSeries;
};

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_CURVESERIES_H
