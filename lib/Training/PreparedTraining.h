//===- PreparedTraining.h - A training that may begin ---------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_PREPAREDTRAINING_H
#define WEIR_LIB_TRAINING_PREPAREDTRAINING_H

#include "BatchRuns.h"
#include "FiniteChecks.h"
#include "TrainingRate.h"
#include "Validation.h"
#include "weir/Training/Trainer.h"

#include <memory>
#include <optional>

namespace weir {

/// The objects that the steps of a training use. None of them may move once
/// they are prepared.
struct PreparedTraining {
  Session &session;
  Dataset data;
  TrainerOptions options;

  std::optional<BatchRuns> steps = {};
  std::optional<Validation> validation = {};
  /// The loader of the data; nothing if no step is left.
  std::optional<Loader> loader = {};
  TrainingRate rate = {};
  std::optional<StepReports> reports = {};
  /// The checkpoints. Their thread uses the reports, so they end before the
  /// reports.
  std::unique_ptr<Checkpoints> checkpoints = {};
  TraceRing *dataRow = nullptr;
  FiniteVariables finite = {};
  bool isResumed = false;
  /// The position and the results of the training.
  TrainingSummary summary = {};

  TrainingPosition &position() { return summary.position; }
};

/// Checks the options of `training`, opens what it needs and restores its
/// latest checkpoint; see `Trainer::create`.
Status prepareTraining(PreparedTraining &training);

/// The best value that `best.safetensors` states. It is read from the file,
/// because a better checkpoint may not have been written. Nothing if the value
/// is of another metric.
StatusOr<std::optional<double>> bestOnDisk(const PreparedTraining &training);

} // namespace weir

#endif // WEIR_LIB_TRAINING_PREPAREDTRAINING_H
