//===- FiniteChecks.h - Whether variables are finite ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_FINITECHECKS_H
#define WEIR_LIB_TRAINING_FINITECHECKS_H

#include "weir/Runtime/Session.h"
#include "weir/Support/HostTensor.h"
#include "weir/Training/OptionNames.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace weir {

/// The number of elements of `tensor` that are NaN or infinite.
int64_t countNonFinite(const HostTensor &tensor);

/// The first element of `tensor` that is NaN or infinite. The tensor must have
/// such an element.
int64_t findFirstNonFinite(const HostTensor &tensor);

/// What keeps updates from making NaN or infinity.
inline constexpr std::string_view repairNonFinite =
    "a smaller rate or clipped gradients (clip_norm) may prevent that";

/// "find the first op whose result is not finite with --check-numerics", with
/// the name of the option among `names`.
std::string suggestCheck(OptionNames names);

/// Refuses variables that became NaN or infinite in a training.
class FiniteVariables {
public:
  /// Accepts values that are not finite in `session` now. A running minimum,
  /// for instance, may start at infinity.
  static StatusOr<FiniteVariables> startingAt(const Session &session);

  /// Checks that the variable `name` may have `value`.
  Status check(std::string_view name, const HostTensor &value) const;
  /// Checks that all variables of `session` may have their values.
  Status check(const Session &session) const;

private:
  std::set<std::string, std::less<>> accepted;
};

} // namespace weir

#endif // WEIR_LIB_TRAINING_FINITECHECKS_H
