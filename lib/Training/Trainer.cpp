//===- Trainer.cpp - Trains a model on a dataset --------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Training/Trainer.h"

#include "BatchErrors.h"
#include "EntryBatches.h"
#include "EntryChecks.h"
#include "FiniteChecks.h"
#include "NonFiniteSearch.h"
#include "Patience.h"
#include "Reports/ReportChecks.h"
#include "ResumePoint.h"
#include "StepRate.h"
#include "Validation.h"
#include "weir/Runtime/Session.h"
#include "weir/Support/Printable.h"
#include "weir/Support/Trace.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

using namespace weir;

class Trainer::Run {
public:
  Run(Session &session, Dataset data, TrainerOptions options)
      : session(session), data(std::move(data)), options(std::move(options)) {}

  Status prepare();
  Status run();
  Status saveVariables(const std::string &path) const;
  Status findNonFinite(Session &checked, double maxSeconds) {
    return searchNonFinite(
        checked, {data, options, checkpoints.get(), result, isStopped},
        maxSeconds);
  }

  std::atomic<bool> isStopped = false;
  TrainingSummary result;

private:
  Status checkInputs() const;
  Status checkMetrics();
  void setPlateauRate();
  void followMetrics();
  double valueOf(const BestMetric &metric) const;
  Status findPosition();
  Status beginAnew();
  Status openReports();
  Status openCheckpoints();
  Status train();
  Status endTraining(Status status);
  StatusOr<std::span<const double>> trainOn(const Batch &batch);
  Status checkLoss(double loss);
  void note(const Batch &batch, std::span<const double> values, double seconds);
  StatusOr<std::optional<Batch>> nextBatch();
  Status afterStep();
  Status validate();
  StatusOr<std::optional<double>> bestOnDisk() const;
  Status saveCheckpoint(bool isBest);
  bool isDue(int64_t every) const {
    return every == 0 ? position().batch == 0 : position().step % every == 0;
  }
  bool isAtEnd() const { return isComplete(options, position()); }
  TrainingPosition &position() { return result.position; }
  const TrainingPosition &position() const { return result.position; }

  Session &session;
  Dataset data;
  TrainerOptions options;
  std::optional<BatchRuns> steps;
  std::optional<Validation> validation;
  std::optional<Loader> loader;
  /// Its waits so far.
  LoaderStats waits;
  std::optional<StepReports> reports;
  /// Ends before the reports, which its thread uses.
  std::unique_ptr<Checkpoints> checkpoints;
  TraceRing *dataRow = nullptr;
  /// What the reports call the rate of a step; nothing if it is not known, or
  /// the entry returns it.
  static constexpr const char *rateName = "rate";
  std::optional<StepRate> rate;
  /// The input that has the rate, if it gets smaller on a plateau, and its
  /// first value.
  HostTensor *plateauInput = nullptr;
  double firstRate = 0;
  /// The runs that the session has counted in another training.
  int64_t uncounted = 0;
  /// The values of a step, and its rate.
  std::vector<double> reported;
  FiniteVariables finite;
  int64_t lastSaved = -1;
  /// Why the last checkpoint was refused; ok if it was not.
  Status refusal;
  bool isResumed = false;
  /// What the reports begin with.
  std::vector<std::string> notes;
  bool hasWarnedOfLoss = false, hasWarnedOfValidation = false;
};

/// Whether some entry takes each of the values that are the same in all runs,
/// and the mask of padding.
Status Trainer::Run::checkInputs() const {
  const auto check = [&](std::string_view flag,
                         const std::string &input) -> Status {
    for (const std::string &name : {options.entry, options.validationEntry}) {
      if (name.empty())
        continue;
      WEIR_ASSIGN_OR_RETURN(const SessionEntry entry, session.entry(name));
      if (hasInput(entry, input))
        return Status::ok();
    }
    return notFound(
        fmt::format("{} {}: entry '{}' has no such input; leave it out", flag,
                    printable(input), printable(options.entry)));
  };
  for (const NamedColumn &input : options.inputs)
    WEIR_RETURN_IF_ERROR(check("--input", input.name));
  const std::string &mask = options.loader.maskColumn;
  return mask.empty() ? Status::ok() : check("--mask", mask);
}

Status Trainer::Run::prepare() {
  if (options.epochs < 1 && options.steps < 1)
    return invalidArgument(
        fmt::format("expected at least one epoch, found {}", options.epochs));
  LoaderOptions &loading = options.loader;
  WEIR_ASSIGN_OR_RETURN(const SessionEntry entry, session.entry(options.entry));
  WEIR_RETURN_IF_ERROR(checkTrains(session, entry));
  if (options.resume)
    options.reports.existing = StepReportOptions::Existing::Continue;
  WEIR_ASSIGN_OR_RETURN(steps, bindBatches(session, options.entry, data,
                                           options.inputs, loading, "--last"));
  WEIR_RETURN_IF_ERROR(checkInputs());
  if (!options.validationEntry.empty()) {
    WEIR_ASSIGN_OR_RETURN(validation,
                          Validation::create(session, options, entry));
  }
  WEIR_RETURN_IF_ERROR(checkMetrics());
  if (options.checkpoints)
    WEIR_RETURN_IF_ERROR(findPosition());
  // Steps may end it before the epochs do, and an epoch may come after them.
  loading.epochs.reset();
  if (options.steps == 0)
    loading.epochs = std::max(options.epochs, position().epoch);
  loading.start = {position().epoch, position().batch};
  if (!isAtEnd()) {
    WEIR_ASSIGN_OR_RETURN(loader, Loader::create(data, loading));
  }
  if (options.trace)
    dataRow = &options.trace->addRow("host", "data", size_t(1) << 16);
  // Behind all else that may be refused, so that an error leaves the session
  // and the files of an earlier run as they are.
  WEIR_RETURN_IF_ERROR(checkReports(options.reports, position().step));
  if (isResumed)
    WEIR_RETURN_IF_ERROR(checkpoints->restore(session).status());
  if (options.resume && !isResumed)
    WEIR_RETURN_IF_ERROR(beginAnew());
  setPlateauRate();
  WEIR_ASSIGN_OR_RETURN(finite, FiniteVariables::startingAt(session));
  if (checkpoints)
    WEIR_RETURN_IF_ERROR(checkpoints->acceptNonFinite(session));
  return openReports();
}

/// Whether all can be done that depends on a validation.
Status Trainer::Run::checkMetrics() {
  if (options.best && !options.checkpoints)
    return invalidArgument("the best checkpoint needs a folder; name it with "
                           "--checkpoint");
  const auto check = [&](const BestMetric &metric, std::string_view what) {
    notes.push_back(warnOfGoal(metric, what, steps->valueNames().front()));
    return checkMetric(metric, what, options.validationEntry,
                       validation ? validation->valueNames()
                                  : std::span<const std::string>());
  };
  if (options.best)
    WEIR_RETURN_IF_ERROR(check(*options.best, "the best checkpoint"));
  if (options.earlyStop)
    WEIR_RETURN_IF_ERROR(
        check(options.earlyStop->metric, "the end of training"));
  if (!options.plateau)
    return Status::ok();
  WEIR_RETURN_IF_ERROR(check(options.plateau->metric, "the rate"));
  const auto input = std::ranges::find(options.inputs, options.plateau->input,
                                       &NamedColumn::name);
  if (input == options.inputs.end() || !isFloat(input->values.type()) ||
      input->values.desc().numElements() != 1)
    return invalidArgument(fmt::format(
        "--plateau: there is no --input {0}=FILE.npy with one float, the first "
        "rate; for a model with this input, compile it with "
        "--train='..., optimizer=NAME, rate={0}', without a rate in optimizer",
        printable(options.plateau->input)));
  plateauInput = &input->values;
  firstRate = loadFloat(input->values.type(), input->values.data(), 0);
  return Status::ok();
}

/// Gives the steps the rate of the position.
void Trainer::Run::setPlateauRate() {
  if (plateauInput)
    storeFloat(plateauInput->type(), plateauInput->data(), 0,
               firstRate * position().plateauFactor);
}

/// Opens the folder, so that reports say at once what cannot be written there.
Status Trainer::Run::openCheckpoints() {
  CheckpointOptions folder = *options.checkpoints;
  folder.onFailure = [this, given = folder.onFailure](const Status &error) {
    if (given)
      given(error);
    reports->note(fmt::format("error: {}; training goes on, and the next "
                              "checkpoint is tried when it is due",
                              error.message()));
  };
  WEIR_ASSIGN_OR_RETURN(checkpoints, Checkpoints::open(folder));
  return Status::ok();
}

/// Opens the folder of checkpoints, and finds where training goes on.
Status Trainer::Run::findPosition() {
  WEIR_RETURN_IF_ERROR(openCheckpoints());
  WEIR_ASSIGN_OR_RETURN(TrainingIdentity identity,
                        identityOf(session, data, options));
  WEIR_ASSIGN_OR_RETURN(
      ResumePoint point,
      findResumePoint(session, *checkpoints, options, std::move(identity)));
  position() = std::move(point.position);
  isResumed = point.isResumed;
  notes.insert(notes.end(), point.notes.begin(), point.notes.end());
  position().bestBy = bestBy(options);
  position().early.by = earlyBy(options);
  position().plateau.by = plateauBy(options);
  position().best.reset();
  if (options.best) {
    WEIR_ASSIGN_OR_RETURN(position().best, bestOnDisk());
  }
  if (isResumed)
    result.stepsBefore = lastSaved = position().step;
  return Status::ok();
}

/// Without a checkpoint to go on from, the log may be that of another run.
Status Trainer::Run::beginAnew() {
  WEIR_ASSIGN_OR_RETURN(const std::string aside,
                        setLogAside(options.reports.log));
  notes.push_back(describeBeginning(options, aside));
  return Status::ok();
}

Status Trainer::Run::openReports() {
  ReportedRun run;
  run.stepsBefore = position().step;
  run.curveState = position().curves;
  const int64_t perEpoch = loader ? loader->batchesPerEpoch() : 0;
  run.totalSteps =
      options.steps > 0 ? options.steps : options.epochs * perEpoch;
  run.totalEpochs = options.steps > 0 ? 0 : options.epochs;
  for (const std::string &name : steps->valueNames())
    run.values.push_back({name});
  const auto names = steps->valueNames();
  rate = StepRate::find(session, options.entry);
  if (std::ranges::find(names, rateName) != names.end())
    rate.reset();
  if (rate || plateauInput)
    run.values.push_back({rateName, /*isSmoothed=*/false});
  uncounted = countedRuns(session) - position().step;
  if (loader)
    notes.push_back(warnOfFewSteps(session, options.entry, uncounted,
                                   uncounted + run.totalSteps));
  if (loader && rate)
    notes.push_back(warnOfNoRate(*rate, options.entry, countedRuns(session),
                                 run.totalSteps - position().step));
  if (validation)
    run.validationValues.assign(validation->valueNames().begin(),
                                validation->valueNames().end());
  WEIR_ASSIGN_OR_RETURN(reports, StepReports::open(options.reports, run));
  for (const std::string &note : notes)
    if (!note.empty())
      reports->note(note);
  return Status::ok();
}

StatusOr<std::optional<Batch>> Trainer::Run::nextBatch() {
  StatusOr<std::optional<Batch>> batch = loader->next();
  const uint64_t end = monotonicNs();
  const LoaderStats stats = loader->stats();
  if (dataRow && stats.waits > waits.waits)
    dataRow->record(
        {"wait for data", "wait", end - (stats.waitNs - waits.waitNs), end});
  waits = stats;
  result.dataSeconds = static_cast<double>(stats.waitNs) * 1e-9;
  result.dataWaits = static_cast<int64_t>(stats.waits);
  return batch;
}

StatusOr<std::span<const double>> Trainer::Run::trainOn(const Batch &batch) {
  auto values = steps->run(batch);
  if (values)
    return values;
  return withExamples(std::move(values).status(), data, *loader, batch)
      .withContext(fmt::format("step {}", position().step + 1));
}

/// Whether training goes on behind a step with this loss.
Status Trainer::Run::checkLoss(double loss) {
  if (std::isfinite(loss))
    return Status::ok();
  const std::string what = fmt::format("step {}: '{}' is {}", position().step,
                                       printable(steps->valueNames().front()),
                                       std::isnan(loss) ? "NaN"
                                       : loss > 0       ? "infinite"
                                                        : "minus infinity");
  if (options.nonFiniteLoss == NonFiniteLoss::Stop) {
    result.end = TrainingEnd::NonFinite;
    return dataLoss(what);
  }
  if (!std::exchange(hasWarnedOfLoss, true))
    reports->note(
        fmt::format("warning: {}; training goes on, as was asked", what));
  return Status::ok();
}

/// Reports a step, and makes the next one the position.
void Trainer::Run::note(const Batch &batch, std::span<const double> values,
                        double seconds) {
  reported.assign(values.begin(), values.end());
  if (rate)
    reported.push_back(rate->behind(position().step + uncounted));
  else if (plateauInput)
    reported.push_back(
        loadFloat(plateauInput->type(), plateauInput->data(), 0));
  reports->step({.step = position().step + 1,
                 .epoch = position().epoch + 1,
                 .examples = batch.count(),
                 .seconds = seconds,
                 .values = reported});
  result.seconds += seconds;
  result.examples += batch.count();
  result.values.clear();
  for (size_t i = 0; i < values.size(); ++i)
    result.values.push_back({steps->valueNames()[i], values[i]});
  const BatchPosition next = loader->position();
  ++position().step;
  position().epoch = next.epoch;
  position().batch = next.batch;
}

Status Trainer::Run::train() {
  // A training that was stopped may have left out the validation of its step.
  if (isResumed)
    WEIR_RETURN_IF_ERROR(afterStep());
  while (!isAtEnd() && !isStopped) {
    const uint64_t begin = monotonicNs();
    WEIR_ASSIGN_OR_RETURN(const std::optional<Batch> batch, nextBatch());
    if (!batch)
      break;
    WEIR_ASSIGN_OR_RETURN(const std::span<const double> values,
                          trainOn(*batch));
    const double loss = values.front();
    note(*batch, values, static_cast<double>(monotonicNs() - begin) * 1e-9);
    WEIR_RETURN_IF_ERROR(checkLoss(loss));
    WEIR_RETURN_IF_ERROR(afterStep());
  }
  return Status::ok();
}

/// Validates and saves if it is time. An epoch ends with its last batch.
Status Trainer::Run::afterStep() {
  if (validation && isDue(options.validateEvery))
    WEIR_RETURN_IF_ERROR(validate());
  if (checkpoints && isDue(options.checkpointEvery))
    WEIR_RETURN_IF_ERROR(saveCheckpoint(false));
  return Status::ok();
}

Status Trainer::Run::validate() {
  if (position().validated == position().step)
    return Status::ok();
  auto found = validation->run(isStopped);
  if (!found)
    return std::move(found).status().withContext(
        fmt::format("validation after step {}", position().step));
  // Who stops a training does not want to wait. The next run validates.
  if (!*found)
    return Status::ok();
  const std::vector<double> &values = **found;
  position().validated = position().step;
  // Behind the last batch of an epoch, the position is in the next one.
  const int64_t epoch = position().epoch + (position().batch > 0 ? 1 : 0);
  reports->validation(position().step, epoch, values);
  if (!validation->nonFinite().empty() &&
      !std::exchange(hasWarnedOfValidation, true))
    reports->note(fmt::format("warning: validation after step {}: {}",
                              position().step, validation->nonFinite()));
  result.validation.clear();
  for (size_t i = 0; i < values.size(); ++i)
    result.validation.push_back({validation->valueNames()[i], values[i]});
  followMetrics();
  if (!options.best)
    return Status::ok();
  const double value = valueOf(*options.best);
  WEIR_ASSIGN_OR_RETURN(const std::optional<double> best, bestOnDisk());
  if (!isBetter(*options.best, value, best))
    return Status::ok();
  position().best = value;
  return saveCheckpoint(true);
}

/// The value of `best.safetensors`. The file alone tells: a better checkpoint
/// may not have been written. A value of another metric says nothing.
StatusOr<std::optional<double>> Trainer::Run::bestOnDisk() const {
  WEIR_ASSIGN_OR_RETURN(const std::optional<TrainingPosition> file,
                        checkpoints->best());
  return file && file->bestBy == bestBy(options) ? file->best : std::nullopt;
}

double Trainer::Run::valueOf(const BestMetric &metric) const {
  return std::ranges::find(result.validation, metric.name, &NamedScalar::name)
      ->value;
}

/// Lowers the rate or ends training, if the validation does not improve.
void Trainer::Run::followMetrics() {
  if (const auto &plateau = options.plateau) {
    MetricProgress &progress = position().plateau;
    if (isExhausted(progress, plateau->metric, valueOf(plateau->metric),
                    plateau->patience)) {
      progress.waits = 0;
      position().plateauFactor *= plateau->factor;
      setPlateauRate();
      reports->note(fmt::format(
          "'{}' does not improve: the rate is {:g} from step {} on",
          printable(plateau->metric.name), firstRate * position().plateauFactor,
          position().step + 1));
    }
  }
  if (const auto &early = options.earlyStop)
    if (isExhausted(position().early, early->metric, valueOf(early->metric),
                    early->patience))
      reports->note(fmt::format("'{}' does not improve: training ends early",
                                printable(early->metric.name)));
}

Status Trainer::Run::saveCheckpoint(bool isBest) {
  // The checkpoint of the best value may have been written in the same step.
  // One from before the validation is not yet the best one.
  if (std::exchange(lastSaved, position().step) == position().step && !isBest)
    return Status::ok();
  reports->flush();
  // Empty if none is drawn: curves that end before this step would hide the
  // rest of them, which the log may have.
  position().curves = reports->curveState();
  refusal = checkpoints->save(session, position(), isBest);
  if (refusal.code() != StatusCode::DataLoss)
    return refusal;
  if (options.nonFiniteLoss == NonFiniteLoss::Stop) {
    result.end = TrainingEnd::NonFinite;
    return refusal;
  }
  reports->note(fmt::format("error: {}; training goes on, as was asked",
                            refusal.message()));
  return Status::ok();
}

Status Trainer::Run::run() {
  Status status = isAtEnd() ? Status::ok() : train();
  if (status.isOk() && validation && !isStopped)
    status = validate();
  if (status.isOk() && checkpoints)
    status = saveCheckpoint(false);
  status = endTraining(std::move(status));
  const Status reported = reports->finish();
  return status;
}

/// Waits for the last checkpoint, and decides how a training has ended whose
/// steps have ended with `status`.
Status Trainer::Run::endTraining(Status status) {
  if (checkpoints) {
    Status saved = checkpoints->finish();
    // The error of a step comes first.
    if (status.isOk()) {
      status = saved.isOk() ? refusal : std::move(saved);
      if (!status.isOk())
        result.end = TrainingEnd::Unsaved;
    }
    if (options.best) {
      const auto best = bestOnDisk();
      if (best)
        position().best = *best;
      else if (status.isOk())
        status = best.status();
    }
  }
  if (result.end != TrainingEnd::None)
    return status;
  // Who stops a training behind its last step may leave out a validation.
  const bool isValidated =
      !validation || position().validated == position().step;
  result.end = !status.isOk()                         ? TrainingEnd::Failed
               : hasStoppedEarly(options, position()) ? TrainingEnd::Early
               : isAtEnd() && isValidated             ? TrainingEnd::Complete
                                                      : TrainingEnd::Stopped;
  return status;
}

Status Trainer::Run::saveVariables(const std::string &path) const {
  WEIR_RETURN_IF_ERROR(finite.check(session));
  return session.saveVariables(path);
}

Trainer::Trainer(std::unique_ptr<Run> state) : state(std::move(state)) {}
Trainer::Trainer(Trainer &&other) noexcept = default;
Trainer &Trainer::operator=(Trainer &&other) noexcept = default;
Trainer::~Trainer() = default;

StatusOr<Trainer> Trainer::create(Session &session, Dataset data,
                                  TrainerOptions options) {
  auto run =
      std::make_unique<Run>(session, std::move(data), std::move(options));
  WEIR_RETURN_IF_ERROR(run->prepare());
  return Trainer(std::move(run));
}

Status Trainer::run() { return state->run(); }
Status Trainer::saveVariables(const std::string &path) const {
  return state->saveVariables(path);
}
Status Trainer::findNonFinite(Session &checked, double maxSeconds) {
  return state->findNonFinite(checked, maxSeconds);
}
void Trainer::stop() noexcept { state->isStopped = true; }
const TrainingSummary &Trainer::summary() const { return state->result; }
