//===- EntryChecks.cpp - Whether entries can train and validate -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EntryChecks.h"

#include "weir/Support/Printable.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <string>

using namespace weir;

/// The variables that runs of `entry` use, whatever the shape of the run. If
/// `isAssigned`, only the variables that runs assign.
static std::set<std::string> variablesOf(const SessionEntry &entry,
                                         bool isAssigned) {
  std::set<std::string> names;
  for (size_t shape = 0; shape < entry.numShapes(); ++shape)
    for (VariableUse &use : entry.variables(shape))
      if (use.isAssigned || !isAssigned)
        names.insert(std::move(use.name));
  return names;
}

Status weir::checkTrains(const Session &session, const SessionEntry &entry,
                         OptionNames names) {
  if (!variablesOf(entry, /*isAssigned=*/true).empty())
    return Status::ok();
  std::string others;
  for (const std::string &name : session.entryNames()) {
    WEIR_ASSIGN_OR_RETURN(const SessionEntry other, session.entry(name));
    if (!variablesOf(other, /*isAssigned=*/true).empty())
      others +=
          fmt::format("{}'{}'", others.empty() ? "" : ", ", printable(name));
  }
  return invalidArgument(fmt::format(
      "entry '{}' trains nothing, because it assigns no parameter; {}",
      printable(entry.name()),
      others.empty()
          ? "add weir.minimize behind its loss, or let "
            "graph-compile --train add an entry that trains"
          : fmt::format("name an entry that does with {}: {}",
                        nameOf(TrainingOption::Entry, names), others)));
}

Status weir::checkValidates(const SessionEntry &validation,
                            const SessionEntry &training, OptionNames names) {
  const std::set<std::string> used =
      variablesOf(training, /*isAssigned=*/false);
  for (const std::string &name : variablesOf(validation, /*isAssigned=*/true))
    if (used.contains(name))
      return invalidArgument(fmt::format(
          "entry '{}' is for validation, but assigns '{}', which entry '{}' "
          "uses, so it would train on the validation data; name an entry with "
          "{} that computes the loss without weir.minimize and other "
          "assignments",
          printable(validation.name()), printable(name),
          printable(training.name()),
          nameOf(TrainingOption::ValidationEntry, names)));
  return Status::ok();
}

bool weir::hasInput(const SessionEntry &entry, std::string_view name) {
  return std::ranges::any_of(entry.inputs(), [&](const TensorInfo &input) {
    return input.name == name;
  });
}

Status weir::checkMetric(const BestMetric &metric, std::string_view what,
                         std::string_view entry,
                         std::span<const std::string> values,
                         OptionNames names) {
  if (entry.empty())
    return invalidArgument(
        fmt::format("{} is chosen by a validation; give its data with {}", what,
                    nameOf(TrainingOption::Validation, names)));
  if (std::ranges::find(values, metric.name) != values.end())
    return Status::ok();
  return notFound(fmt::format(
      "entry '{}' has no output '{}' of one element by which {} can be chosen; "
      "it has {}",
      printable(entry), printable(metric.name), what, fmt::join(values, ", ")));
}

std::string weir::warnOfGoal(const BestMetric &metric, std::string_view what,
                             std::string_view loss) {
  const std::string name = printable(metric.name);
  if (metric.isHigher && metric.name == loss)
    return fmt::format("warning: {0} follows max:{1}, and training makes '{1}' "
                       "smaller; follow it by min:{1}",
                       what, name);
  if (!metric.isHigher && metric.name.find("accuracy") != std::string::npos)
    return fmt::format("warning: {0} follows min:{1}, and a better model has a "
                       "larger '{1}'; follow it by max:{1}",
                       what, name);
  return "";
}

/// Checks that the input called `mask`, if `entry` has one, takes a mask.
static Status checkMask(const SessionEntry &entry, const std::string &mask,
                        OptionNames names) {
  for (const TensorInfo &input : entry.inputs()) {
    const TensorDesc &desc = input.desc;
    const bool takesMask = desc.type == DType::F32 && !desc.dims.empty() &&
                           desc.numElements() == desc.dims.front();
    if (input.name == mask && !takesMask)
      return invalidArgument(fmt::format(
          "{} {}: this input of entry '{}' is {}; expected an f32 for each "
          "example of a batch, which is 1, or 0 for padding",
          nameOf(TrainingOption::Mask, names), printable(mask),
          printable(entry.name()), desc.toString()));
  }
  return Status::ok();
}

Status weir::checkPadding(const SessionEntry &entry,
                          const LoaderOptions &options, TrainingOption last,
                          OptionNames names) {
  WEIR_RETURN_IF_ERROR(checkMask(entry, options.maskColumn, names));
  if (options.last != LastBatch::Pad)
    return Status::ok();
  const std::string_view mask = nameOf(TrainingOption::Mask, names);
  const std::string repair =
      fmt::format("or else leave the last examples out with {}",
                  settingOf(last, LastBatch::Drop, names));
  if (options.maskColumn.empty())
    return invalidArgument(fmt::format(
        "{}: padding would count as examples; if the entry has an input "
        "that tells them apart, name it with {}, {}",
        settingOf(last, LastBatch::Pad, names), mask, repair));
  if (hasInput(entry, options.maskColumn))
    return Status::ok();
  return notFound(fmt::format(
      "{} names '{}', which is no input of entry '{}': padding would count "
      "as examples there; name an input that the loss is weighted by, {}",
      mask, printable(options.maskColumn), printable(entry.name()), repair));
}

std::string weir::warnOfFewSteps(const Session &session,
                                 const std::string &entry, int64_t from,
                                 int64_t to) {
  const std::string prefix = fmt::format("weir.training.{}.", entry);
  for (const auto &[key, value] : session.metadata()) {
    // "1.accumulate" belongs to the second optimiser of an entry.
    if (!key.starts_with(prefix) || !key.ends_with("accumulate"))
      continue;
    int64_t every = 0;
    std::from_chars(value.data(), value.data() + value.size(), every);
    if (every > 0 && from / every == to / every)
      return fmt::format(
          "warning: entry '{}' updates parameters in each {}th step "
          "(accumulate), and this training has {}, so it trains nothing; give "
          "it {} steps or more, or compile the model with a smaller accumulate",
          printable(entry), every, to - from, every - from % every);
  }
  return "";
}
