//===- Trainer.h - Trains a model on a dataset ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//   auto session = weir::Session::load("net.weir");
//   auto data = weir::parseDataset("x=train.npz:images,y=train.npz:labels");
//   weir::TrainerOptions options;
//   options.loader.shuffle = true;
//   options.loader.last = weir::LastBatch::Drop;
//   options.epochs = 5;
//   auto trainer = weir::Trainer::create(**session, *data, options);
//   weir::Status status = trainer->run();
//
// `TrainerOptions::onStep` watches each step, and `Trainer::step` makes one at
// a time. docs/training-cpp.md has a whole program.
//
// A step is a run of an entry that assigns parameters, such as one that
// `weir.minimize` makes. Its first output of one element is the loss. All
// other outputs of one element are metrics. Inputs are columns of the dataset
// by name.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TRAINING_TRAINER_H
#define WEIR_TRAINING_TRAINER_H

#include "weir/Data/Dataset.h"
#include "weir/Data/Loader.h"
#include "weir/Runtime/RunOptions.h"
#include "weir/Support/Status.h"
#include "weir/Training/Checkpoints.h"
#include "weir/Training/OptionNames.h"
#include "weir/Training/StepReports.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weir {

class Session;
class Trace;

/// A value of the validation that chooses the best checkpoint.
struct BestMetric {
  std::string name;
  /// Whether larger values are better.
  bool isHigher = false;
};

/// The condition under which training ends before its steps are done.
struct EarlyStop {
  BestMetric metric;
  /// The number of validations in a row without a new best value after which
  /// training ends.
  int64_t patience = 1;
};

/// The rule by which the rate gets smaller when the validation does not
/// improve.
struct Plateau {
  /// The input that has the rate, one of `TrainerOptions::inputs`.
  std::string input;
  BestMetric metric;
  /// The number of validations in a row without a new best value after which
  /// the rate is lowered, and the factor by which it is multiplied then.
  int64_t patience = 1;
  double factor = 0.1;
};

/// The reaction to a loss that is NaN or infinite.
enum class NonFiniteLoss {
  /// Training ends with an error.
  Stop,
  /// Training goes on. But variables that are not finite are not saved.
  Ignore
};

/// A value by its name.
struct NamedScalar {
  std::string name;
  double value = 0;
};

/// The results of a step.
struct StepResult {
  /// The numbers of the step and of its epoch, both counted from 1.
  int64_t step = 0;
  int64_t epoch = 0;
  /// The number of examples of the batch, and the time of the step with the
  /// waiting for data.
  int64_t examples = 0;
  double seconds = 0;
  /// The loss and then the metrics, valid until the next step. Empty if no step
  /// was made.
  std::span<const NamedScalar> values = {};
  /// The learning rate; nothing if it is not known, or is one of the values.
  std::optional<double> rate = {};
  /// The values of the validation after the step, valid until the next step.
  /// Empty if there was no validation.
  std::span<const NamedScalar> validation = {};
  /// Whether the training ends with this step.
  bool isLast = false;
};

struct TrainerOptions {
  /// The entry of a step. It must assign a variable.
  std::string entry = "train";
  /// The entry that computes values on the validation data; empty: none. It
  /// must assign no variable that `entry` uses. It may have variables of its
  /// own, such as a counter.
  std::string validationEntry;
  std::optional<Dataset> validation;

  /// The number of passes through the data; above 0 unless `steps` is.
  int64_t epochs = 1;
  /// Training ends after this many steps, counted from the beginning of the
  /// first run; 0: it ends after the epochs.
  int64_t steps = 0;
  /// Steps from one validation to the next; 0: one after each epoch. In any
  /// case, there is a validation at the end.
  int64_t validateEvery = 0;
  std::optional<EarlyStop> earlyStop;
  std::optional<Plateau> plateau;
  NonFiniteLoss nonFiniteLoss = NonFiniteLoss::Stop;

  /// How batches are made. A `batchSize` of 0 means the batch size of the
  /// entry. `epochs` and `start` are not used. Batches for the validation have
  /// the same options, but are in the order of the data, and nothing is drawn
  /// at random.
  LoaderOptions loader = batchesOfEntry();
  /// Cancels the step or the validation in flight. The training then ends with
  /// the status Cancelled and without a checkpoint, and variables that the step
  /// has begun to write have no value until they are set or loaded. A batch
  /// that is being read is waited for. If the error says that a GPU was given
  /// up, the trainer must be kept until the process ends: the GPU may still use
  /// its batch. With a token, all steps run on threads of the devices, and
  /// never on the thread that calls `run`. So short steps take longer.
  std::optional<CancelToken> cancelToken;

  /// The treatment of the last examples of the validation data.
  LastBatch validationLast = LastBatch::Keep;
  /// Inputs that are the same in all runs, such as a learning rate.
  std::vector<NamedColumn> inputs;

  std::optional<CheckpointOptions> checkpoints;
  /// Steps from one checkpoint to the next; 0: one after each epoch. In any
  /// case, there is a checkpoint at the end.
  int64_t checkpointEvery = 0;
  std::optional<BestMetric> best;
  /// Whether training goes on from the latest checkpoint of the folder, if it
  /// has one. Otherwise, a folder with checkpoints is an error.
  bool resume = false;
  /// Whether a training that is resumed may have another rate and another
  /// schedule than before.
  bool mayOverride = false;
  /// The maps of the columns of the data, as text: {"x", "scale:255"}. Kept in
  /// checkpoints, and compared when a training is resumed.
  std::vector<std::pair<std::string, std::string>> maps;

  /// The callback after each step, on the thread that trains. By then, the step
  /// is reported and validated, but its checkpoint is not written. So a
  /// checkpoint has the values that the callback assigns to variables. The
  /// callback returns whether training goes on. False ends the training as
  /// `Trainer::stop` does. So does an error or an exception, which `run` then
  /// returns. The step is complete all the same. The callback must not call
  /// `step` or `run`.
  std::function<StatusOr<bool>(const StepResult &)> onStep = {};
  StepReportOptions reports;
  /// Records the waiting for data; or null.
  Trace *trace = nullptr;
  /// The names by which errors and notes call options. The reports use the same
  /// names.
  OptionNames names = OptionNames::Cpp;

private:
  static LoaderOptions batchesOfEntry() {
    LoaderOptions options;
    options.batchSize = 0;
    return options;
  }
};

/// How a training has ended.
enum class TrainingEnd {
  /// The training has not ended.
  None,
  /// All steps are done.
  Complete,
  /// The validation did not improve any more; see `EarlyStop`.
  Early,
  /// `stop` was called, or `onStep` returned false.
  Stopped,
  /// `TrainerOptions::cancelToken` was cancelled.
  Cancelled,
  /// A loss or a variable is NaN or infinite.
  NonFinite,
  /// The steps have ended well, but the last checkpoint could not be written.
  Unsaved,
  /// A step or a validation failed, or `onStep` returned an error.
  Failed
};

/// The results of a training so far.
struct TrainingSummary {
  TrainingEnd end = TrainingEnd::None;
  /// The position of the training.
  TrainingPosition position;
  /// The step after which the training was resumed; 0: it began anew.
  int64_t stepsBefore = 0;
  int64_t examples = 0;
  /// The time of all steps with the waiting for data. Then the time of this
  /// waiting alone, and the number of steps that waited.
  double seconds = 0;
  double dataSeconds = 0;
  int64_t dataWaits = 0;
  /// The values of the last step, and of the last validation. Empty if there
  /// was no step, or no validation.
  std::vector<NamedScalar> values;
  std::vector<NamedScalar> validation;
};

/// Trains the parameters of a session. It must not outlive the session. Only
/// one thread may use it at a time, but for `stop`.
class Trainer {
public:
  /// Checks entries, data and folders, and restores the latest checkpoint if
  /// `resume` is set. Nothing is trained yet. After an error, the variables and
  /// the files of reports are as before. There is one exception: a file of a
  /// report could be written when it was checked, but then could not be opened.
  static StatusOr<Trainer> create(Session &session, Dataset data,
                                  TrainerOptions options);

  Trainer(Trainer &&other) noexcept;
  Trainer &operator=(Trainer &&other) noexcept;
  ~Trainer();

  /// Trains until the end. After an error of a step no checkpoint is written,
  /// because the step may have changed some parameters and not others. Earlier
  /// checkpoints remain. If a checkpoint cannot be written, the reports say so
  /// at once and training goes on. The error is returned at the end unless a
  /// later checkpoint was written. If the training has ended already, this
  /// returns its outcome.
  Status run();
  /// Makes one step with all that `run` does after a step: reports, a
  /// validation and a checkpoint if they are due. The last step also ends the
  /// training. If no step is left, this ends the training if it has not ended
  /// yet, and the result has no values. `run` makes the steps that are left.
  StatusOr<StepResult> step();
  /// Ends the training after the step in flight, with a checkpoint. If no step
  /// is in flight, the next call of `step` ends it. May be called by any thread
  /// and by a signal handler.
  void stop() noexcept;

  /// Writes all variables as a safetensors file. It is an error if a variable
  /// became NaN or infinite in the training.
  Status saveVariables(const std::string &path) const;

  /// Finds why the training ended with `TrainingEnd::NonFinite`: runs the steps
  /// since the last checkpoint again on `checked`, a session of the same
  /// artifact with `SessionOptions::checkNumerics`. If there is no checkpoint,
  /// `checked` must have the variables with which the training began. Returns
  /// the error of the first op whose result is not finite, or success if no
  /// such result is found. The error is `Unavailable` if the steps took longer
  /// than `maxSeconds`, or if `onStep` is set, because it may have changed
  /// variables.
  Status findNonFinite(Session &checked, double maxSeconds);

  const TrainingSummary &summary() const;

private:
  struct State;
  explicit Trainer(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace weir

#endif // WEIR_TRAINING_TRAINER_H
