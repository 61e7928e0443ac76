//===- TrainingLoop.h - The steps of a training ---------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_TRAININGLOOP_H
#define WEIR_LIB_TRAINING_TRAININGLOOP_H

#include "PreparedTraining.h"
#include "weir/Runtime/RunOptions.h"

#include <atomic>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weir {

/// The phases of a step, in their order. A phase that is not due does nothing,
/// and a phase that fails ends the training.
enum class StepPhase {
  /// Reads a batch and runs the entry on it.
  Train,
  /// Reports the step, and moves the position to the next step.
  Report,
  /// Refuses a loss that is not finite.
  CheckLoss,
  /// Validates, and lowers the rate or stops early by the result.
  Validate,
  /// Calls `TrainerOptions::onStep`.
  Tell,
  /// Writes a checkpoint.
  Save
};

/// Makes the steps of a training one by one.
class TrainingLoop {
public:
  explicit TrainingLoop(PreparedTraining &training);

  StatusOr<StepResult> step();
  Status run();
  void stop() noexcept { isStopped = true; }
  const std::atomic<bool> &stopFlag() const { return isStopped; }

private:
  Status perform(std::initializer_list<StepPhase> phases);
  Status perform(StepPhase phase);
  Status train();
  void report();
  Status checkLoss();
  Status validate();
  void tell();
  Status save();
  Status end(Status status);

  std::string suggestRepair() const;
  StatusOr<std::optional<Batch>> nextBatch();
  void lowerRate();
  void stopEarly();
  StatusOr<bool> isNewBest() const;
  double valueOf(const BestMetric &metric) const;
  Status closeCheckpoints(Status status);
  TrainingEnd endOf(const Status &status) const;

  /// Whether something that is done every `every` steps (0: after each epoch)
  /// is due now. At the end of the training, it is always due.
  bool isDue(int64_t every) const;
  bool isAtEnd() const;
  int64_t epochOfStep() const;
  /// Whether a user or a callback has ended the training before its last step.
  bool mustStop() const { return isStopped || hasToldToStop; }
  bool isEnding() const { return mustStop() || isAtEnd(); }
  const TrainingPosition &position() const { return summary.position; }

  PreparedTraining &training;
  const TrainerOptions &options;
  TrainingSummary &summary;
  RunOptions running;
  std::atomic<bool> isStopped = false;
  /// Whether `TrainerOptions::onStep` has ended the training.
  bool hasToldToStop = false;

  /// The batch of the current step, its values, the time at which it began, and
  /// the result that callers are told.
  std::optional<Batch> batch;
  std::span<const double> values;
  uint64_t beginNs = 0;
  StepResult told;

  /// The statistics of the loader after the latest batch.
  LoaderStats waits;
  /// The values of a step, and its rate.
  std::vector<double> reported;
  /// The last step with a checkpoint, and whether the next checkpoint is the
  /// best.
  int64_t lastSaved = -1;
  bool isBest = false;
  /// Why the last checkpoint was refused; ok if it was not.
  Status refusal;
  /// The error of `TrainerOptions::onStep`.
  Status tellError;
  /// The outcome of the training; nothing before its end.
  std::optional<Status> ended;
  bool hasWarnedOfLoss = false, hasWarnedOfValidation = false;
};

} // namespace weir

#endif // WEIR_LIB_TRAINING_TRAININGLOOP_H
