//===- CurveAxes.h - Ranges and ticks of a drawn curve ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_CURVEAXES_H
#define WEIR_LIB_TRAINING_REPORTS_CURVEAXES_H

#include "CurveSeries.h"

#include <string>
#include <vector>

namespace weir {

/// A position on an axis with its number as text.
struct AxisTick {
  double at = 0;
  std::string label;
};

struct CurveAxis {
  double low = 0;
  double high = 1;
  /// The ticks from low to high.
  std::vector<AxisTick> ticks;

  /// 0 at `low`, 1 at `high`. Values outside are moved to the nearest end.
  double place(double value) const;
};

/// The axes of `curve`, which has a point, with about `numTicks` ticks at most.
/// The axis of the steps begins and ends with the curve. The axis of the values
/// begins and ends with a tick.
CurveAxis stepAxis(const Curve &curve, size_t numTicks);
CurveAxis valueAxis(const Curve &curve, size_t numTicks);

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_CURVEAXES_H
