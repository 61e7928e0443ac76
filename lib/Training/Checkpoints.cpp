//===- Checkpoints.cpp - A folder of states of training -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Training/Checkpoints.h"

#include "CheckpointFolder.h"
#include "CheckpointMatch.h"
#include "FiniteChecks.h"
#include "weir/Runtime/Guarded.h"
#include "weir/Runtime/Session.h"
#include "weir/Support/BlockedSignals.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/Printable.h"
#include "weir/Support/SafeTensors.h"

#include <charconv>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <system_error>
#include <thread>

using namespace weir;

static constexpr const char *stepKey = "weir.step";
static constexpr const char *epochKey = "weir.epoch";
static constexpr const char *batchKey = "weir.batch";
static constexpr const char *plateauFactorKey = "weir.plateau.factor";
/// The key of the order of the examples, in checkpoints of earlier versions.
static constexpr const char *dataKey = "weir.data";
static constexpr std::string_view identityPrefix = "weir.identity.";
static constexpr const char *bestKey = "weir.best";
static constexpr const char *bestByKey = "weir.best_by";
static constexpr const char *validatedKey = "weir.validated";
static constexpr const char *curvesKey = "weir.curves";

using Metadata = std::map<std::string, std::string>;

/// Writes the progress of a value under `name`.
static void write(Metadata &metadata, const std::string &name,
                  const MetricProgress &progress) {
  // If all values so far are NaN, there are waits but no best value.
  if (!progress.best && progress.waits == 0)
    return;
  if (progress.best)
    metadata[name + ".best"] = fmt::to_string(*progress.best);
  metadata[name + ".waits"] = fmt::to_string(progress.waits);
  metadata[name + ".by"] = progress.by;
}

static Metadata toMetadata(const TrainingPosition &position) {
  Metadata metadata{{stepKey, fmt::to_string(position.step)},
                    {epochKey, fmt::to_string(position.epoch)},
                    {batchKey, fmt::to_string(position.batch)},
                    {validatedKey, fmt::to_string(position.validated)}};
  for (const auto &[name, value] : position.identity)
    metadata[std::string(identityPrefix) + name] = value;
  write(metadata, "weir.early", position.early);
  write(metadata, "weir.plateau", position.plateau);
  if (position.plateauFactor != 1)
    metadata[plateauFactorKey] = fmt::to_string(position.plateauFactor);
  if (!position.curves.empty())
    metadata[curvesKey] = position.curves;
  if (position.best) {
    metadata[bestKey] = fmt::to_string(*position.best);
    metadata[bestByKey] = position.bestBy;
  }
  return metadata;
}

/// Best values may be negative; counts are not.
static bool mayBeNegative(std::string_view key) {
  return key.ends_with("best");
}

/// Reads the number under `key`.
template <typename T>
static Status readNumber(const Metadata &metadata, const std::string &key,
                         T &value) {
  const auto found = metadata.find(key);
  if (found == metadata.end())
    return dataLoss(fmt::format(
        "it has no '{}', so it is no checkpoint; move it away, or load its "
        "variables (graph-run --load-variables) and train in another folder",
        key));
  const std::string &text = found->second;
  const char *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end &&
      !(value < 0 && !mayBeNegative(key)))
    return Status::ok();
  return dataLoss(fmt::format("its '{}' is '{}', expected a number", key,
                              printable(text.substr(0, 40))));
}

/// Reads what `write` wrote under `name`. If it wrote nothing, `progress` stays
/// as it is.
static Status readProgress(const Metadata &metadata, const std::string &name,
                           MetricProgress &progress) {
  if (metadata.contains(name + ".best"))
    WEIR_RETURN_IF_ERROR(
        readNumber(metadata, name + ".best", progress.best.emplace()));
  if (const auto by = metadata.find(name + ".by"); by != metadata.end())
    progress.by = by->second;
  if (!metadata.contains(name + ".waits"))
    return Status::ok();
  return readNumber(metadata, name + ".waits", progress.waits);
}

static StatusOr<TrainingPosition> toPosition(const Metadata &metadata) {
  TrainingPosition position;
  WEIR_RETURN_IF_ERROR(readNumber(metadata, stepKey, position.step));
  WEIR_RETURN_IF_ERROR(readNumber(metadata, epochKey, position.epoch));
  WEIR_RETURN_IF_ERROR(readNumber(metadata, batchKey, position.batch));
  if (const auto data = metadata.find(dataKey); data != metadata.end())
    position.identity["data"] = data->second;
  for (const auto &[key, value] : metadata)
    if (key.starts_with(identityPrefix))
      position.identity[key.substr(identityPrefix.size())] = value;
  if (metadata.contains(bestKey))
    WEIR_RETURN_IF_ERROR(
        readNumber(metadata, bestKey, position.best.emplace()));
  if (const auto by = metadata.find(bestByKey); by != metadata.end())
    position.bestBy = by->second;
  if (const auto curves = metadata.find(curvesKey); curves != metadata.end())
    position.curves = curves->second;
  WEIR_RETURN_IF_ERROR(readProgress(metadata, "weir.early", position.early));
  WEIR_RETURN_IF_ERROR(
      readProgress(metadata, "weir.plateau", position.plateau));
  if (metadata.contains(plateauFactorKey))
    WEIR_RETURN_IF_ERROR(
        readNumber(metadata, plateauFactorKey, position.plateauFactor));
  // A checkpoint without this key was written after the validation of its step.
  position.validated = position.step;
  if (metadata.contains(validatedKey))
    WEIR_RETURN_IF_ERROR(
        readNumber(metadata, validatedKey, position.validated));
  return position;
}

/// Writes one checkpoint at a time on a thread of its own.
class Checkpoints::Writer {
public:
  static StatusOr<std::unique_ptr<Writer>>
  start(CheckpointFolder folder, const CheckpointOptions &options);

  ~Writer() {
    {
      const std::lock_guard lock(mutex);
      isEnding = true;
    }
    changed.notify_all();
    if (thread.joinable())
      thread.join();
  }

  /// Waits until nothing is written. Returns the error of the last checkpoint,
  /// or else the error of the last checkpoint that was to be the best.
  Status wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !isPending; });
    return failure.isOk() ? bestFailure : failure;
  }

  /// Copies the variables, if they may be saved. The thread must not be
  /// writing.
  Status fetch(const Session &session);

  /// Lets the thread write the variables that were fetched.
  void begin(const TrainingPosition &at, bool best) {
    {
      const std::lock_guard lock(mutex);
      position = at;
      isBest = best;
      isPending = true;
    }
    changed.notify_all();
  }

  const CheckpointFolder folder;
  FiniteVariables finite;

private:
  Writer(CheckpointFolder folder, const CheckpointOptions &options)
      : folder(std::move(folder)), keep(options.keep),
        onFailure(options.onFailure) {}
  Status allocate(const Session &session);
  Status write() const;
  void work();

  const int64_t keep;
  const std::function<void(const Status &)> onFailure;
  std::vector<std::pair<std::string, HostTensor>> values;
  TrainingPosition position;
  bool isBest = false;

  std::mutex mutex;
  std::condition_variable changed;
  bool isPending = false;
  bool isEnding = false;
  Status failure, bestFailure;
  std::thread thread;
};

StatusOr<std::unique_ptr<Checkpoints::Writer>>
Checkpoints::Writer::start(CheckpointFolder folder,
                           const CheckpointOptions &options) {
  std::unique_ptr<Writer> writer(new Writer(std::move(folder), options));
  const BlockedSignals blocked;
  try {
    writer->thread = std::thread([self = writer.get()] { self->work(); });
  } catch (const std::system_error &error) {
    return resourceExhausted(fmt::format(
        "cannot start a thread that writes checkpoints: {}; raise the limits "
        "of the process (ulimit -u)",
        error.what()));
  }
  return writer;
}

Status Checkpoints::Writer::allocate(const Session &session) {
  std::vector<std::pair<std::string, HostTensor>> made;
  for (const VariableInfo &variable : session.variables()) {
    WEIR_ASSIGN_OR_RETURN(
        HostTensor value,
        HostTensor::zeros(variable.desc.type, variable.desc.dims));
    made.emplace_back(variable.name, std::move(value));
  }
  values = std::move(made);
  return Status::ok();
}

Status Checkpoints::Writer::fetch(const Session &session) {
  if (values.empty())
    WEIR_RETURN_IF_ERROR(allocate(session));
  std::vector<TensorView> views;
  for (auto &[name, value] : values)
    views.push_back(
        {value.type(), value.dims(), value.data(), value.bytes().size()});
  // One call gets all variables in one state, since other threads may train
  // meanwhile.
  WEIR_RETURN_IF_ERROR(session.getVariables(views));
  for (const auto &[name, value] : values)
    WEIR_RETURN_IF_ERROR(finite.check(name, value));
  return Status::ok();
}

Status Checkpoints::Writer::write() const {
  std::vector<NamedTensor> tensors;
  for (const auto &[name, value] : values)
    tensors.push_back({name, value.desc(), value.bytes()});
  WEIR_RETURN_IF_ERROR(writeSafeTensors(
      folder.fileOf(position.step), std::move(tensors), toMetadata(position)));
  if (isBest)
    WEIR_RETURN_IF_ERROR(folder.markBest(position.step));
  return folder.prune(keep);
}

void Checkpoints::Writer::work() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return isPending || isEnding; });
    if (!isPending)
      return;
    lock.unlock();
    Status status = guarded("a checkpoint", [&] {
      return write().withContext(
          fmt::format("the checkpoint of step {}", position.step));
    });
    Status told = guarded("the report of an error", [&] {
      if (!status.isOk() && onFailure)
        onFailure(status);
      return Status(status);
    });
    lock.lock();
    if (isBest)
      bestFailure = std::move(told);
    failure = std::move(status);
    isPending = false;
    changed.notify_all();
  }
}

Checkpoints::Checkpoints(std::unique_ptr<Writer> writer)
    : writer(std::move(writer)) {}

Checkpoints::~Checkpoints() = default;

StatusOr<std::unique_ptr<Checkpoints>>
Checkpoints::open(const CheckpointOptions &options) {
  if (options.keep < 0)
    return invalidArgument(fmt::format(
        "expected a number of checkpoints to keep from 0 up, found {}",
        options.keep));
  WEIR_ASSIGN_OR_RETURN(CheckpointFolder folder,
                        CheckpointFolder::open(options.folder));
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Writer> writer,
                        Writer::start(std::move(folder), options));
  return std::unique_ptr<Checkpoints>(new Checkpoints(std::move(writer)));
}

StatusOr<std::string> Checkpoints::latest() const {
  WEIR_ASSIGN_OR_RETURN(const std::vector<int64_t> steps,
                        writer->folder.steps());
  return steps.empty() ? std::string() : writer->folder.fileOf(steps.back());
}

/// The newest file that can be read, among the files of all `steps` except the
/// last step; empty if no file can be read.
static std::string findWhole(const CheckpointFolder &folder,
                             std::span<const int64_t> steps) {
  for (size_t i = steps.size() - 1; i-- > 0;) {
    std::string file = folder.fileOf(steps[i]);
    const auto tensors = SafeTensors::read(file);
    if (tensors && toPosition(tensors->metadata()))
      return file;
  }
  return "";
}

/// The error `damage` of the newest checkpoint, with the name of the checkpoint
/// from which training can go on.
static Status describeDamage(const Status &damage,
                             const CheckpointFolder &folder) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<int64_t> steps, folder.steps());
  const std::string whole = findWhole(folder, steps);
  return Status(damage.code(),
                fmt::format("{}; {}", damage.message(),
                            whole.empty()
                                ? "no other checkpoint in the folder is whole"
                                : fmt::format("'{}' is whole: remove the "
                                              "damaged file, and training goes "
                                              "on from there",
                                              printable(whole))));
}

/// The position of the checkpoint `file`, if it fits `session`.
static StatusOr<TrainingPosition> checkFile(const Session &session,
                                            const std::string &file,
                                            const CheckpointFolder &folder) {
  const auto tensors = SafeTensors::read(file);
  if (!tensors)
    return describeDamage(tensors.status(), folder);
  WEIR_ASSIGN_OR_RETURN(TrainingPosition position,
                        toPosition(tensors->metadata()));
  WEIR_RETURN_IF_ERROR(checkMatch(session.variables(), *tensors, file));
  return position;
}

static Status withFile(Status status, const std::string &file) {
  return std::move(status).withContext(
      fmt::format("cannot resume from '{}'", printable(file)));
}

StatusOr<TrainingPosition> Checkpoints::check(const Session &session) const {
  WEIR_ASSIGN_OR_RETURN(const std::string file, latest());
  if (file.empty())
    return notFound(fmt::format("there is no checkpoint in '{}'",
                                printable(writer->folder.path())));
  StatusOr<TrainingPosition> position =
      checkFile(session, file, writer->folder);
  if (!position)
    return withFile(std::move(position).status(), file);
  return position;
}

StatusOr<TrainingPosition> Checkpoints::restore(Session &session) const {
  StatusOr<TrainingPosition> position = check(session);
  if (!position)
    return position;
  WEIR_ASSIGN_OR_RETURN(const std::string file, latest());
  WEIR_RETURN_IF_ERROR(withFile(session.loadVariables(file), file));
  return position;
}

/// The position of the checkpoint `file`, whatever session it fits.
static StatusOr<TrainingPosition> readPosition(const std::string &file) {
  WEIR_ASSIGN_OR_RETURN(const SafeTensors tensors, SafeTensors::read(file));
  return toPosition(tensors.metadata());
}

StatusOr<std::optional<TrainingPosition>> Checkpoints::best() const {
  (void)writer->wait();
  const std::string file = writer->folder.bestFile();
  StatusOr<TrainingPosition> position = readPosition(file);
  if (position)
    return std::optional(*std::move(position));
  if (position.status().code() == StatusCode::NotFound)
    return std::optional<TrainingPosition>();
  return Status(position.status().code(),
                fmt::format("cannot tell how good '{}' is: {}; if it is not "
                            "needed, move it away, and a validation writes a "
                            "new one",
                            printable(file), position.status().message()));
}

Status Checkpoints::acceptNonFinite(const Session &session) {
  WEIR_ASSIGN_OR_RETURN(writer->finite, FiniteVariables::startingAt(session));
  return Status::ok();
}

Status Checkpoints::save(const Session &session,
                         const TrainingPosition &position, bool isBest) {
  (void)writer->wait();
  WEIR_RETURN_IF_ERROR(writer->fetch(session).withContext(
      fmt::format("the checkpoint of step {}", position.step)));
  writer->begin(position, isBest);
  return Status::ok();
}

Status Checkpoints::finish() { return writer->wait(); }
