//===- EntryChecks.h - Whether entries can train and validate -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_ENTRYCHECKS_H
#define WEIR_LIB_TRAINING_ENTRYCHECKS_H

#include "TrainingOption.h"
#include "weir/Data/Loader.h"
#include "weir/Runtime/Session.h"
#include "weir/Training/Trainer.h"

#include <span>
#include <string>
#include <string_view>

namespace weir {

/// Checks that runs of `entry` of `session` change a variable.
Status checkTrains(const Session &session, const SessionEntry &entry,
                   OptionNames names);

/// Checks that runs of `validation` change no variable that `training` uses.
/// These runs may change other variables, such as a counter.
Status checkValidates(const SessionEntry &validation,
                      const SessionEntry &training, OptionNames names);

/// Whether `entry` has an input called `name`.
bool hasInput(const SessionEntry &entry, std::string_view name);

/// Checks that a validation by `entry` returns the value that `metric` names.
/// The names of its values are `values`. `what` names the thing that `metric`
/// chooses.
Status checkMetric(const BestMetric &metric, std::string_view what,
                   std::string_view entry, std::span<const std::string> values,
                   OptionNames names);

/// Checks that padding, if `options` ask for it, counts as no example. Without
/// a mask, rows of zeros would count in the loss. `last` is the option that
/// asks for padding.
Status checkPadding(const SessionEntry &entry, const LoaderOptions &options,
                    TrainingOption last, OptionNames names);

/// A warning if `what` prefers larger values of `loss`, which training makes
/// smaller, or smaller values of an accuracy; else empty.
std::string warnOfGoal(const BestMetric &metric, std::string_view what,
                       std::string_view loss);

/// A warning if no parameter is updated between the runs `from` and `to` of
/// `entry`, because the entry accumulates gradients over more steps; else
/// empty.
std::string warnOfFewSteps(const Session &session, const std::string &entry,
                           int64_t from, int64_t to);

} // namespace weir

#endif // WEIR_LIB_TRAINING_ENTRYCHECKS_H
