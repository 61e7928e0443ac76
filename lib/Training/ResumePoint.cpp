//===- ResumePoint.cpp - Where a training begins or goes on ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ResumePoint.h"

#include "ResumedMetrics.h"
#include "TrainingOption.h"
#include "weir/Support/Counted.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>

using namespace weir;

bool weir::hasStoppedEarly(const TrainerOptions &options,
                           const TrainingPosition &position) {
  return options.earlyStop &&
         position.early.waits >= options.earlyStop->patience;
}

bool weir::isComplete(const TrainerOptions &options,
                      const TrainingPosition &position) {
  if (hasStoppedEarly(options, position))
    return true;
  return options.steps > 0 ? position.step >= options.steps
                           : position.epoch >= options.epochs;
}

/// "resumed from 'c/step-00000100.safetensors'", or that nothing is left to do.
static std::string describeResumed(const std::string &file,
                                   const TrainingPosition &position,
                                   const TrainerOptions &options) {
  if (!isComplete(options, position))
    return fmt::format(
        "resumed from '{}': {} and {} of epoch {} are done", printable(file),
        counted(static_cast<uint64_t>(position.step), "step"),
        counted(static_cast<uint64_t>(position.batch), "batch", "es"),
        position.epoch + 1);
  if (hasStoppedEarly(options, position))
    return fmt::format("nothing is left to do: '{}' has stopped early; go on "
                       "with more patience, or without {}",
                       printable(file),
                       nameOf(TrainingOption::StopEarly, options.names));
  const bool countsSteps = options.steps > 0;
  return fmt::format(
      "nothing is left to do: '{}' has all {}; ask for more with {}",
      printable(file),
      counted(
          static_cast<uint64_t>(countsSteps ? options.steps : options.epochs),
          countsSteps ? "step" : "epoch"),
      nameOf(countsSteps ? TrainingOption::Steps : TrainingOption::Epochs,
             options.names));
}

std::string weir::describeBeginning(const TrainerOptions &options,
                                    const std::string &aside) {
  std::string note = "there is no checkpoint to go on from";
  if (options.checkpoints)
    note += fmt::format(" in '{}'", printable(options.checkpoints->folder));
  note += ", so training begins with step 1";
  if (!aside.empty())
    note += fmt::format("; the log '{}' is now '{}', and a new one begins",
                        printable(options.reports.log), printable(aside));
  return note;
}

StatusOr<ResumePoint> weir::findResumePoint(const Session &session,
                                            const Checkpoints &checkpoints,
                                            const TrainerOptions &options,
                                            TrainingIdentity identity) {
  ResumePoint point;
  WEIR_ASSIGN_OR_RETURN(const std::string latest, checkpoints.latest());
  if (latest.empty()) {
    point.position.identity = std::move(identity);
    return point;
  }
  if (!options.resume)
    return invalidArgument(fmt::format(
        "'{}' has a checkpoint of an earlier run, '{}'; go on from it with {}, "
        "or name another folder",
        printable(options.checkpoints->folder), printable(latest),
        nameOf(TrainingOption::Resume, options.names)));
  WEIR_ASSIGN_OR_RETURN(point.position, checkpoints.check(session));
  auto notes = compareIdentities(point.position.identity, identity, options);
  Status status = notes.status();
  if (status.isOk())
    status = resumeMetrics(options, point.position, *notes);
  if (!status.isOk())
    return std::move(status).withContext(
        fmt::format("cannot resume from '{}'", printable(latest)));
  for (const std::string &note : *notes)
    point.notes.push_back(
        fmt::format("warning: '{}': {}", printable(latest), note));
  point.notes.push_back(describeResumed(latest, point.position, options));
  point.position.identity = std::move(identity);
  point.isResumed = true;
  return point;
}
