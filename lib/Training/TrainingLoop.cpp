//===- TrainingLoop.cpp - The steps of a training -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TrainingLoop.h"

#include "BatchErrors.h"
#include "Patience.h"
#include "ResumePoint.h"
#include "weir/Runtime/Guarded.h"
#include "weir/Support/Printable.h"
#include "weir/Support/Trace.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

using namespace weir;

/// Sets `scalars` to `values`, which are called `names`.
static void assign(std::span<const std::string> names,
                   std::span<const double> values,
                   std::vector<NamedScalar> &scalars) {
  scalars.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    scalars[i].name = names[i];
    scalars[i].value = values[i];
  }
}

TrainingLoop::TrainingLoop(PreparedTraining &training)
    : training(training), options(training.options), summary(training.summary) {
  running.cancelToken = options.cancelToken;
  if (training.isResumed)
    lastSaved = position().step;
}

bool TrainingLoop::isAtEnd() const { return isComplete(options, position()); }

bool TrainingLoop::isDue(int64_t every) const {
  return isEnding() ||
         (every == 0 ? position().batch == 0 : position().step % every == 0);
}

Status TrainingLoop::run() {
  while (!ended)
    WEIR_RETURN_IF_ERROR(step().status());
  return *ended;
}

StatusOr<StepResult> TrainingLoop::step() {
  using enum StepPhase;
  Status status = ended ? *ended : Status::ok();
  // A training that was stopped may have left out the validation of its step.
  if (std::exchange(training.isResumed, false)) {
    told = {.step = position().step, .epoch = epochOfStep()};
    status = perform({Validate, Tell, Save});
  }
  told = {};
  if (status.isOk() && !isEnding())
    status = perform({Train, Report, CheckLoss, Validate, Tell, Save});
  if (!ended && (!status.isOk() || isEnding()))
    status = end(std::move(status));
  WEIR_RETURN_IF_ERROR(status);
  told.isLast = ended.has_value();
  return told;
}

Status TrainingLoop::perform(std::initializer_list<StepPhase> phases) {
  for (const StepPhase phase : phases)
    WEIR_RETURN_IF_ERROR(perform(phase));
  return Status::ok();
}

Status TrainingLoop::perform(StepPhase phase) {
  switch (phase) {
  case StepPhase::Train:
    return train();
  case StepPhase::Report:
    report();
    return Status::ok();
  case StepPhase::CheckLoss:
    return checkLoss();
  case StepPhase::Validate:
    return validate();
  case StepPhase::Tell:
    tell();
    return Status::ok();
  case StepPhase::Save:
    return save();
  }
  return Status::ok();
}

/// The epoch of the last step, counted from 1. After the last batch of an
/// epoch, the position is in the next epoch.
int64_t TrainingLoop::epochOfStep() const {
  return position().epoch + (position().batch > 0 ? 1 : 0);
}

StatusOr<std::optional<Batch>> TrainingLoop::nextBatch() {
  StatusOr<std::optional<Batch>> next = training.loader->next();
  const uint64_t end = monotonicNs();
  const LoaderStats stats = training.loader->stats();
  if (training.dataRow && stats.waits > waits.waits)
    training.dataRow->record(
        {"wait for data", "wait", end - (stats.waitNs - waits.waitNs), end});
  waits = stats;
  summary.dataSeconds = static_cast<double>(stats.waitNs) * 1e-9;
  summary.dataWaits = static_cast<int64_t>(stats.waits);
  return next;
}

Status TrainingLoop::train() {
  beginNs = monotonicNs();
  WEIR_ASSIGN_OR_RETURN(batch, nextBatch());
  if (!batch)
    return internalError("the data has ended before the training");
  auto found = training.steps->run(*batch, running);
  if (!found)
    return withExamples(std::move(found).status(), training.data,
                        *training.loader, *batch)
        .withContext(fmt::format("step {}", position().step + 1));
  values = *found;
  return Status::ok();
}

void TrainingLoop::report() {
  const double seconds = static_cast<double>(monotonicNs() - beginNs) * 1e-9;
  assign(training.steps->valueNames(), values, summary.values);
  told = {.step = position().step + 1,
          .epoch = position().epoch + 1,
          .examples = batch->count(),
          .seconds = seconds,
          .values = summary.values};
  reported.assign(values.begin(), values.end());
  if (training.rate.isShown()) {
    told.rate = training.rate.behind(position());
    reported.push_back(*told.rate);
  }
  training.reports->step({.step = told.step,
                          .epoch = told.epoch,
                          .examples = told.examples,
                          .seconds = seconds,
                          .values = reported});
  summary.seconds += seconds;
  summary.examples += told.examples;
  const BatchPosition next = training.loader->position();
  ++summary.position.step;
  summary.position.epoch = next.epoch;
  summary.position.batch = next.batch;
  // The loader may use the memory of the batch again.
  batch.reset();
}

/// What can be done about a loss that is not finite.
std::string TrainingLoop::suggestRepair() const {
  std::string text;
  // Nothing was updated before the first step.
  if (position().step > 1)
    text += fmt::format("; {}", repairNonFinite);
  // graph-run itself looks for the op.
  if (options.names != OptionNames::Flags)
    text += fmt::format("; {}", suggestCheck(options.names));
  return text;
}

Status TrainingLoop::checkLoss() {
  const double loss = values.front();
  if (std::isfinite(loss))
    return Status::ok();
  const std::string what =
      fmt::format("step {}: '{}' is {}", position().step,
                  printable(training.steps->valueNames().front()),
                  std::isnan(loss) ? "NaN"
                  : loss > 0       ? "infinite"
                                   : "minus infinity");
  if (options.nonFiniteLoss == NonFiniteLoss::Stop) {
    summary.end = TrainingEnd::NonFinite;
    return dataLoss(what + suggestRepair());
  }
  if (!std::exchange(hasWarnedOfLoss, true))
    training.reports->note(
        fmt::format("warning: {}; training goes on, as was asked", what));
  return Status::ok();
}

Status TrainingLoop::validate() {
  std::optional<Validation> &validation = training.validation;
  // A user who stops a training does not want to wait. The next run validates.
  if (!validation || mustStop() || !isDue(options.validateEvery) ||
      position().validated == position().step)
    return Status::ok();
  auto found = validation->run(isStopped, running);
  if (!found)
    return std::move(found).status().withContext(
        fmt::format("validation after step {}", position().step));
  // The validation was stopped.
  if (!*found)
    return Status::ok();
  summary.position.validated = position().step;
  assign(validation->valueNames(), **found, summary.validation);
  told.validation = summary.validation;
  training.reports->validation(position().step, epochOfStep(), **found);
  if (!validation->nonFinite().empty() &&
      !std::exchange(hasWarnedOfValidation, true))
    training.reports->note(fmt::format("warning: validation after step {}: {}",
                                       position().step,
                                       validation->nonFinite()));
  lowerRate();
  stopEarly();
  WEIR_ASSIGN_OR_RETURN(isBest, isNewBest());
  return Status::ok();
}

double TrainingLoop::valueOf(const BestMetric &metric) const {
  return std::ranges::find(summary.validation, metric.name, &NamedScalar::name)
      ->value;
}

/// Lowers the rate if the validation does not improve.
void TrainingLoop::lowerRate() {
  const auto &plateau = options.plateau;
  if (!plateau)
    return;
  MetricProgress &progress = summary.position.plateau;
  if (!isExhausted(progress, plateau->metric, valueOf(plateau->metric),
                   plateau->patience))
    return;
  progress.waits = 0;
  summary.position.plateauFactor *= plateau->factor;
  training.rate.set(position());
  training.reports->note(
      fmt::format("'{}' does not improve: the rate is {:g} from step {} on",
                  printable(plateau->metric.name),
                  training.rate.lowered(position()), position().step + 1));
}

/// Counts the validations without improvement after which training ends early.
void TrainingLoop::stopEarly() {
  const auto &early = options.earlyStop;
  if (early && isExhausted(summary.position.early, early->metric,
                           valueOf(early->metric), early->patience))
    training.reports->note(
        fmt::format("'{}' does not improve: training ends early",
                    printable(early->metric.name)));
}

/// Whether the validation has the best value so far.
StatusOr<bool> TrainingLoop::isNewBest() const {
  if (!options.best)
    return false;
  const double value = valueOf(*options.best);
  WEIR_ASSIGN_OR_RETURN(const std::optional<double> best, bestOnDisk(training));
  if (!isBetter(*options.best, value, best))
    return false;
  summary.position.best = value;
  return true;
}

void TrainingLoop::tell() {
  if (!options.onStep || (told.values.empty() && told.validation.empty()))
    return;
  told.isLast = isEnding();
  StatusOr<bool> goesOn =
      guarded("the callback", [&] { return options.onStep(told); });
  if (goesOn && *goesOn)
    return;
  tellError = std::move(goesOn).status().withContext(
      fmt::format("onStep of step {}", position().step));
  hasToldToStop = true;
}

Status TrainingLoop::save() {
  if (!training.checkpoints || (!isBest && !isDue(options.checkpointEvery)))
    return Status::ok();
  // A validation after the step may have found that the step is the best.
  if (lastSaved == position().step && !isBest)
    return Status::ok();
  lastSaved = position().step;
  training.reports->flush();
  // The curves are empty if no curve is drawn. Older curves would end before
  // this step, and would hide the rest of the curves, which the log may have.
  summary.position.curves = training.reports->curveState();
  refusal = training.checkpoints->save(training.session, position(),
                                       std::exchange(isBest, false));
  if (refusal.code() != StatusCode::DataLoss)
    return refusal;
  if (options.nonFiniteLoss == NonFiniteLoss::Stop) {
    summary.end = TrainingEnd::NonFinite;
    return refusal;
  }
  training.reports->note(fmt::format(
      "error: {}; training goes on, as was asked", refusal.message()));
  return Status::ok();
}

/// Ends the training, whose steps have ended with `status`.
Status TrainingLoop::end(Status status) {
  using enum StepPhase;
  if (status.isOk())
    status = perform({Validate, Save});
  if (status.isOk())
    status = tellError;
  else if (!tellError.isOk())
    status = Status(status.code(), fmt::format("{}; {}", status.message(),
                                               tellError.message()));
  if (training.checkpoints)
    status = closeCheckpoints(std::move(status));
  if (summary.end == TrainingEnd::None)
    summary.end = endOf(status);
  // If a file lacks records, a warning was printed.
  const Status reportsLost = training.reports->finish();
  ended = status;
  return status;
}

/// Waits for the last checkpoint. An error of a step counts more than its
/// error.
Status TrainingLoop::closeCheckpoints(Status status) {
  Status saved = training.checkpoints->finish();
  if (status.isOk()) {
    status = saved.isOk() ? refusal : std::move(saved);
    if (!status.isOk())
      summary.end = TrainingEnd::Unsaved;
  }
  if (!options.best)
    return status;
  const auto best = bestOnDisk(training);
  if (best)
    summary.position.best = *best;
  else if (status.isOk())
    status = best.status();
  return status;
}

/// The way in which a training has ended with `status`. Called if the steps and
/// checkpoints have not set it.
TrainingEnd TrainingLoop::endOf(const Status &status) const {
  if (!status.isOk())
    return status.code() == StatusCode::Cancelled && running.cancelToken &&
                   running.cancelToken->isCancelled()
               ? TrainingEnd::Cancelled
               : TrainingEnd::Failed;
  if (hasStoppedEarly(options, position()))
    return TrainingEnd::Early;
  // A user who stops a training after its last step may leave out the
  // validation.
  const bool isValidated =
      !training.validation || position().validated == position().step;
  return isAtEnd() && isValidated ? TrainingEnd::Complete
                                  : TrainingEnd::Stopped;
}
