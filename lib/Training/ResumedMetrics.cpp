//===- ResumedMetrics.cpp - Values that a resumed training follows --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ResumedMetrics.h"

#include "Patience.h"
#include "TrainingOption.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>

using namespace weir;

namespace {
/// An option that follows a value of the validation.
struct Following {
  std::string_view name;
  /// The value that the option follows: "min:loss". Empty if the option is not
  /// given.
  std::string wanted;
  const MetricProgress &saved;
  /// Whether a count that begins anew is an error.
  bool isFixed;
  /// The effect on the training if the count begins anew.
  std::string_view effect;
};
} // namespace

/// Whether the count of a value goes on.
static StatusOr<bool> goesOn(const Following &following,
                             const TrainerOptions &options,
                             std::vector<std::string> &notes) {
  const auto &[name, wanted, saved, isFixed, effect] = following;
  if (!wanted.empty() && saved.by.empty()) {
    notes.push_back(fmt::format(
        "it does not say which value {} followed, because an earlier version "
        "of Weir has written it; what it has counted is taken as that of '{}'",
        name, printable(wanted)));
    return true;
  }
  if (!wanted.empty() && wanted == saved.by)
    return true;
  const std::string what =
      wanted.empty() ? fmt::format("{} was given, and is not", name)
                     : fmt::format("{} followed '{}', and follows '{}'", name,
                                   printable(saved.by), printable(wanted));
  if (isFixed && !options.mayOverride) {
    const std::string_view force =
        nameOf(TrainingOption::Override, options.names);
    return invalidArgument(fmt::format(
        "{}; give it as before{}", what,
        force.empty()
            ? ""
            : fmt::format(", or go on with {}: then {}", force, effect)));
  }
  notes.push_back(fmt::format("{}: {}", what, effect));
  return false;
}

static bool hasCounted(const MetricProgress &progress) {
  return progress.best || progress.waits > 0;
}

Status weir::resumeMetrics(const TrainerOptions &options,
                           TrainingPosition &position,
                           std::vector<std::string> &notes) {
  if (hasCounted(position.early)) {
    const bool stops = options.earlyStop.has_value();
    WEIR_ASSIGN_OR_RETURN(
        const bool isSame,
        goesOn({nameOf(TrainingOption::StopEarly, options.names),
                earlyBy(options), position.early, stops,
                stops ? "validations are counted anew"
                      : "training does not end early"},
               options, notes));
    if (!isSame)
      position.early = {};
  }
  const bool isLowered = position.plateauFactor != 1;
  if (!isLowered && !hasCounted(position.plateau))
    return Status::ok();
  const std::string_view input = nameOf(TrainingOption::Input, options.names);
  const std::string effect =
      isLowered         ? fmt::format("the rate is that of {} again", input)
      : options.plateau ? "validations are counted anew"
                        : "the rate does not get smaller";
  WEIR_ASSIGN_OR_RETURN(const bool isSame,
                        goesOn({nameOf(TrainingOption::Plateau, options.names),
                                plateauBy(options), position.plateau,
                                isLowered || options.plateau, effect},
                               options, notes));
  if (isSame)
    return Status::ok();
  position.plateau = {};
  position.plateauFactor = 1;
  return Status::ok();
}
