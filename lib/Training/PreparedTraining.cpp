//===- PreparedTraining.cpp - A training that may begin -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PreparedTraining.h"

#include "EntryBatches.h"
#include "EntryChecks.h"
#include "Patience.h"
#include "Reports/ReportChecks.h"
#include "ResumePoint.h"
#include "TrainingOption.h"
#include "weir/Runtime/Session.h"
#include "weir/Support/Printable.h"
#include "weir/Support/Trace.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

using namespace weir;

namespace {

/// Prepares a training, part by part.
class Preparation {
public:
  explicit Preparation(PreparedTraining &training)
      : training(training), options(training.options),
        session(training.session) {}

  Status run();

private:
  Status bindEntries();
  Status checkInputs() const;
  Status checkMetric(const BestMetric &metric, std::string_view what);
  Status checkMetrics();
  Status openCheckpoints();
  Status findPosition();
  Status openLoader();
  Status restore();
  Status beginAnew();
  void nameValues(ReportedRun &run);
  Status openReports();

  PreparedTraining &training;
  TrainerOptions &options;
  Session &session;
  /// The notes with which the reports begin.
  std::vector<std::string> notes;
};

} // namespace

/// Checks that each input with a fixed value, and the mask of padding, is an
/// input of some entry.
Status Preparation::checkInputs() const {
  const auto check = [&](TrainingOption option,
                         const std::string &input) -> Status {
    for (const std::string &name : {options.entry, options.validationEntry}) {
      if (name.empty())
        continue;
      WEIR_ASSIGN_OR_RETURN(const SessionEntry entry, session.entry(name));
      if (hasInput(entry, input))
        return Status::ok();
    }
    return notFound(
        fmt::format("{} {}: entry '{}' has no such input; leave it out",
                    nameOf(option, options.names), printable(input),
                    printable(options.entry)));
  };
  for (const NamedColumn &input : options.inputs)
    WEIR_RETURN_IF_ERROR(check(TrainingOption::Input, input.name));
  const std::string &mask = options.loader.maskColumn;
  return mask.empty() ? Status::ok() : check(TrainingOption::Mask, mask);
}

/// Finds the entries, and the data on which they run.
Status Preparation::bindEntries() {
  WEIR_ASSIGN_OR_RETURN(const SessionEntry entry, session.entry(options.entry));
  WEIR_RETURN_IF_ERROR(checkTrains(session, entry, options.names));
  WEIR_ASSIGN_OR_RETURN(training.steps,
                        bindBatches(session, options.entry, training.data,
                                    options, options.loader,
                                    TrainingOption::Last));
  WEIR_RETURN_IF_ERROR(checkInputs());
  if (options.validationEntry.empty())
    return Status::ok();
  WEIR_ASSIGN_OR_RETURN(training.validation,
                        Validation::create(session, options, entry));
  return Status::ok();
}

Status Preparation::checkMetric(const BestMetric &metric,
                                std::string_view what) {
  const std::string &loss = training.steps->valueNames().front();
  notes.push_back(warnOfGoal(metric, what, loss));
  return weir::checkMetric(metric, what, options.validationEntry,
                           training.validation
                               ? training.validation->valueNames()
                               : std::span<const std::string>(),
                           options.names);
}

/// Checks everything that depends on a validation.
Status Preparation::checkMetrics() {
  if (options.best && !options.checkpoints)
    return invalidArgument(
        fmt::format("the best checkpoint needs a folder; name it with {}",
                    nameOf(TrainingOption::Checkpoint, options.names)));
  if (options.best)
    WEIR_RETURN_IF_ERROR(checkMetric(*options.best, "the best checkpoint"));
  if (options.earlyStop)
    WEIR_RETURN_IF_ERROR(
        checkMetric(options.earlyStop->metric, "the end of training"));
  if (!options.plateau)
    return Status::ok();
  WEIR_RETURN_IF_ERROR(checkMetric(options.plateau->metric, "the rate"));
  const auto input = std::ranges::find(options.inputs, options.plateau->input,
                                       &NamedColumn::name);
  if (input == options.inputs.end() || !isFloat(input->values.type()) ||
      input->values.desc().numElements() != 1)
    return invalidArgument(fmt::format(
        "{1}: {2} has no value of '{0}', the first rate, with one float; for a "
        "model with this input, compile it with graph-compile --train='..., "
        "optimizer=NAME, rate={0}', without a rate in optimizer",
        printable(options.plateau->input),
        nameOf(TrainingOption::Plateau, options.names),
        nameOf(TrainingOption::Input, options.names)));
  training.rate.own(input->values);
  return Status::ok();
}

/// Opens the folder of checkpoints. If a checkpoint cannot be written later,
/// the reports say so at once, and training goes on.
Status Preparation::openCheckpoints() {
  CheckpointOptions folder = *options.checkpoints;
  folder.onFailure = [&reports = training.reports,
                      given = folder.onFailure](const Status &error) {
    if (given)
      given(error);
    reports->note(fmt::format("error: {}; training goes on, and the next "
                              "checkpoint is tried when it is due",
                              error.message()));
  };
  WEIR_ASSIGN_OR_RETURN(training.checkpoints, Checkpoints::open(folder));
  return Status::ok();
}

/// Opens the folder of checkpoints, and finds where training goes on.
Status Preparation::findPosition() {
  WEIR_RETURN_IF_ERROR(openCheckpoints());
  WEIR_ASSIGN_OR_RETURN(TrainingIdentity identity,
                        identityOf(session, training.data, options));
  WEIR_ASSIGN_OR_RETURN(ResumePoint point,
                        findResumePoint(session, *training.checkpoints, options,
                                        std::move(identity)));
  training.isResumed = point.isResumed;
  notes.insert(notes.end(), point.notes.begin(), point.notes.end());
  TrainingPosition &position = training.position();
  position = std::move(point.position);
  position.bestBy = bestBy(options);
  position.early.by = earlyBy(options);
  position.plateau.by = plateauBy(options);
  position.best.reset();
  if (options.best) {
    WEIR_ASSIGN_OR_RETURN(position.best, bestOnDisk(training));
  }
  if (training.isResumed)
    training.summary.stepsBefore = position.step;
  return Status::ok();
}

/// Opens the data at the position, if a step is left.
Status Preparation::openLoader() {
  const TrainingPosition &position = training.position();
  LoaderOptions &loading = options.loader;
  // A number of steps ends the training, whether it is reached before or after
  // the end of the epochs.
  loading.epochs.reset();
  if (options.steps == 0)
    loading.epochs = std::max(options.epochs, position.epoch);
  loading.start = {position.epoch, position.batch};
  if (isComplete(options, position))
    return Status::ok();
  WEIR_ASSIGN_OR_RETURN(training.loader,
                        Loader::create(training.data, loading));
  return Status::ok();
}

/// Gives the variables their first values.
Status Preparation::restore() {
  if (training.isResumed)
    WEIR_RETURN_IF_ERROR(training.checkpoints->restore(session).status());
  if (options.resume && !training.isResumed)
    WEIR_RETURN_IF_ERROR(beginAnew());
  training.rate.set(training.position());
  WEIR_ASSIGN_OR_RETURN(training.finite, FiniteVariables::startingAt(session));
  return training.checkpoints ? training.checkpoints->acceptNonFinite(session)
                              : Status::ok();
}

/// Prepares the beginning of a training that was to be resumed but has no
/// checkpoint. A log that exists may be the log of another run, and is renamed.
Status Preparation::beginAnew() {
  WEIR_ASSIGN_OR_RETURN(const std::string aside,
                        setLogAside(options.reports.log));
  notes.push_back(describeBeginning(options, aside));
  return Status::ok();
}

/// Lists what steps and validations report.
void Preparation::nameValues(ReportedRun &run) {
  const std::span<const std::string> names = training.steps->valueNames();
  for (const std::string &name : names)
    run.values.push_back({name});
  if (std::ranges::find(names, TrainingRate::name) != names.end())
    training.rate.hide();
  if (training.rate.isShown())
    run.values.push_back({TrainingRate::name, /*isSmoothed=*/false});
  if (training.validation)
    run.validationValues.assign(training.validation->valueNames().begin(),
                                training.validation->valueNames().end());
}

Status Preparation::openReports() {
  const TrainingPosition &position = training.position();
  ReportedRun run;
  run.stepsBefore = position.step;
  run.curveState = position.curves;
  const int64_t perEpoch =
      training.loader ? training.loader->batchesPerEpoch() : 0;
  run.totalSteps =
      options.steps > 0 ? options.steps : options.epochs * perEpoch;
  run.totalEpochs = options.steps > 0 ? 0 : options.epochs;
  const int64_t counted = countedRuns(session);
  const int64_t uncounted = counted - position.step;
  if (auto rate = StepRate::find(session, options.entry))
    training.rate.follow(*std::move(rate), uncounted);
  nameValues(run);
  if (training.loader) {
    notes.push_back(warnOfFewSteps(session, options.entry, uncounted,
                                   uncounted + run.totalSteps));
    if (training.rate.isShown() && training.rate.schedule())
      notes.push_back(warnOfNoRate(*training.rate.schedule(), options.entry,
                                   counted, run.totalSteps - position.step,
                                   options.names));
  }
  WEIR_ASSIGN_OR_RETURN(training.reports,
                        StepReports::open(options.reports, run));
  for (const std::string &note : notes)
    if (!note.empty())
      training.reports->note(note);
  return Status::ok();
}

Status Preparation::run() {
  if (options.epochs < 1 && options.steps < 1)
    return invalidArgument(
        fmt::format("expected at least one epoch, found {}", options.epochs));
  options.reports.names = options.names;
  if (options.resume)
    options.reports.existing = StepReportOptions::Existing::Continue;
  WEIR_RETURN_IF_ERROR(bindEntries());
  WEIR_RETURN_IF_ERROR(checkMetrics());
  if (options.checkpoints)
    WEIR_RETURN_IF_ERROR(findPosition());
  WEIR_RETURN_IF_ERROR(openLoader());
  if (options.trace)
    training.dataRow = &options.trace->addRow("host", "data", size_t(1) << 16);
  // This comes after everything else that may be refused. So an error leaves
  // the session and the files of an earlier run as they are.
  WEIR_RETURN_IF_ERROR(checkReports(options.reports, training.position().step));
  WEIR_RETURN_IF_ERROR(restore());
  return openReports();
}

Status weir::prepareTraining(PreparedTraining &training) {
  return Preparation(training).run();
}

StatusOr<std::optional<double>>
weir::bestOnDisk(const PreparedTraining &training) {
  WEIR_ASSIGN_OR_RETURN(const std::optional<TrainingPosition> file,
                        training.checkpoints->best());
  return file && file->bestBy == bestBy(training.options) ? file->best
                                                          : std::nullopt;
}
