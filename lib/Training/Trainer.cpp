//===- Trainer.cpp - Trains a model on a dataset --------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Training/Trainer.h"

#include "BatchRuns.h"
#include "EntryChecks.h"
#include "Reports/ReportChecks.h"
#include "weir/Runtime/Session.h"
#include "weir/Support/Printable.h"
#include "weir/Support/Trace.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace weir;

/// The means of values over examples.
namespace {
class Means {
public:
  explicit Means(size_t count) : sums(count) {}
  void add(std::span<const double> values, int64_t examples) {
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += values[i] * static_cast<double>(examples);
    total += examples;
  }
  std::vector<double> get() const {
    std::vector<double> means = sums;
    for (double &mean : means)
      mean /= static_cast<double>(total);
    return means;
  }

private:
  std::vector<double> sums;
  int64_t total = 0;
};
} // namespace

class Trainer::Run {
public:
  Run(Session &session, Dataset data, TrainerOptions options)
      : session(session), data(std::move(data)), options(std::move(options)) {}

  Status prepare();
  Status run();

  std::atomic<bool> isStopped = false;
  TrainingSummary result;

private:
  Status prepareValidation(const SessionEntry &training);
  Status checkInputs() const;
  Status checkBest() const;
  Status findPosition();
  Status openReports();
  Status train();
  StatusOr<std::span<const double>> trainOn(const Batch &batch);
  void note(const Batch &batch, std::span<const double> values, double seconds);
  StatusOr<std::optional<Batch>> nextBatch();
  Status afterStep();
  Status validate();
  Status saveCheckpoint(bool isBest);
  bool isDue(int64_t every) const {
    return every == 0 ? position().batch == 0 : position().step % every == 0;
  }
  bool isAtEnd() const {
    return options.steps > 0 ? position().step >= options.steps
                             : position().epoch >= options.epochs;
  }
  TrainingPosition &position() { return result.position; }
  const TrainingPosition &position() const { return result.position; }
  std::string dataIdentity() const;
  /// "min:loss"; empty without a metric.
  std::string bestBy() const {
    if (!options.best)
      return "";
    return (options.best->isHigher ? "max:" : "min:") + options.best->name;
  }

  Session &session;
  Dataset data;
  TrainerOptions options;
  std::optional<BatchRuns> steps;
  std::optional<BatchRuns> validationRuns;
  LoaderOptions validationLoader;
  std::optional<Loader> loader;
  /// Its waits so far.
  LoaderStats waits;
  std::unique_ptr<Checkpoints> checkpoints;
  std::optional<StepReports> reports;
  TraceRing *dataRow = nullptr;
  int64_t lastSaved = -1, lastValidated = -1;
  bool isResumed = false;
  bool hasWarnedOfNaN = false;
};

static StatusOr<BatchRuns> bindEntry(const Session &session,
                                     const std::string &name,
                                     std::span<const ColumnInfo> columns,
                                     std::span<const NamedColumn> fixed) {
  WEIR_ASSIGN_OR_RETURN(const SessionEntry entry, session.entry(name));
  WEIR_ASSIGN_OR_RETURN(BatchRuns runs,
                        BatchRuns::create(entry, columns, fixed));
  if (runs.valueNames().empty())
    return invalidArgument(fmt::format(
        "entry '{}' has no output of one element; return the loss from it",
        printable(name)));
  return runs;
}

/// The columns that batches of a loader with `options` have.
static std::vector<ColumnInfo> batchColumns(const Dataset &data,
                                            const LoaderOptions &options) {
  std::vector<ColumnInfo> columns = data.columns();
  if (!options.maskColumn.empty())
    columns.emplace_back().name = options.maskColumn;
  return columns;
}

/// Takes the batch size of the entry if `options` has none.
static Status chooseBatchSize(const BatchRuns &runs, LoaderOptions &options) {
  const std::vector<int64_t> sizes = runs.batchSizes();
  if (options.batchSize == 0)
    options.batchSize = sizes.front();
  if (std::ranges::find(sizes, options.batchSize) != sizes.end())
    return Status::ok();
  return invalidArgument(fmt::format(
      "entry '{}' is compiled for batches of {}, found a batch size of {}; "
      "compile it with --shape for this size",
      printable(runs.entryName()), fmt::join(sizes, ", "), options.batchSize));
}

/// Whether the entry can run the smaller batch at the end of the data.
static Status checkLastBatch(const BatchRuns &runs, const Dataset &data,
                             const LoaderOptions &options,
                             std::string_view flag) {
  const int64_t rest = data.size() % options.batchSize;
  const std::vector<int64_t> sizes = runs.batchSizes();
  if (options.last != LastBatch::Keep || rest == 0 ||
      std::ranges::find(sizes, rest) != sizes.end())
    return Status::ok();
  return invalidArgument(fmt::format(
      "the data has {} examples, so the last batch of {} has {}, for which "
      "entry '{}' is not compiled; leave these examples out with {}=drop, or "
      "compile the entry with --shape for both sizes",
      data.size(), options.batchSize, rest, printable(runs.entryName()), flag));
}

/// Whether some entry takes each of the values that are the same in all runs.
Status Trainer::Run::checkInputs() const {
  for (const NamedColumn &input : options.inputs) {
    bool isTaken = false;
    for (const std::string &name : {options.entry, options.validationEntry}) {
      if (name.empty())
        continue;
      WEIR_ASSIGN_OR_RETURN(const SessionEntry entry, session.entry(name));
      isTaken |= hasInput(entry, input.name);
    }
    if (!isTaken)
      return notFound(fmt::format(
          "--input {}: entry '{}' has no such input; leave the value out",
          printable(input.name), printable(options.entry)));
  }
  return Status::ok();
}

Status Trainer::Run::prepare() {
  if (options.epochs < 1 && options.steps < 1)
    return invalidArgument(
        fmt::format("expected at least one epoch, found {}", options.epochs));
  LoaderOptions &loading = options.loader;
  WEIR_ASSIGN_OR_RETURN(const SessionEntry entry, session.entry(options.entry));
  WEIR_RETURN_IF_ERROR(checkTrains(session, entry));
  WEIR_ASSIGN_OR_RETURN(steps,
                        bindEntry(session, options.entry,
                                  batchColumns(data, loading), options.inputs));
  WEIR_RETURN_IF_ERROR(checkInputs());
  WEIR_RETURN_IF_ERROR(checkPadding(entry, loading));
  WEIR_RETURN_IF_ERROR(chooseBatchSize(*steps, loading));
  WEIR_RETURN_IF_ERROR(checkLastBatch(*steps, data, loading, "--last"));
  if (!options.validationEntry.empty())
    WEIR_RETURN_IF_ERROR(prepareValidation(entry));
  WEIR_RETURN_IF_ERROR(checkBest());
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
  return openReports();
}

Status Trainer::Run::prepareValidation(const SessionEntry &training) {
  if (!options.validation)
    return invalidArgument(
        fmt::format("there is no data for the validation by entry '{}'; name "
                    "it with --validation-data",
                    printable(options.validationEntry)));
  validationLoader = options.loader;
  validationLoader.batchSize = 0;
  validationLoader.shuffle = validationLoader.augment = false;
  validationLoader.last = options.validationLast;
  validationLoader.epochs = 1;
  validationLoader.start = {};
  const Dataset &examples = *options.validation;
  WEIR_ASSIGN_OR_RETURN(const SessionEntry entry,
                        session.entry(options.validationEntry));
  WEIR_RETURN_IF_ERROR(checkValidates(entry, training));
  WEIR_ASSIGN_OR_RETURN(validationRuns,
                        bindEntry(session, options.validationEntry,
                                  batchColumns(examples, validationLoader),
                                  options.inputs));
  WEIR_RETURN_IF_ERROR(checkPadding(entry, validationLoader));
  WEIR_RETURN_IF_ERROR(chooseBatchSize(*validationRuns, validationLoader));
  return checkLastBatch(*validationRuns, examples, validationLoader,
                        "--validation-last");
}

Status Trainer::Run::checkBest() const {
  if (!options.best)
    return Status::ok();
  if (!options.checkpoints)
    return invalidArgument("the best checkpoint needs a folder; name it with "
                           "--checkpoint");
  if (!validationRuns)
    return invalidArgument("the best checkpoint is chosen by a validation; "
                           "name its data with --validation-data");
  const std::span<const std::string> names = validationRuns->valueNames();
  if (std::ranges::find(names, options.best->name) != names.end())
    return Status::ok();
  return notFound(fmt::format(
      "entry '{}' has no output '{}' of one element by which a checkpoint can "
      "be the best; it has {}",
      printable(options.validationEntry), printable(options.best->name),
      fmt::join(names, ", ")));
}

/// What the order of the examples follows from.
std::string Trainer::Run::dataIdentity() const {
  const LoaderOptions &loading = options.loader;
  return fmt::format(
      "{} examples, batches of {}, {}, {}", data.size(), loading.batchSize,
      loading.last == LastBatch::Keep   ? "last one kept"
      : loading.last == LastBatch::Drop ? "last one dropped"
                                        : "last one padded",
      loading.shuffle ? fmt::format("shuffled with seed {}", loading.seed)
                      : fmt::format("in order, seed {}", loading.seed));
}

/// Opens the folder of checkpoints, and finds where training goes on.
Status Trainer::Run::findPosition() {
  WEIR_ASSIGN_OR_RETURN(checkpoints, Checkpoints::open(*options.checkpoints));
  WEIR_ASSIGN_OR_RETURN(const std::string latest, checkpoints->latest());
  position().data = dataIdentity();
  position().bestBy = bestBy();
  if (latest.empty())
    return Status::ok();
  if (!options.resume)
    return invalidArgument(fmt::format(
        "'{}' has a checkpoint of an earlier run, '{}'; go on from it with "
        "--resume, or name another folder",
        printable(options.checkpoints->folder), printable(latest)));
  WEIR_ASSIGN_OR_RETURN(TrainingPosition found, checkpoints->check(session));
  if (found.data != position().data)
    return invalidArgument(fmt::format(
        "'{}' was trained on {}; found {}. So the next batches would have "
        "other "
        "examples. Use the same data and flags, or begin a new training with "
        "--load-variables={}",
        printable(latest), printable(found.data), position().data,
        printable(latest)));
  position() = std::move(found);
  isResumed = true;
  // A value of another metric says nothing. One that this training does not ask
  // for is kept for the next one, whose best must be better.
  if (options.best && position().bestBy != bestBy()) {
    position().best.reset();
    position().bestBy = bestBy();
  }
  result.stepsBefore = lastSaved = position().step;
  return Status::ok();
}

Status Trainer::Run::openReports() {
  ReportedRun run;
  run.stepsBefore = position().step;
  const int64_t perEpoch = loader ? loader->batchesPerEpoch() : 0;
  run.totalSteps =
      options.steps > 0 ? options.steps : options.epochs * perEpoch;
  run.totalEpochs = options.steps > 0 ? 0 : options.epochs;
  for (const std::string &name : steps->valueNames()) {
    run.values.push_back({name});
    result.values.push_back({name, 0});
  }
  if (validationRuns)
    run.validationValues.assign(validationRuns->valueNames().begin(),
                                validationRuns->valueNames().end());
  WEIR_ASSIGN_OR_RETURN(reports, StepReports::open(options.reports, run));
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
  if (!values)
    return std::move(values).status().withContext(
        fmt::format("step {}", position().step + 1));
  const std::span<const std::string> names = steps->valueNames();
  for (size_t i = 0; i < names.size(); ++i)
    result.values[i].value = (*values)[i];
  if (std::isnan(values->front()) && !std::exchange(hasWarnedOfNaN, true))
    reports->note(fmt::format(
        "warning: '{}' is NaN in step {}; --check-numerics shows the first op "
        "whose result is not finite",
        printable(names.front()), position().step + 1));
  return values;
}

/// Reports a step, and makes the next one the position.
void Trainer::Run::note(const Batch &batch, std::span<const double> values,
                        double seconds) {
  reports->step({.step = position().step + 1,
                 .epoch = position().epoch + 1,
                 .examples = batch.count(),
                 .seconds = seconds,
                 .values = values});
  result.seconds += seconds;
  result.examples += batch.count();
  const BatchPosition next = loader->position();
  ++position().step;
  position().epoch = next.epoch;
  position().batch = next.batch;
}

Status Trainer::Run::train() {
  while (!isAtEnd() && !isStopped) {
    const uint64_t begin = monotonicNs();
    WEIR_ASSIGN_OR_RETURN(const std::optional<Batch> batch, nextBatch());
    if (!batch)
      break;
    WEIR_ASSIGN_OR_RETURN(const std::span<const double> values,
                          trainOn(*batch));
    note(*batch, values, static_cast<double>(monotonicNs() - begin) * 1e-9);
    WEIR_RETURN_IF_ERROR(afterStep());
  }
  return Status::ok();
}

/// Validates and saves if it is time. An epoch ends with its last batch.
Status Trainer::Run::afterStep() {
  if (validationRuns && isDue(options.validateEvery))
    WEIR_RETURN_IF_ERROR(validate());
  if (checkpoints && isDue(options.checkpointEvery))
    WEIR_RETURN_IF_ERROR(saveCheckpoint(false));
  return Status::ok();
}

Status Trainer::Run::validate() {
  if (std::exchange(lastValidated, position().step) == position().step)
    return Status::ok();
  WEIR_ASSIGN_OR_RETURN(Loader batches,
                        Loader::create(*options.validation, validationLoader));
  const std::span<const std::string> names = validationRuns->valueNames();
  Means means(names.size());
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const std::optional<Batch> batch, batches.next());
    if (!batch)
      break;
    auto values = validationRuns->run(*batch);
    if (!values)
      return std::move(values).status().withContext(
          fmt::format("validation after step {}", position().step));
    means.add(*values, batch->count());
  }
  const std::vector<double> values = means.get();
  // Behind the last batch of an epoch, the position is in the next one.
  const int64_t epoch = position().epoch + (position().batch > 0 ? 1 : 0);
  reports->validation(position().step, epoch, values);
  result.validation.clear();
  for (size_t i = 0; i < names.size(); ++i)
    result.validation.push_back({names[i], values[i]});
  if (!options.best)
    return Status::ok();
  const double value = std::ranges::find(result.validation, options.best->name,
                                         &NamedScalar::name)
                           ->value;
  std::optional<double> &best = position().best;
  if (std::isnan(value) ||
      (best && !(options.best->isHigher ? value > *best : value < *best)))
    return Status::ok();
  best = value;
  return saveCheckpoint(true);
}

Status Trainer::Run::saveCheckpoint(bool isBest) {
  // That of the best value may have been written in the same step. One that was
  // written before the validation is not yet the best one.
  if (std::exchange(lastSaved, position().step) == position().step && !isBest)
    return Status::ok();
  reports->flush();
  return checkpoints->save(session, position(), isBest);
}

Status Trainer::Run::run() {
  Status status = isAtEnd() ? Status::ok() : train();
  if (status.isOk() && validationRuns && !isStopped)
    status = validate();
  if (status.isOk() && checkpoints)
    status = saveCheckpoint(false);
  // The last checkpoint is of use also behind a failed step.
  if (checkpoints)
    if (Status saved = checkpoints->finish(); status.isOk())
      status = std::move(saved);
  const Status reported = reports->finish();
  return status;
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
void Trainer::stop() noexcept { state->isStopped = true; }
const TrainingSummary &Trainer::summary() const { return state->result; }
