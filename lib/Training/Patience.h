//===- Patience.h - Whether a value goes on to improve --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_PATIENCE_H
#define WEIR_LIB_TRAINING_PATIENCE_H

#include "weir/Training/Trainer.h"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

/// "min:loss", as flags have it.
inline std::string textOf(const BestMetric &metric) {
  return (metric.isHigher ? "max:" : "min:") + metric.name;
}

/// Parses a text such as "min:loss"; nothing if `text` has another form.
inline std::optional<BestMetric> parseMetric(std::string_view text) {
  const bool isHigher = text.starts_with("max:");
  constexpr size_t prefix = 4;
  if ((!isHigher && !text.starts_with("min:")) || text.size() == prefix)
    return std::nullopt;
  return BestMetric{std::string(text.substr(prefix)), isHigher};
}

/// The metrics that choose the best checkpoint, end training early and lower
/// the rate, as text: "min:loss", "min:loss" and "rate:min:loss". Empty if the
/// option is not given.
inline std::string bestBy(const TrainerOptions &options) {
  return options.best ? textOf(*options.best) : "";
}
inline std::string earlyBy(const TrainerOptions &options) {
  return options.earlyStop ? textOf(options.earlyStop->metric) : "";
}
inline std::string plateauBy(const TrainerOptions &options) {
  const auto &plateau = options.plateau;
  return plateau ? plateau->input + ":" + textOf(plateau->metric) : "";
}

/// Whether `value` of `metric` is better than `best`. NaN is never better.
inline bool isBetter(const BestMetric &metric, double value,
                     const std::optional<double> &best) {
  if (std::isnan(value) || !best)
    return !std::isnan(value);
  return metric.isHigher ? value > *best : value < *best;
}

/// Adds `value` to `progress`. Returns whether the last `patience` values or
/// more were no better than the best value.
inline bool isExhausted(MetricProgress &progress, const BestMetric &metric,
                        double value, int64_t patience) {
  const bool improves = isBetter(metric, value, progress.best);
  progress.waits = improves ? 0 : progress.waits + 1;
  if (improves)
    progress.best = value;
  return progress.waits >= patience;
}

} // namespace weir

#endif // WEIR_LIB_TRAINING_PATIENCE_H
