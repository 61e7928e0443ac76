//===- Patience.h - Whether a value goes on to improve --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_PATIENCE_H
#define WEIR_LIB_TRAINING_PATIENCE_H

#include "weir/Training/Trainer.h"

#include <cmath>

namespace weir {

/// Whether `value` of `metric` is better than `best`. NaN is never better.
inline bool isBetter(const BestMetric &metric, double value,
                     const std::optional<double> &best) {
  if (std::isnan(value) || !best)
    return !std::isnan(value);
  return metric.isHigher ? value > *best : value < *best;
}

/// Adds `value` to `progress`. Whether there have been `patience` values in a
/// row that were no better than the best one.
inline bool isExhausted(MetricProgress &progress, const BestMetric &metric,
                        double value, int64_t patience) {
  if (isBetter(metric, value, progress.best))
    progress = {value, 0};
  else
    ++progress.waits;
  return progress.waits >= patience;
}

} // namespace weir

#endif // WEIR_LIB_TRAINING_PATIENCE_H
