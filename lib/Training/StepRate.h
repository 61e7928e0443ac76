//===- StepRate.h - The learning rate of a step ---------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_STEPRATE_H
#define WEIR_LIB_TRAINING_STEPRATE_H

#include "weir/Runtime/Session.h"
#include "weir/Support/ScalarExpr.h"
#include "weir/Training/OptionNames.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weir {

/// The rate of a step. It follows from the number of runs before the step.
class StepRate {
public:
  /// The rate of `entry`; nothing if the artifact does not state the rate, or
  /// if an input has it.
  static std::optional<StepRate> find(const Session &session,
                                      const std::string &entry);
  /// The rate of the step after `runs` runs.
  double behind(int64_t runs) const;

private:
  StepRate(double first, int64_t accumulate, ScalarExpr factor)
      : first(first), accumulate(accumulate), factor(std::move(factor)) {}

  double first;
  int64_t accumulate;
  /// The factor of the rate, as a function of the number of updates.
  ScalarExpr factor;
};

/// A warning if `rate` of `entry` is 0 for most of the `count` runs after run
/// `from`; else empty.
std::string warnOfNoRate(const StepRate &rate, const std::string &entry,
                         int64_t from, int64_t count, OptionNames names);

/// The number of runs that the variable `step` of `session` has counted; 0 if
/// there is no such variable.
int64_t countedRuns(const Session &session);

} // namespace weir

#endif // WEIR_LIB_TRAINING_STEPRATE_H
